// What Apple's Push Notifications Console says of a push: the statuses of its Metrics tab, and the lines of its Delivery
// Log. Apple has published five lines and all statuses; `DeliveryStep.isApples` tells which lines are ours.

/// A status of the Metrics tab. The raw value is Apple's name.
public enum DeliveryStatus: String, Hashable, Sendable, CaseIterable, Codable {
  case received = "Received by APNs"
  case delivered = "Delivered to Device"
  case deliveredFromStorage = "Delivered to Device (From Storage)"
  case storedOffline = "Stored – Device Offline"
  case storedForPower = "Stored – Power Considerations"
  case unregistered = "Discarded – Token Unregistered"
  case unregisteredFromStorage = "Discarded – Token Unregistered (From Storage)"
  case expired = "Discarded – Expired"
  case disabled = "Discarded – Disabled"
  case disabledFromStorage = "Discarded – Disabled (From Storage)"

  /// The name as a label of the metrics.
  public var label: String {
    switch self {
    case .received: "received_by_apns"
    case .delivered: "delivered_to_device"
    case .deliveredFromStorage: "delivered_to_device_from_storage"
    case .storedOffline: "stored_device_offline"
    case .storedForPower: "stored_power_considerations"
    case .unregistered: "discarded_token_unregistered"
    case .unregisteredFromStorage: "discarded_token_unregistered_from_storage"
    case .expired: "discarded_expired"
    case .disabled: "discarded_disabled"
    case .disabledFromStorage: "discarded_disabled_from_storage"
    }
  }
}

/// A step of a push on its way to its app.
public enum DeliveryStep: Hashable, Sendable {
  case received, delivered, storedOffline, storedForPower, unregistered, expired, offline, disabled, replaced, withdrawn

  /// The line of the Delivery Log.
  public var line: String {
    switch self {
    case .received: "received by APNS Server"
    case .delivered: "successfully delivered to the target device"
    case .storedOffline: "stored as device was offline"
    case .storedForPower: "stored for device power considerations"
    case .unregistered: "discarded as application was not registered"
    case .expired: "discarded as notification expired"
    case .offline: "discarded as device was offline"
    case .disabled: "discarded as notifications were disabled"
    case .replaced: "discarded as a newer notification was stored"
    case .withdrawn: "discarded as provider withdrew it"
    }
  }

  /// True if the line is one of those that Apple has published.
  public var isApples: Bool {
    switch self {
    case .received, .delivered, .storedForPower, .unregistered, .offline: true
    case .storedOffline, .expired, .disabled, .replaced, .withdrawn: false
    }
  }

  /// Returns the status that counts it; nil if Apple's console has none.
  public func status(fromStorage: Bool) -> DeliveryStatus? {
    switch self {
    case .received: .received
    case .delivered: fromStorage ? .deliveredFromStorage : .delivered
    case .storedOffline: .storedOffline
    case .storedForPower: .storedForPower
    case .unregistered: fromStorage ? .unregisteredFromStorage : .unregistered
    case .expired, .offline: .expired
    case .disabled: fromStorage ? .disabledFromStorage : .disabled
    case .replaced, .withdrawn: nil
    }
  }

  /// True if another step follows.
  public var stores: Bool { self == .storedOffline || self == .storedForPower }

  /// Returns true if it says more of a push than the other step. A push may be disabled for the person, and be stored
  /// for its app or given to it: then it was stored, or delivered.
  public func outranks(_ other: DeliveryStep) -> Bool { rank > other.rank }

  private var rank: Int { self == .delivered ? 2 : stores ? 1 : 0 }
}

// MARK: - The step of an event

extension Event.Kind {
  /// Nil for an event that is no step of a push.
  public var deliveryStep: DeliveryStep? {
    switch self {
    case .accepted: .received
    case .presented, .delivered: .delivered
    case .notPresented(let why): why.deliveryStep
    case .kept(let why): why.deliveryStep
    case .held(let why): why.deliveryStep
    case .deferred(let why, _): why.deliveryStep
    case .activity, .reload: .delivered
    case .discarded(let why, _): why.deliveryStep
    default: nil
    }
  }
}

