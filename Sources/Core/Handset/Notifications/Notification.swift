/// The number of a notification on one handset, ascending in the order of Notification Center.
public struct NotificationID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let number: UInt64

  public init(number: UInt64) {
    self.number = number
  }

  public static func < (left: NotificationID, right: NotificationID) -> Bool { left.number < right.number }

  public var description: String { String(number) }

  public var coded: UInt64 { number }
  public init(coded number: UInt64) { self.init(number: number) }
}

/// The values of a notification that the rules need, in memory. Its words and payload are in the database.
public struct Notification: Hashable, Comparable, Sendable, Codable {
  fileprivate enum CodingKeys: String, CodingKey {
    case id = "number"
    case app, push, level, collapseID, isListed, isSeen, alertOrder, hasAction, size, sound, repetition, options
  }

  public var id: NotificationID
  public var app: AppID
  /// The latest push: pushes with the same collapse identifier share one notification (rule N8).
  public var push: PushID
  public var level: InterruptionLevel
  public var collapseID: String?
  public var isListed: Bool
  /// One that is not listed counts as seen.
  public var isSeen: Bool
  /// Its place in the queue of alerts, ascending in order of arrival; nil if it is not an alert.
  public var alertOrder: UInt64?
  /// True if its alert has an action button (rule N4).
  public var hasAction: Bool
  /// The approximate size of its words and payload, in bytes.
  public var size: Int
  /// The sound that it may make; none if its app may not make sounds.
  public var sound = SoundRequest.none
  /// Its repetition (rule N11); nil if it does not sound again, or no longer.
  @Rare public var repetition: Repetition? = nil
  /// Its category, or actions of its own (rule N15); nil if it has none.
  @Rare public var options: NotificationOptions? = nil

  /// The sizes that can be read: all notifications together have no more, so their sum never overflows.
  public static let sizes = 0...Policy.centerSizeLimit

  public init(
    id: NotificationID, app: AppID, push: PushID, level: InterruptionLevel, collapseID: String?, isListed: Bool,
    isSeen: Bool, alertOrder: UInt64?, hasAction: Bool, size: Int = 0
  ) {
    self.id = id
    self.app = app
    self.push = push
    self.level = level
    self.collapseID = collapseID
    self.isListed = isListed
    self.isSeen = isSeen
    self.alertOrder = alertOrder
    self.hasAction = hasAction
    self.size = size
  }

  /// In the order of Notification Center.
  public static func < (left: Notification, right: Notification) -> Bool { left.id < right.id }

  /// True if it is listed and not yet seen: it lights the lamp (rule D1).
  public var isUnseen: Bool { isListed && !isSeen }

  /// True if it is a local notification, which needs no registration (rule L4).
  public var isLocal: Bool { options?.isLocal ?? false }

  /// Marks it as seen by the person, or as no longer listed: it does not sound again.
  mutating func markAsSeen() {
    isSeen = true
    repetition = nil
  }
}

extension KeyedDecodingContainer<Notification.CodingKeys> {
  /// Decodes the size; 0 if it is absent.
  fileprivate func decode(_: Int.Type, forKey key: Key) throws -> Int {
    let size = try decodeIfPresent(Int.self, forKey: key) ?? 0
    guard Notification.sizes.contains(size) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "it is no size of a notification")
    }
    return size
  }
}

/// The words of a notification, localised, and its payload.
public struct NotificationContent: Hashable, Sendable {
  /// The time at which its push was accepted.
  public var arrived: WallTime
  public var appName: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// The title of the action button; nil if OK is the only button.
  public var actionTitle: String?
  public var threadID: String?
  public var payload: [UInt8]

  public init(
    arrived: WallTime, appName: String, title: String?, subtitle: String?, body: String?, actionTitle: String?,
    threadID: String?, payload: [UInt8]
  ) {
    self.arrived = arrived
    self.appName = appName
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.actionTitle = actionTitle
    self.threadID = threadID
    self.payload = payload
  }

  /// The size of a notification without words in the database, in bytes, in all tables.
  public static let overhead = 512

  /// Approximate, in bytes.
  var size: Int {
    func bytes(_ text: String?) -> Int { text?.utf8.count ?? 0 }
    return NotificationContent.overhead + payload.count + bytes(appName) + bytes(title) + bytes(subtitle) + bytes(body)
      + bytes(actionTitle) + bytes(threadID)
  }

  /// Returns the buttons of its alert, left to right [HIG14]. On a locked handset the action is "slide to …" (rule N5).
  public func buttons(isLocked: Bool) -> [String] {
    guard let actionTitle else { return ["OK"] }
    return ["Close", isLocked ? "slide to \(actionTitle.lowercased())" : actionTitle]
  }

  /// A place where a message is shown. A message that is too long for it is cut with an ellipsis (rule N6).
  public enum Place: Hashable, Sendable, CaseIterable {
    case banner, alert, center

    /// The limit of a title, a subtitle and a body there, in characters as a reader counts them; nil for an alert,
    /// whose text scrolls.
    public var characters: Int? {
      switch self {
      case .banner: Policy.bannerCharacters
      case .alert: nil
      case .center: Policy.centerCharacters
      }
    }
  }

  /// The content without the parts that only the person may read: "Notification" stands for the message (rule N18).
  public var withoutPreview: NotificationContent {
    var hidden = self
    (hidden.title, hidden.subtitle, hidden.body) = (nil, nil, "Notification")
    return hidden
  }

  /// Returns the words, cut for that place. The payload is not cut.
  public func shortened(for place: Place) -> NotificationContent {
    guard let limit = place.characters else { return self }
    var shortened = self
    shortened.title = title.map { NotificationContent.truncate($0, to: limit) }
    shortened.subtitle = subtitle.map { NotificationContent.truncate($0, to: limit) }
    shortened.body = body.map { NotificationContent.truncate($0, to: limit) }
    return shortened
  }

  /// Returns the body, cut to `limit` characters as a reader counts them, the last of them an ellipsis if it was cut.
  /// - Parameter limit: 1 or more.
  public static func truncate(_ text: String, to limit: Int) -> String {
    guard let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex), end != text.endIndex else {
      return text
    }
    var kept = text[..<text.index(before: end)]
    while let last = kept.last, last.isWhitespace { kept.removeLast() }
    return kept + "…"
  }
}
