/// A push's own wish to sound again, which is outside `aps` (rule N11).
public struct RepeatRequest: Hashable, Sendable, Codable {
  /// The interval, within `Policy.repeatIntervals`; nil for the app's setting.
  public var every: Duration?
  /// The number of times, within `Policy.repeatTimes`; nil for the app's setting.
  public var times: Int?

  public init(every: Duration? = nil, times: Int? = nil) {
    self.every = every
    self.times = times
  }
}

/// The notifications of an app that sound again (rule N11).
public enum RepeatMode: String, Hashable, Sendable, CaseIterable {
  case off
  /// The ones whose push asks for it.
  case asked
  /// The ones whose push asks for it, and time-sensitive and critical ones.
  case urgent
  case all
}

/// The repetition of an unseen notification, which sounds again for a limited number of times (rule N11). HandsetCore
/// has no timers: it is the moment from which the next interval counts.
public struct Repetition: Hashable, Sendable, Codable {
  public var every: Duration
  /// The most times that it sounds again.
  public var times: Int
  /// The number of times that it has sounded again, heard or not.
  public var done = 0
  /// The start of its interval, in whole microseconds: it arrived or sounded then, or a snooze ended.
  public var since: Moment

  /// The time on the uptime clock at which it sounds next.
  public var due: Duration { since.uptime + every }

  /// True if its numbers are within their ranges: an interval of zero would never let the handset rest.
  public var isValid: Bool {
    Policy.repeatIntervals.contains(every) && Policy.repeatTimes.contains(times) && (0..<times).contains(done)
  }

  /// Begins the next interval after a start if the last one is over (rule D4).
  func afterStart(_ start: Start, at now: Moment) -> Repetition {
    var next = self
    next.since = since.afterStart(start, at: now)
    if next.due <= now.uptime { next.since = now.inWholeMicroseconds }
    return next
  }
}

