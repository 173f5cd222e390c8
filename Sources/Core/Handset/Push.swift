/// The type of a push [APNs, `apns-push-type`]; `rules` says what each is for.
public enum PushType: String, Sendable, CaseIterable, Codable {
  case alert, background, location, voip, complication, fileprovider, mdm, liveactivity, pushtotalk, widgets, controls
}

/// The urgency with which a message asks for attention [APNs, `interruption-level`], from least to most.
public enum InterruptionLevel: String, Sendable, Comparable, CaseIterable, Codable {
  case passive
  case active
  case timeSensitive = "time-sensitive"
  case critical

  public static func < (left: InterruptionLevel, right: InterruptionLevel) -> Bool { left.rank < right.rank }

  /// 0 for passive to 3 for critical.
  var rank: Int {
    switch self {
    case .passive: 0
    case .active: 1
    case .timeSensitive: 2
    case .critical: 3
    }
  }
}

/// The time for which a push may be kept for delivery [APNs, `apns-expiration`].
public enum Expiration: Hashable, Sendable, SingleValueCodable {
  /// Tried once, never kept.
  case once
  case at(WallTime)

  public var coded: WallTime? { if case .at(let time) = self { time } else { nil } }
  public init(coded time: WallTime?) { self = time.map { .at($0) } ?? .once }
}

/// A literal text, or a key in the app's strings.
public enum MessageText: Hashable, Sendable, Codable {
  private enum LiteralCodingKeys: String, CodingKey { case _0 = "text" }

  case literal(String)
  /// `key` in the app's strings, whose `%@` and `%1$@` are replaced by `arguments` [APNs, `loc-key`, `loc-args`].
  case localized(key: String, arguments: [String])
}

/// The title of an alert's action button [APNs, `action-loc-key`; 2008, `UIAlertShowOpenButton`].
public enum ActionTitle: Hashable, Sendable, Codable {
  /// The app's own title from its manifest, else View.
  case standard
  case localized(key: String)
  /// No action button: the alert has the single button OK.
  case none
}

/// The words of a notification.
public struct Message: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case title, subtitle, body
    case actionTitle = "action"
  }

  public var title: MessageText?
  public var subtitle: MessageText?
  public var body: MessageText?
  public var actionTitle: ActionTitle

  public init(
    title: MessageText? = nil, subtitle: MessageText? = nil, body: MessageText? = nil,
    actionTitle: ActionTitle = .standard
  ) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.actionTitle = actionTitle
  }
}

/// The number that a push asks to show on the app's icon (rules B1, B2, B4).
public enum BadgeRequest: Hashable, Sendable, Codable {
  private enum NumberCodingKeys: String, CodingKey { case _0 = "value" }
  private enum BadCodingKeys: String, CodingKey { case _0 = "quote" }

  case absent
  case number(Int)
  /// Not a non-negative integer. The text quotes it.
  case bad(String)
}

/// The sound that a push asks for (rule A1).
public enum SoundRequest: Hashable, Sendable, Codable {
  // Indirect if there is a name: each stored notification has a sound, most the default one or none.
  private enum NamedCodingKeys: String, CodingKey { case _0 = "name" }

  case none
  case system
  indirect case named(String)
  /// A critical sound with its own volume, 0 to 1 (rule N9). A nil name is the default sound.
  indirect case critical(name: String?, volume: Double)
}

/// A part of a payload that is ignored because it violates the protocol; the rest is used.
public struct PayloadFault: Hashable, Sendable, Codable {
  /// `aps.alert.title`.
  public var path: String
  /// `expected a string, got a number`.
  public var problem: String

  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }
}

