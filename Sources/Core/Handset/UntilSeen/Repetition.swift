// Rule N11: an unseen notification sounds again, for a limited number of times. HandsetCore has no timers: a repetition
// is the moment from which its next interval counts.

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

/// The repetition of an unseen notification.
public struct Repetition: Hashable, Sendable, Codable {
  public var every: Duration
  /// The most times that it sounds again.
  public var times: Int
  /// The number of times that it has sounded again, heard or not.
  public var done = 0
  /// The start of its interval, in whole microseconds: it arrived or sounded then, or a snooze ended.
  public var since: Moment

  public init(every: Duration, times: Int, done: Int = 0, since: Moment) {
    self.every = every
    self.times = times
    self.done = done
    self.since = since
  }

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
