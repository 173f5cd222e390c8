/// The vibration motor's pattern for a notification with a sound (rule D3). Like a lamp's pattern it is a function of
/// the time since it started, but it ends.
public struct VibrationPattern: Hashable, Sendable {
  /// The name in events.
  public let name: String
  /// The steps, which are played once.
  public let steps: [PatternStep]
  public let duration: Duration

  init(_ name: String, _ steps: [PatternStep]) {
    self.name = name
    self.steps = steps
    self.duration = steps.reduce(.zero) { $0 + $1.duration }
  }

  /// Returns true if the motor runs.
  /// - Parameter elapsed: since the pattern started; it has ended once that is `duration` or more.
  public func runs(after elapsed: Duration) -> Bool { step(at: elapsed).map { steps[$0.index].isOn } ?? false }

  /// Returns the time at which the step of a moment began, counted from the pattern's start.
  public func stepStart(at elapsed: Duration) -> Duration {
    step(at: elapsed)?.start ?? (elapsed < .zero ? .zero : duration)
  }

  /// Returns the time at which the motor next starts or stops, counted from the pattern's start; nil if it has ended.
  /// Each step differs from the one before it, and the last is on.
  /// - Parameter elapsed: since the pattern started; negative is before it.
  public func nextChange(after elapsed: Duration) -> Duration? {
    guard elapsed >= .zero else { return .zero }
    return step(at: elapsed).map { $0.start + steps[$0.index].duration }
  }

  /// Returns the step that holds the moment, and its start; nil before the first and after the last.
  private func step(at elapsed: Duration) -> (index: Int, start: Duration)? {
    guard elapsed >= .zero else { return nil }
    var start = Duration.zero
    for (index, step) in steps.enumerated() {
      if elapsed < start + step.duration { return (index, start) }
      start += step.duration
    }
    return nil
  }

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