/// A value that is rarely set. It is on the heap, so that the others only need room for a reference.
@propertyWrapper
public indirect enum Rare<Value: Codable & Hashable & Sendable>: Hashable, Sendable, OmittedWhenUsual {
  case none
  case some(Value)

  static var usual: Rare { .none }

  public init(wrappedValue: Value?) { self = wrappedValue.map { .some($0) } ?? .none }

  public var wrappedValue: Value? {
    get { if case .some(let value) = self { value } else { nil } }
    set { self = Rare(wrappedValue: newValue) }
  }

  public init(from decoder: any Decoder) throws { self = .some(try Value(from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try wrappedValue?.encode(to: encoder) }
}

extension Handset {
  /// The next repetition on the uptime clock; nil while nothing repeats. The gap between two is `Policy.repeatGap`.
  var repeatsAt: Duration? {
    guard let first = center.repeats.first else { return nil }
    return max(first.time, soundedAgain.map { $0 + Policy.repeatGap } ?? first.time)
  }

  /// Returns the repetition of the push's notification, which has a sound and is listed; nil for none.
  func repetition(of push: Push, as level: InterruptionLevel, for app: App, _ turn: inout Turn) -> Repetition? {
    guard level != .passive else { return nil }
    let isWanted =
      switch app.state.settings.repeats {
      case .off: false
      case .asked: push.repetition != nil
      case .urgent: push.repetition != nil || level >= .timeSensitive
      case .all: true
      }
    guard isWanted else {
      if push.repetition != nil { turn.rule(.repeatOff, on: push.id) }
      return nil
    }
    turn.rule(.repeats, on: push.id)
    let every = push.repetition?.every.flatMap { Policy.repeatIntervals.contains($0) ? $0 : nil }
    let times = push.repetition?.times.flatMap { Policy.repeatTimes.contains($0) ? $0 : nil }
    return Repetition(
      every: every ?? app.state.settings.repeatEvery, times: times ?? app.state.settings.repeatTimes,
      since: turn.now.inWholeMicroseconds)
  }

  /// Stops one repetition if there are too many: the least urgent, the oldest of those.
  /// - Parameter id: the notification that has just arrived.
  mutating func keepRepetitionsWithinLimits(of app: AppID, sparing id: NotificationID, _ turn: inout Turn) {
    let others = center.repeating.filter { $0.id != id }
    let own = others.filter { $0.app == app }
    let isOver = own.count >= Policy.repeatLimitPerApp
    guard isOver || others.count >= Policy.repeatLimit,
      let least = (isOver ? own : others).min(by: { ($0.level, $0.id) < ($1.level, $1.id) })
    else { return }
    endRepetition(of: least, .repeatLimit, &turn)
  }

  /// Sounds again by time alone (rules N11, N12).
  mutating func soundAgain(_ turn: inout Turn) {
    expireSnoozes(&turn)
    repeatSounds(&turn)
  }

  /// Sounds one of all that are due: the newest of the most urgent that may sound. All of them count as sounded then.
  private mutating func repeatSounds(_ turn: inout Turn) {
    guard let repeatsAt, repeatsAt <= turn.now.uptime else { return }
    var due: [Notification] = []
    for notification in center.repeating where (notification.repetition?.due ?? .zero) <= turn.now.uptime {
      if let end = endOfSnooze(of: notification, at: turn.now) {
        restartRepetition(of: notification, from: end, &turn)
      } else {
        due.append(notification)
      }
    }
    let urgentFirst = due.sorted { ($0.level, $0.id) > ($1.level, $1.id) }
    guard let (loudest, ring) = ringOnce(for: urgentFirst, &turn) else { return }
    commit(.soundedAgain(before: soundedAgain, after: turn.now.inWholeMicroseconds.uptime), &turn)
    for before in due {
      var after = before
      after.repetition?.done &+= 1
      after.repetition?.since = turn.now.inWholeMicroseconds
      commit(.changed(before, to: after), &turn)
    }
    let repetition = loudest.repetition
    let repeated = Event.Repeated(
      rung: ring, time: repetition.map { $0.done &+ 1 }, times: repetition?.times, others: due.count - 1)
    emit(.repeated(repeated), app: loudest.app, push: loudest.push, &turn)
    for notification in due.compactMap({ center.notifications[$0.id] }) {
      guard let repetition = notification.repetition, repetition.done >= repetition.times else { continue }
      endRepetition(of: notification, .times, &turn)
    }
  }

  /// Plays and vibrates once for all of them.
  /// - Parameter notifications: the first that may sound is chosen, and the first of all if none may.
  mutating func ringOnce(for notifications: [Notification], _ turn: inout Turn) -> (Notification, Rung)? {
    let candidates = notifications.compactMap { notification in
      apps[notification.app].map { (notification: notification, app: $0) }
    }
    // Rulings are about arrivals, and this may be a push that has arrived in this turn.
    let rulings = turn.rulings
    defer { turn.rulings = rulings }
    let audible = candidates.first { reasonForSilence(of: $0.notification.ring, from: $0.app, &turn) == nil }
    guard let chosen = audible ?? candidates.first else { return nil }
    return (chosen.notification, ring(chosen.notification.ring, of: chosen.app, &turn))
  }

  mutating func restartRepetition(of notification: Notification, from moment: Moment, _ turn: inout Turn) {
    var after = notification
    after.repetition?.since = moment.inWholeMicroseconds
    if after != notification { commit(.changed(notification, to: after), &turn) }
  }

  private mutating func endRepetition(of notification: Notification, _ reason: Event.Ended, _ turn: inout Turn) {
    var after = notification
    after.repetition = nil
    commit(.changed(notification, to: after), &turn)
    emit(.repeatEnded(reason), app: notification.app, push: notification.push, &turn)
  }

  /// Ends the repetitions of an app, or of all if it is nil.
  /// - Parameter sparingLocal: true if those of local notifications go on.
  mutating func endRepetitions(
    of app: AppID? = nil, sparingLocal: Bool = false, _ reason: Event.Ended, _ turn: inout Turn
  ) {
    for notification in center.repeating.sorted(by: { $0.id < $1.id }) where app == nil || notification.app == app {
      if sparingLocal && notification.isLocal { continue }
      endRepetition(of: notification, reason, &turn)
    }
  }

  /// Continues the repetitions after a start, which makes no sound itself (rule D4).
  mutating func carryRepetitionsOver(_ start: Start, _ turn: inout Turn) {
    for before in center.repeating.sorted(by: { $0.id < $1.id }) {
      guard let after = before.repetition?.afterStart(start, at: turn.now) else { continue }
      restartRepetition(of: before, from: after.since, &turn)
    }
  }
}
