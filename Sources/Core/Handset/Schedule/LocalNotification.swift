/// A notification that an app schedules on the handset, without a provider (rule L1).
public struct LocalNotification: Hashable, Sendable, Codable {
  public var app: AppID
  /// The app's identifier for it, 1 to `Policy.localIdentifierLimit` bytes. Another one with the same identifier
  /// replaces it, pending or presented.
  public var identifier: String
  public var trigger: Trigger
  public var content: Content

  /// The parts that it has in common with a push.
  public struct Content: Hashable, Sendable, Codable {
    /// The identifier in its events. No push has the same.
    public var id: PushID
    public var message: Message?
    public var badge: BadgeRequest
    public var sound: SoundRequest
    public var level: InterruptionLevel
    public var threadID: String?
    /// The payload that the app gets while it is in the foreground: a JSON object, like a push's (rule N2).
    public var payload: [UInt8]
    /// The same as a push's. Nil if an app scheduled it itself.
    public var tags: [String]?
    public var levelWhereNotCritical: InterruptionLevel?
    @Rare public var options: NotificationOptions? = nil

    /// The size of all its words, in bytes.
    fileprivate var size: Int {
      func size(_ text: MessageText?) -> Int {
        switch text {
        case nil: 0
        case .literal(let text)?: text.utf8.count
        case .localized(let key, let arguments)?: arguments.reduce(key.utf8.count) { $0 + $1.utf8.count }
        }
      }
      let texts = size(message?.title) + size(message?.subtitle) + size(message?.body)
      var names = threadID?.utf8.count ?? 0
      if case .localized(let key)? = message?.actionTitle { names += key.utf8.count }
      switch sound {
      case .none, .system: break
      case .named(let name): names += name.utf8.count
      case .critical(let name, _): names += name?.utf8.count ?? 0
      }
      return texts + names
    }
  }

  public enum Trigger: Hashable, Sendable, Codable {
    /// After that interval, and again after each interval if it repeats. On the uptime clock.
    case interval(Duration, repeats: Bool)
    /// At that time in the handset's time zone.
    case calendar(CalendarTime, repeats: Bool)

    private enum CodingKeys: CodingKey { case interval, calendar }
    private enum PartKeys: CodingKey { case wait, repeats }

    /// The field for repetition is beside the parts of a calendar time.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let key = values.contains(.interval) ? CodingKeys.interval : .calendar
      let parts = try values.nestedContainer(keyedBy: PartKeys.self, forKey: key)
      let repeats = try parts.decode(Bool.self, forKey: .repeats)
      self =
        switch key {
        case .interval: .interval(try parts.decode(Duration.self, forKey: .wait), repeats: repeats)
        case .calendar: .calendar(try values.decode(CalendarTime.self, forKey: .calendar), repeats: repeats)
        }
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .interval(let wait, let repeats):
        var parts = values.nestedContainer(keyedBy: PartKeys.self, forKey: .interval)
        try parts.encode(wait, forKey: .wait)
        try parts.encode(repeats, forKey: .repeats)
      case .calendar(let time, let repeats):
        let encoder = values.superEncoder(forKey: .calendar)
        try time.encode(to: encoder)
        var parts = encoder.container(keyedBy: PartKeys.self)
        try parts.encode(repeats, forKey: .repeats)
      }
    }
  }

  public init(
    app: AppID, identifier: String, push: PushID, trigger: Trigger, message: Message? = nil,
    badge: BadgeRequest = .absent, sound: SoundRequest = .none, level: InterruptionLevel = .active,
    threadID: String? = nil, payload: [UInt8] = []
  ) {
    self.app = app
    self.identifier = identifier
    self.trigger = trigger
    content = Content(
      id: push, message: message, badge: badge, sound: sound, level: level, threadID: threadID, payload: payload)
  }

  public var payload: [UInt8] { content.payload }

  /// The reason why it can never be scheduled; nil if it can.
  var problem: LocalNotificationProblem? {
    guard (1...Policy.localIdentifierLimit).contains(identifier.utf8.count) else { return .badIdentifier }
    // The payload contains the words, like a push's.
    guard max(content.size, content.payload.count) <= Policy.localNotificationBytesLimit else { return .tooLarge }
    switch content.badge {
    case .absent: if content.message == nil && content.sound == .none { return .nothingToPresent }
    case .number(let number): if number < 0 { return .badBadge }
    case .bad: return .badBadge
    }
    switch trigger {
    case .interval(let interval, let repeats):
      let least = repeats ? Policy.localRepeatMinimum : .microseconds(1)
      return interval < least || interval > Policy.localIntervalLimit ? .badInterval : nil
    case .calendar(let time, _):
      return time.isValid ? nil : .badCalendarTime
    }
  }

  /// Returns the push that the handset treats it as when it is due.
  func asPush() -> Push {
    var push = Push(
      id: content.id, token: nil, topic: app, message: content.message, badge: content.badge, sound: content.sound,
      level: content.level, collapseID: identifier, threadID: content.threadID, payload: content.payload)
    push.isLocal = true
    push.tags = content.tags
    push.levelWhereNotCritical = content.levelWhereNotCritical
    push.options = content.options
    return push
  }

  /// Returns the pending notification; nil if its time never comes.
  func pending(at now: Moment, in zone: TimeZoneTable) -> PendingNotification? {
    switch trigger {
    case .interval(let interval, _):
      return PendingNotification(request: self, due: .after(interval, at: now))
    case .calendar(let time, _):
      guard let due = time.next(after: now.wall, in: zone) else { return nil }
      return PendingNotification(request: self, due: .wall(due, from: now.wall, presented: nil))
    }
  }
}

/// The reason why a notification was not scheduled.
public enum LocalNotificationProblem: Hashable, Sendable {
  case badIdentifier
  case tooLarge
  case nothingToPresent
  case badBadge
  case badInterval
  case badCalendarTime
  case neverComes

  public var explanation: String {
    switch self {
    case .badIdentifier: "its identifier has 1 to \(Policy.localIdentifierLimit) bytes"
    case .tooLarge: "its words have \(Policy.localNotificationBytesLimit) bytes or less, and so has its payload"
    case .nothingToPresent: "it has a message, a badge or a sound, or there is nothing to present"
    case .badBadge: "its badge is 0 or more"
    case .badInterval:
      "its interval is longer than 0 s, \(Policy.localRepeatMinimum.components.seconds) s or longer where it repeats, "
        + "and \(Policy.localIntervalLimit.components.seconds / 86_400) days at most"
    case .badCalendarTime:
      "its calendar time has a year from 1970 to 9999, a month from 1 to 12, a day from 1 to 31, a weekday from 1 "
        + "(Monday) to 7, an hour from 0 to 23, and minute and second from 0 to 59"
    case .neverComes: "its calendar time never comes, or not again"
    }
  }
}
