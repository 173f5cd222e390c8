// What should be lit at any moment, as a value without threads and lines: the panel draws what this says, and a test
// can ask it for every edge.

import HandsetCore

/// What the digits show at one moment.
struct LitDigits: Hashable, Sendable {
  /// As in `SegmentText.digits`.
  var segments: [UInt8]
  /// In the driver's steps.
  var brightness: Int

  static func dark(width: Int) -> LitDigits {
    LitDigits(segments: SegmentText.dark(width: width).digits, brightness: 0)
  }

  var isDark: Bool { segments.allSatisfy { $0 == 0 } }
}

/// The light that the newest presentation asks for, as a function of time.
struct PanelPlan: Sendable {
  /// Digits of the display; 0 without one.
  let width: Int
  let hasDecimalPoints: Bool
  private let brightness: Brightness

  private(set) var lamp: Presentation.Lamp?
  /// What the motor plays, and since when on the clock of pulses: like a sound, it lasts its real time.
  private var vibration: (pattern: VibrationPattern, since: Duration)?
  private(set) var text: SegmentText
  /// Where the first lit half of a blinking text began.
  private var blinkStart: Duration = .zero
  private var isDimmed = false

  init(width: Int, hasDecimalPoints: Bool, brightness: Brightness = .fixed) {
    self.width = width
    self.hasDecimalPoints = hasDecimalPoints
    self.brightness = brightness
    self.text = .dark(width: width)
  }

  /// Replaces what was asked for before.
  mutating func show(_ presentation: Presentation, at now: Duration) {
    lamp = presentation.lamp
    isDimmed = presentation.isDimmed
    guard width > 0 else { return }
    let newText = SegmentText(badge: presentation.badge, width: width, hasDecimalPoints: hasDecimalPoints)
    // The same presentation again must not restart the blinking.
    if newText != text { blinkStart = now }
    text = newText
  }

  func lampIsLit(at now: Duration) -> Bool {
    guard let lamp else { return false }
    return lamp.pattern.isLit(after: now - lamp.since)
  }

  /// Replaces what the motor played before.
  /// - Parameter pattern: nil stops it.
  mutating func vibrate(_ pattern: VibrationPattern?, at now: Duration) {
    vibration = pattern.map { ($0, now) }
  }

  /// The motor was started late, after a display was drawn or by a thread that slept too long. What follows moves by as
  /// much, so that no pulse is shorter than its pattern says.
  mutating func motorStarted(at time: Duration, plannedAt planned: Duration) {
    guard let (pattern, since) = vibration else { return }
    vibration = (pattern, time - pattern.stepStart(at: planned - since))
  }

  func motorRuns(at now: Duration) -> Bool {
    vibration.map { $0.pattern.runs(after: now - $0.since) } ?? false
  }

  /// When the motor next starts or stops by itself; nil where it does not.
  func nextMotorChange(after now: Duration) -> Duration? {
    vibration.flatMap { vibration in
      vibration.pattern.nextChange(after: now - vibration.since).map { vibration.since + $0 }
    }
  }

  /// All dark in the dark half of a blink. What is dark has no brightness: at dusk it is not drawn anew.
  func digits(at now: Duration) -> LitDigits {
    guard text != .dark(width: width), !text.blinks || isInLitHalf(at: now) else { return .dark(width: width) }
    return LitDigits(segments: text.digits, brightness: brightness.level(isDimmed: isDimmed))
  }

  /// When the lamp next changes by itself; nil where it does not.
  func nextLampChange(after now: Duration) -> Duration? {
    guard let lamp, let change = lamp.pattern.nextChange(after: now - lamp.since) else { return nil }
    return lamp.since + change
  }

  /// When the display next changes by itself; nil where it does not.
  func nextDisplayChange(after now: Duration) -> Duration? {
    guard text.blinks else { return nil }
    let half = SegmentText.blinkPeriod / 2
    return now - phase(at: now) + (isInLitHalf(at: now) ? half : SegmentText.blinkPeriod)
  }

  private func isInLitHalf(at now: Duration) -> Bool {
    phase(at: now) < SegmentText.blinkPeriod / 2
  }

  /// How far into its cycle the blinking is.
  private func phase(at now: Duration) -> Duration {
    .nanoseconds(max((now - blinkStart).inNanoseconds, 0) % SegmentText.blinkPeriod.inNanoseconds)
  }
}
