// What is given to an app is not forgotten until the app says that it is done: held, offered, acknowledged. What is
// offered is stored, and offered again where the daemon or the board went down meanwhile (at least once).

/// What an app says of an update that it was given (rule U8) [BG].
public enum DeliveryResult: String, Hashable, Sendable, CaseIterable, Codable {
  case newData, noData, failed
}

/// Something to give to an app. Its payload is in the store, under the app and the push.
public struct Delivery: Hashable, Sendable {
  public var app: AppID
  public var push: PushID
  /// In which the app receives it: `background` or `foreground`.
  public var state: Lifecycle
  /// 1, or 2 where it is offered again after a restart.
  public var attempt: Int

  public init(app: AppID, push: PushID, state: Lifecycle, attempt: Int) {
    self.app = app
    self.push = push
    self.state = state
    self.attempt = attempt
  }
}

/// A push that was handed to its app, which has not completed it yet.
public struct Offer: Hashable, Sendable, Codable {
  public var push: PushID
  /// Ascending in the order in which they were offered first.
  public var number: UInt64
  /// How often it was offered.
  public var attempt: Int
  /// From then on it is not offered again (rule U9).
  public var expires: WallTime
  /// On the uptime clock: until when a listening app has time. Nil where a hook has it, whose seconds are real and
  /// counted by the host, and where it waits.
  public var deadline: Duration?
  /// Whether it cost budget (rule U7).
  public var isCharged: Bool
  /// Whether it waits for its app, which listened before the daemon restarted, to connect again.
  public var waits: Bool

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

/// Where the payload of an offer comes from.
public enum OfferedPayload: Hashable, Sendable {
  case bytes([UInt8])
  /// The update held for the app, which is given up only after this.
  case held
  case unchanged
}

/// All offers of all apps.
struct Outbox: Sendable, Equatable {
  private(set) var offers: [AppID: [PushID: Offer]] = [:]
  private var deadlines = SortedSet<Due<Duration>>()
  private var expirations = SortedSet<Due<WallTime>>()

  /// Takes `old` out, where there is one, and puts `new` in, where there is one.
  mutating func replace(_ old: Offer?, with new: Offer?, of app: AppID) {
    var mine = offers.removeValue(forKey: app) ?? [:]
    unlist(mine, of: app)
    if let old { mine[old.push] = nil }
    if let new { mine[new.push] = new }
    list(mine, of: app)
    if !mine.isEmpty { offers[app] = mine }
  }

  subscript(app: AppID, push: PushID) -> Offer? { offers[app]?[push] }

  /// The app's, in the order in which they were offered.
  func all(of app: AppID) -> [Offer] { (offers[app] ?? [:]).values.sorted { $0.number < $1.number } }

  /// The app whose time for one of them is over first.
  var nextDeadline: (app: AppID, at: Duration)? { deadlines.first.map { ($0.app, $0.time) } }

  /// The app that waits longest for nothing.
  var nextToExpire: (app: AppID, at: WallTime)? { expirations.first.map { ($0.app, $0.time) } }

  // An app has a few, and stands in each order once, with the first of them.

  private mutating func unlist(_ offers: [PushID: Offer], of app: AppID) {
    if let first = Outbox.firstDeadline(offers) { deadlines.remove(Due(time: first, app: app)) }
    if let first = Outbox.firstExpiration(offers) { expirations.remove(Due(time: first, app: app)) }
  }

  private mutating func list(_ offers: [PushID: Offer], of app: AppID) {
    if let first = Outbox.firstDeadline(offers) { deadlines.insert(Due(time: first, app: app)) }
    if let first = Outbox.firstExpiration(offers) { expirations.insert(Due(time: first, app: app)) }
  }

  private static func firstDeadline(_ offers: [PushID: Offer]) -> Duration? {
    offers.values.compactMap(\.deadline).min()
  }

  private static func firstExpiration(_ offers: [PushID: Offer]) -> WallTime? {
    offers.values.filter(\.waits).map(\.expires).min()
  }
}
