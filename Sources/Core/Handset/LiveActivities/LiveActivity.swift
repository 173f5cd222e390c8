/// A request to start, update or end a Live Activity: the parts of `aps` that only those have [APNs].
public struct ActivityUpdate: Hashable, Sendable, Codable {
  public enum Event: String, Hashable, Sendable, CaseIterable, Codable {
    case start, update, end
  }

  public var event: Event
  /// In whole seconds. An update that is older than the newest one changes nothing (rule LA3).
  public var timestamp: WallTime
  /// The new state as a JSON object in UTF-8, at most `Policy.activityContentLimit` bytes.
  public var content: String
  public var attributesType: String?
  /// The attributes of a start as a JSON object, within the same limit.
  public var attributes: String?
  public var staleDate: WallTime?
  public var dismissalDate: WallTime?
  /// Any number; the highest is on top. Nil is below all.
  public var relevance: Double?
  /// The channel that a start subscribes the activity to; without one it gets a token.
  public var channel: ChannelID?

  public init(_ event: Event, timestamp: WallTime, content: String) {
    (self.event, self.timestamp, self.content) = (event, timestamp, content)
  }
}

/// A Live Activity: a state of an app that is shown while it lasts, not a message (rules LA1 to LA8).
public struct LiveActivity: Hashable, Sendable, Codable {
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
    case active
    /// Its stale date has passed; the next update makes it active again.
    case stale
    /// It has its final state, and is shown until it is dismissed.
    case ended
    /// It is not shown any more, and forgotten.
    case dismissed
  }

  public var id: ActivityID
  public var app: AppID
  /// The push that changed it last; nil if the app did.
  public var push: PushID?
  public var attributesType: String?
  public var attributes: String?
  public var state = State.active
  /// In whole microseconds, as the others.
  public var started: Moment
  public var updated: WallTime
  public var ended: Moment?
  public var timestamp: WallTime
  public var content: String
  public var staleDate: WallTime?
  public var dismissalDate: WallTime?
  public var relevance: Double?
  public var channel: ChannelID?
  /// The last alert's words, for lists.
  @Rare public var message: Message? = nil
  /// The beginning of the hour whose updates of priority 10 are counted (rule LA6), and their number.
  public var budgetStart: Moment?
  public var budgetUsed = 0
  /// The newest update that waits for the budget (rule LA6).
  @Rare public var waiting: Push? = nil

  init(_ id: ActivityID, of app: AppID, by update: ActivityUpdate, push: Push?, at now: Moment) {
    let now = now.inWholeMicroseconds
    (self.id, self.app, started, updated, channel) = (id, app, now, now.wall, update.channel)
    (attributesType, attributes) = (update.attributesType, update.attributes)
    (timestamp, content) = (update.timestamp, update.content)
    apply(update, push, at: now)
  }

  mutating func apply(_ update: ActivityUpdate, _ push: Push?, at now: Moment) {
    let now = now.inWholeMicroseconds
    (timestamp, content, staleDate) = (update.timestamp, update.content, update.staleDate)
    (relevance, updated, self.push, state) = (update.relevance, now.wall, push?.id, .active)
    if let words = push?.message { message = words }
    if update.event == .end { end(dismissal: update.dismissalDate, at: now) }
  }

  mutating func end(dismissal: WallTime?, at now: Moment) {
    (state, ended, dismissalDate, waiting) = (.ended, now.inWholeMicroseconds, dismissal, nil)
  }

  /// Counts an update of priority 10.
  /// - Returns: false if the hour's budget is spent.
  mutating func spend(of limit: Int, at now: Moment) -> Bool {
    if let freeAt, now.uptime < freeAt {
      guard budgetUsed < limit else { return false }
    } else {
      (budgetStart, budgetUsed) = (now.inWholeMicroseconds, 0)
    }
    budgetUsed += 1
    return true
  }

  /// The time on the uptime clock at which the budget is full again; nil if nothing of it is used.
  var freeAt: Duration? { budgetStart.map { $0.uptime + Policy.activityBudgetWindow } }

  /// The time on the uptime clock at which it ends or is dismissed by itself.
  var limit: Duration {
    ended.map { $0.uptime + Policy.activityAfterEnd } ?? started.uptime + Policy.activityLifetime
  }

  /// The next time on the wall clock at which it changes by itself.
  var date: WallTime? {
    switch state {
    case .active: staleDate
    case .ended: dismissalDate
    case .stale, .dismissed: nil
    }
  }

  func afterStart(_ start: Start, at now: Moment) -> LiveActivity {
    var after = self
    after.started = started.afterStart(start, at: now)
    after.ended = ended?.afterStart(start, at: now)
    after.budgetStart = budgetStart?.afterStart(start, at: now)
    return after
  }
}

/// The part of an app's manifest for its Live Activities.
public struct LiveActivityManifest: Hashable, Sendable, Codable {
  /// The path in the content state of the number or short text for the digits, as in `teams.home`.
  public var display: String?
  /// The path of the time that the digits count down to, in seconds since 1970, or of a number of seconds.
  public var countdown: String?
  /// The lamp's pattern while an activity of the app is on top.
  public var lamp: LampPattern?

  public init(display: String? = nil, countdown: String? = nil, lamp: LampPattern? = nil) {
    (self.display, self.countdown, self.lamp) = (display, countdown, lamp)
  }
}

/// A change of a Live Activity, as its events name it.
public enum ActivityChange: Hashable, Sendable, CaseIterable {
  case started, updated, stale, ended, timeLimit, dismissalTime, byPerson, notAllowed, unregistered, uninstalled

  public var state: LiveActivity.State {
    switch self {
    case .started, .updated: .active
    case .stale: .stale
    case .ended, .timeLimit: .ended
    case .dismissalTime, .byPerson, .notAllowed, .unregistered, .uninstalled: .dismissed
    }
  }

  public var reason: Why {
    switch self {
    case .started: Why("started", "LA1", "it started")
    case .updated: Why("updated", "LA3", "it has another state")
    case .stale: Why("stale", "LA4", "its stale date has passed")
    case .ended: Why("ended", "LA5", "it was ended")
    case .timeLimit: Why("time-limit", "LA5", "it was active for \(intervalText(Policy.activityLifetime))")
    case .dismissalTime: Why("dismissal-time", "LA5", "the time to dismiss it has come")
    case .byPerson: Why("by-person", "LA5", "the person dismissed it")
    case .notAllowed: Why("not-allowed", "S1", "Live Activities are off for this app")
    case .unregistered: Event.Discarded.unregistered.reason
    case .uninstalled: Event.Discarded.uninstalled.reason
    }
  }
}