extension DeliveryStep {
  /// Nil for an event that is no step of a push.
  public init?(_ event: EventReport) {
    let code: String? = if case .text(let text) = event.fields["reason"] { text } else { nil }
    let step: DeliveryStep? =
      switch Event.Name(rawValue: event.event) {
      case .accepted: .received
      case .presented, .delivered: .delivered
      case .notPresented: Event.NotPresented.allCases.first { $0.reason.code == code }?.deliveryStep ?? .delivered
      case .kept: Event.Kept.allCases.first { $0.rawValue == code }?.deliveryStep ?? .storedOffline
      case .held: Event.Held.allCases.first { $0.rawValue == code }?.deliveryStep ?? .storedForPower
      case .deferred: Event.Deferred.allCases.first { $0.rawValue == code }?.deliveryStep ?? .storedForPower
      case .activity, .reload: .delivered
      case .discarded: Event.Discarded.allCases.first { $0.reason.code == code }?.deliveryStep
      default: nil
      }
    guard let step else { return nil }
    self = step
  }
}

extension Event.NotPresented {
  /// What the person switched off is `disabled`. Otherwise the device has it, and presents nothing.
  fileprivate var deliveryStep: DeliveryStep {
    switch self {
    case .handsetNotificationsOff, .appNotAllowed, .switchedOff: .disabled
    case .kindNotRegistered, .foreground, .nothingToShow, .passive, .silentSwitch, .quietHours, .volumeZero,
      .handsetVolumeZero, .criticalVolumeZero, .snoozed, .focus, .grouped, .provisional, .soundReplaced, .speakerLost:
      .delivered
    }
  }
}

extension Event.Kept {
  /// A handset that fetches could be reached, and saves its power.
  fileprivate var deliveryStep: DeliveryStep { self == .offline ? .storedOffline : .storedForPower }
}

extension Event.Deferred {
  /// What waits for the summary is on the device.
  fileprivate var deliveryStep: DeliveryStep { self == .lowPower ? .storedForPower : .delivered }
}

extension Event.Held {
  /// An app that is not connected gets the push from its device, not from storage.
  fileprivate var deliveryStep: DeliveryStep {
    switch self {
    case .budget, .lowPower, .fetchInterval, .manual, .activityBudget: .storedForPower
    case .notConnected, .serviceExtension: .delivered
    }
  }
}

extension Event.Discarded {
  /// What the device discards, it was delivered to.
  fileprivate var deliveryStep: DeliveryStep {
    switch self {
    case .notRegisteredYet, .unregistered, .uninstalled: .unregistered
    case .expired, .expiredOffline, .expiredDeferred: .expired
    case .notKept: .offline
    case .replaced, .replacedOffline, .replacedInService, .collapsed, .replacedDeferred, .updateReplaced: .replaced
    case .retracted: .withdrawn
    case .activitiesOff: .disabled
    case .noBackgroundMode, .killed, .forceQuit, .isForceQuit, .died, .disconnected, .stopped, .offeredTwice,
      .tooManyOffered, .noReceiver, .notListening, .noTypeMode, .callsUnanswered, .spentToday, .unchanged, .badgeZero,
      .tooManyDeferred, .olderTimestamp, .noActivity, .activityLimit:
      .delivered
    }
  }
}

// MARK: - The log of one push

/// The delivery log of the newest push with an identifier, made of its events.
public struct DeliveryLog: Sendable {
  public struct Line: Sendable {
    public var event: EventReport
    public var step: DeliveryStep
    /// Nil if Apple's console counts nothing of the kind.
    public var status: DeliveryStatus?
  }

  public private(set) var lines: [Line] = []
  // The journal may have lost the beginning.
  private var isOpen = true
  private var isStored = true

  public init() {}

  /// Reads the next event of the push.
  public mutating func read(_ event: EventReport) {
    // A local notification is no push.
    if event.event == Event.Name.due.rawValue { (lines, isOpen) = ([], false) }
    guard let step = DeliveryStep(event) else { return }
    if step == .received {
      (lines, isOpen, isStored) = ([], true, false)
    } else if !isOpen {
      guard let last = lines.last, step.outranks(last.step) else { return }
      lines.removeLast()
    }
    lines.append(Line(event: event, step: step, status: step.status(fromStorage: isStored)))
    isOpen = step == .received || step.stores
    isStored = isStored || step.stores
  }
}