/// A push, independent of the protocol: every front end decodes its requests to this type.
public struct Push: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id, hasProviderID, isLocal, token, topic, type, message, badge, sound, contentAvailable, level, collapseID
    case expiration = "expires"
    case priority, threadID, payload, faults, provider, tags, levelWhereNotCritical
    case repetition = "repeat"
    case options, activity, mutableContent, uniqueID, isGrouped
  }

  public var id: PushID
  /// True if the provider chose `id`. Only then can the same push come again (rule P1).
  @WrittenWhereTrue public var hasProviderID = false
  /// True if it is a local notification that is due: it shows all kinds, whatever its app registered for (rule L4).
  @WrittenWhereTrue public var isLocal = false
  /// The device token that it was sent to. Nil if it came with an access key, which opens one app on one handset,
  /// through a publishing node, or as a local notification that is due.
  public var token: DeviceToken?
  /// The app that it is for, which must be the token's own if it was sent to a token.
  public var topic: AppID
  public var type: PushType
  public var message: Message?
  public var badge: BadgeRequest
  public var sound: SoundRequest
  /// True if the app has something new to fetch; of a push for widgets or controls, if their content changed.
  public var contentAvailable: Bool
  public var level: InterruptionLevel
  public var collapseID: String?
  public var expiration: Expiration
  /// 10, 5 or 1 [APNs, `apns-priority`].
  public var priority: Int
  /// Notifications with the same identifier are shown as a group [APNs, `thread-id`].
  public var threadID: String?
  /// The payload's bytes, unchanged; the app gets them.
  public var payload: [UInt8]
  public var faults: [PayloadFault]
  /// The name of the provider that sent it; nil for a local notification.
  public var provider: String?
  /// The push's words. The first one that names a sound of the app replaces the default sound (rule A1).
  public var tags: [String]?
  /// The level if it is critical and the person does not allow the app that (rule N9); nil keeps it critical, without
  /// the privileges of critical ones.
  public var levelWhereNotCritical: InterruptionLevel?
  /// True if its notification is to sound again until it is seen (rule N11).
  @Rare public var repetition: RepeatRequest? = nil
  /// Its category, or actions of its own (rule N15).
  @Rare public var options: NotificationOptions? = nil
  /// Its request for a Live Activity (rule LA1).
  @Rare public var activity: ActivityUpdate? = nil
  /// True if the app's service extension may change it before it is presented (rule X1) [APNs, `mutable-content`].
  @WrittenWhereTrue public var mutableContent = false
  /// The identifier under which the development service's answer names it [APNs, `apns-unique-id`].
  @Rare public var uniqueID: PushID? = nil
  /// True if another one alerts in its place: of a group of deferred pushes that service extensions have (rule Q1), or
  /// of a broadcast's copies for several Live Activities (rule LA8).
  @WrittenWhereTrue public var isGrouped = false
}

extension Push {
  /// Not part of the type itself, because an initializer that sets the properties of a large type one by one makes a
  /// copy of it at its end.
  public init(
    id: PushID, token: DeviceToken?, topic: AppID, type: PushType = .alert, message: Message? = nil,
    badge: BadgeRequest = .absent, sound: SoundRequest = .none, contentAvailable: Bool = false,
    level: InterruptionLevel = .active, collapseID: String? = nil, expiration: Expiration = .once,
    priority: Int = 10, threadID: String? = nil, payload: [UInt8] = [], faults: [PayloadFault] = []
  ) {
    self.init(
      id: id, hasProviderID: false, token: token, topic: topic, type: type, message: message, badge: badge,
      sound: sound, contentAvailable: contentAvailable, level: level, collapseID: collapseID, expiration: expiration,
      priority: priority, threadID: threadID, payload: payload, faults: faults)
  }
}

/// A push that a front end refused. The handset only records it as an event.
public struct RefusedPush: Hashable, Sendable, Codable {
  /// Nil if the request had no valid one.
  public var id: PushID?
  public var topic: AppID?
  public var status: Int
  /// The protocol's reason: `PayloadTooLarge`.
  public var reason: String
  /// The details, for a person to read; no secrets, no tokens.
  public var detail: String
  /// The client's IP address; nil if it has none.
  public var source: String?
  /// The name of the provider that sent it; nil if none has authenticated.
  public var provider: String?

  public init(
    id: PushID?, topic: AppID?, status: Int, reason: String, detail: String, source: String? = nil,
    provider: String? = nil
  ) {
    self.id = id
    self.topic = topic
    self.status = status
    self.reason = reason
    self.detail = detail
    self.source = source
    self.provider = provider
  }
}
