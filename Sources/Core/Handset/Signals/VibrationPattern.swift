// The vibration for a notification with a sound (rule D3). Like a lamp's pattern it is a function of the time since it
// started, but it ends.

/// The vibration motor's pattern.
public struct VibrationPattern: Hashable, Sendable {
  /// The name in events.
  public let name: String
  /// The steps, which are played once.
  public let steps: [PatternStep]
  /// The duration of all steps.
  public let duration: Duration

  init(_ name: String, _ steps: [PatternStep]) {
    self.name = name
    self.steps = steps
    self.duration = steps.reduce(.zero) { $0 + $1.duration }
  }

  /// Returns true if the motor runs.
  /// - Parameter elapsed: since the pattern started; it has ended once that is `duration` or more.
  public func runs(after elapsed: Duration) -> Bool {
    guard elapsed >= .zero else { return false }
    var end = Duration.zero
    for step in steps {
      end += step.duration
      if elapsed < end { return step.isOn }
    }
    return false
  }

  /// Returns the time at which the step of a moment began, counted from the pattern's start.
  /// - Parameter elapsed: since the pattern started.
  public func stepStart(at elapsed: Duration) -> Duration {
    var start = Duration.zero
    for step in steps {
      if start + step.duration > elapsed { break }
      start += step.duration
    }
    return start
  }

  /// Returns the time at which the motor next starts or stops, counted from the pattern's start; nil if it has ended.
  /// - Parameter elapsed: since the pattern started; negative is before it.
  public func nextChange(after elapsed: Duration) -> Duration? {
    guard elapsed >= .zero else { return .zero }
    var end = Duration.zero
    for (place, step) in steps.enumerated() {
      end += step.duration
      let nextRuns = place + 1 < steps.count && steps[place + 1].isOn
      if elapsed < end && nextRuns != step.isOn { return end }
    }
    return nil
  }
}

extension VibrationPattern {
  public static let pulse = VibrationPattern("pulse", [.on(400)])
  public static let double = VibrationPattern("double", [.on(200), .off(150), .on(200)])
  public static let triple = VibrationPattern("triple", [.on(600), .off(200), .on(600), .off(200), .on(600)])

  /// Returns the pattern of a level; nil for passive (rule N9).
  static func standard(for level: InterruptionLevel) -> VibrationPattern? {
    switch level {
    case .passive: nil
    case .active: .pulse
    case .timeSensitive: .double
    case .critical: .triple
    }
  }
}
