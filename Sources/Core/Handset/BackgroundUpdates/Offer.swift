/// An app's result for an update that it was given (rule U8) [BG].
public enum DeliveryResult: String, Hashable, Sendable, CaseIterable, Codable {
  case newData, noData, failed
}

/// A push to give to an app. The store has its payload, under the app and the push.
public struct Delivery: Hashable, Sendable {
  public var app: AppID
  public var push: PushID
  /// The state in which the app receives it: `background` or `foreground`.
  public var state: Lifecycle
  /// 1, or 2 if it is offered again after a restart.
  public var attempt: Int
  /// The occasion; nil for a background update, and for a push to an app in the foreground.
  public var occasion: OfferOccasion? = nil
}

/// The reason why an app is given a push that is neither a background update nor arrives in the foreground.
public enum OfferOccasion: Hashable, Sendable, Codable {
  private enum ResponseCodingKeys: String, CodingKey { case _0 = "content" }
  private enum TypeCodingKeys: String, CodingKey { case _0 = "name" }

  /// Its notification program gets every push (rule N16).
  case notification
  /// The person chose an action of its notification (rule N15).
  case response(NotificationResponse)
  /// It is of a type of which nothing is presented (rule T1).
  case type(PushType)

  /// The time that the app has to complete it.
  public var time: Duration {
    if case .type(let type) = self, let delivery = type.rules.delivery { delivery.time } else { Policy.completionTime }
  }
}

/// A push that its app was given and has not completed yet. It is stored until then, and offered again if the daemon or
/// the board went down meanwhile: an app gets each push at least once.
public struct Offer: Hashable, Sendable, Codable {
  public var push: PushID
  /// The number in the order of the first offers, ascending.
  public var number: UInt64
  public var attempt: Int
  /// The time from which on it is expired and not offered again (rule U9).
  public var expires: WallTime
  /// The time on the uptime clock at which a listening app's time is over. Nil for a program, whose seconds the host
  /// counts on the real clock, and for an offer that waits.
  public var deadline: Duration?
  /// True if it used the budget (rule U7).
  public var isCharged: Bool
  /// True if it waits for its app, which listened before the daemon restarted, to connect again.
  public var waits: Bool
  @Rare public var occasion: OfferOccasion? = nil

  /// The time that the app has to complete it.
  var time: Duration { occasion?.time ?? Policy.completionTime }

  public init(
    push: PushID, number: UInt64, attempt: Int, expires: WallTime, deadline: Duration?, isCharged: Bool, waits: Bool
  ) {
    self.push = push
    self.number = number
    self.attempt = attempt
    self.expires = expires
    self.deadline = deadline
    self.isCharged = isCharged
    self.waits = waits
  }
}

public enum OfferedPayload: Hashable, Sendable {
  case bytes([UInt8])
  /// The update held for the app, whose slot is emptied after this.
  case held
  /// The payload of a notification, which may be removed after this.
  case notification(NotificationID)
  case unchanged
}

/// The offers of all apps, by deadline and by expiration.
struct Outbox: Sendable, Equatable {
  private(set) var offers: [AppID: [PushID: Offer]] = [:]
  // An app has few offers. Each order contains the app once, by its first offer.
  private(set) var deadlines = SortedSet<Due<Duration, AppID>>()
  /// The expirations of offers that wait.
  private(set) var expirations = SortedSet<Due<WallTime, AppID>>()

  mutating func replace(_ old: Offer?, with new: Offer?, of app: AppID) {
    var mine = offers.removeValue(forKey: app) ?? [:]
    let (deadline, expiration) = (Outbox.firstDeadline(mine), Outbox.firstExpiration(mine))
    if let old { mine[old.push] = nil }
    if let new { mine[new.push] = new }
    deadlines.move(app, from: deadline, to: Outbox.firstDeadline(mine))
    expirations.move(app, from: expiration, to: Outbox.firstExpiration(mine))
    if !mine.isEmpty { offers[app] = mine }
  }

  subscript(app: AppID, push: PushID) -> Offer? { offers[app]?[push] }

  /// Returns the app's offers, oldest first.
  func all(of app: AppID) -> [Offer] { (offers[app] ?? [:]).values.sorted { $0.number < $1.number } }

  private static func firstDeadline(_ offers: [PushID: Offer]) -> Duration? {
    offers.values.compactMap(\.deadline).min()
  }

  private static func firstExpiration(_ offers: [PushID: Offer]) -> WallTime? {
    offers.values.filter(\.waits).map(\.expires).min()
  }
}
