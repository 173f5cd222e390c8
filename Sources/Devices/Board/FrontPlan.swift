import HandsetCore

/// The digits at one moment.
struct LitDigits: Hashable, Sendable {
  /// The segments, as in `SegmentText.digits`.
  var segments: [UInt8]
  /// The brightness in the driver's steps.
  var brightness: Int

  static func dark(width: Int) -> LitDigits {
    LitDigits(segments: SegmentText.dark(width: width).digits, brightness: 0)
  }

  var isDark: Bool { segments.allSatisfy { $0 == 0 } }
}

/// The light of the newest presentation, as a function of time: the front draws it, and a test can read every edge.
struct FrontPlan: Sendable {
  /// The digits of the display; 0 without one.
  let width: Int
  let hasDecimalPoints: Bool
  private let brightness: Brightness

  private(set) var lamp: Presentation.Lamp?
  /// The pattern of the motor and its start on the clock of pulses: like a sound, it lasts its real time.
  private var vibration: (pattern: VibrationPattern, since: Duration)?
  private(set) var text: SegmentText
  /// The beginning of the first lit half of a blinking text.
  private var blinkStart: Duration = .zero
  private var isDimmed = false

  init(width: Int, hasDecimalPoints: Bool, brightness: Brightness = .fixed) {
    self.width = width
    self.hasDecimalPoints = hasDecimalPoints
    self.brightness = brightness
    self.text = .dark(width: width)
  }

  mutating func show(_ presentation: Presentation, at now: Duration) {
    lamp = presentation.lamp
    isDimmed = presentation.isDimmed
    guard width > 0 else { return }
    let newText = SegmentText(badge: presentation.badge, width: width, hasDecimalPoints: hasDecimalPoints)
    // A repeated presentation must not restart the blinking.
    if newText != text { blinkStart = now }
    text = newText
  }

  func lampIsLit(at now: Duration) -> Bool {
    lamp.map { $0.pattern.isLit(after: now - $0.since) } ?? false
  }

  /// Replaces the motor's previous pattern.
  /// - Parameter pattern: nil stops it.
  mutating func vibrate(_ pattern: VibrationPattern?, at now: Duration) {
    vibration = pattern.map { ($0, now) }
  }

  /// Moves the rest of the pattern after a late start of the motor, caused by the drawing of a display or a thread that
  /// slept too long, so that no pulse is shorter than in its pattern.
  mutating func motorStarted(at time: Duration, plannedAt planned: Duration) {
    guard let (pattern, since) = vibration else { return }
    vibration = (pattern, time - pattern.stepStart(at: planned - since))
  }

  func motorRuns(at now: Duration) -> Bool {
    vibration.map { $0.pattern.runs(after: now - $0.since) } ?? false
  }

  /// Returns the time at which the motor next starts or stops by itself; nil if it does not.
  func nextMotorChange(after now: Duration) -> Duration? {
    vibration.flatMap { vibration in
      vibration.pattern.nextChange(after: now - vibration.since).map { vibration.since + $0 }
    }
  }

  /// Returns the digits: all dark in the dark half of a blink. They have no brightness then, so dusk redraws nothing.
  func digits(at now: Duration) -> LitDigits {
    guard text != .dark(width: width), !text.blinks || isInLitHalf(at: now) else { return .dark(width: width) }
    return LitDigits(segments: text.digits, brightness: brightness.level(isDimmed: isDimmed))
  }

  /// Returns the time at which the lamp next changes by itself; nil if it does not.
  func nextLampChange(after now: Duration) -> Duration? {
    guard let lamp, let change = lamp.pattern.nextChange(after: now - lamp.since) else { return nil }
    return lamp.since + change
  }

  /// Returns the time at which the display next changes by itself; nil if it does not.
  func nextDisplayChange(after now: Duration) -> Duration? {
    guard text.blinks else { return nil }
    let half = SegmentText.blinkPeriod / 2
    return now - phase(at: now) + (isInLitHalf(at: now) ? half : SegmentText.blinkPeriod)
  }

  private func isInLitHalf(at now: Duration) -> Bool {
    phase(at: now) < SegmentText.blinkPeriod / 2
  }

  /// Returns the time since the beginning of the present blink cycle.
  private func phase(at now: Duration) -> Duration {
    .nanoseconds(max((now - blinkStart).inNanoseconds, 0) % SegmentText.blinkPeriod.inNanoseconds)
  }
}
