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
  /// True if the display has lamps that do what the lamp does.
  private let displayHasLamps: Bool

  private(set) var lamp: Presentation.Lamp?
  private(set) var text: SegmentText
  /// The beginning of the first lit half of a blinking text.
  private var blinkStart: Duration = .zero
  /// True at night (rule B5), and while the light sensor says that it is dark.
  private var isNight = false
  private var isDark = false
  /// True after the dim button was pressed, until night or darkness next begins or ends.
  private var isTurnedRound = false
  /// The end of the countdown that a Live Activity shows; nil if there is none (rule LA9).
  private var countdownEnd: Duration?

  init(width: Int, hasDecimalPoints: Bool, brightness: Brightness = .fixed, displayHasLamps: Bool = false) {
    self.width = width
    self.displayHasLamps = displayHasLamps
    self.hasDecimalPoints = hasDecimalPoints
    self.brightness = brightness
    self.text = .dark(width: width)
  }

  mutating func show(_ presentation: Presentation, at now: Duration) {
    lamp = presentation.lamp
    dim { $0.isNight = presentation.isDimmed }
    guard width > 0 else { return }
    countdownEnd = nil
    let newText: SegmentText
    switch presentation.activity {
    case nil: newText = SegmentText(badge: presentation.badge, width: width, hasDecimalPoints: hasDecimalPoints)
    case .text(let words): newText = SegmentText(text: words, width: width, hasDecimalPoints: hasDecimalPoints)
    case .countdown(let end):
      countdownEnd = end
      newText = countdown(at: now) ?? text
    }
    // A repeated presentation must not restart the blinking.
    if newText != text { blinkStart = now }
    text = newText
  }

  private var isDimmed: Bool { (isNight || isDark) != isTurnedRound }

  /// - Parameter isDark: what the light sensor says.
  mutating func show(isDark: Bool) { dim { $0.isDark = isDark } }

  mutating func pressDim() { isTurnedRound.toggle() }

  private mutating func dim(_ change: (inout FrontPlan) -> Void) {
    let before = isNight || isDark
    change(&self)
    if before != (isNight || isDark) { isTurnedRound = false }
  }

  /// Returns the light of the lamp: dark in the dark steps of its pattern.
  /// - Parameter steps: the lamp's brightness by day and at night.
  func light(at now: Duration, _ steps: Brightness = .fixed) -> LampLight {
    guard let lamp, lamp.pattern.isLit(after: now - lamp.since) else { return .dark }
    return LampLight(colour: lamp.pattern.light, brightness: steps.level(isDimmed: isDimmed))
  }

  /// Returns the digits: all dark in the dark half of a blink. They have no brightness then, so dusk redraws nothing.
  /// Behind them is what lights the display's lamps, if it has some.
  func digits(at now: Duration) -> LitDigits {
    var digits = onlyDigits(at: now)
    guard displayHasLamps else { return digits }
    let isLit = light(at: now) != .dark
    digits.segments.append(isLit ? 0xFF : 0)
    if isLit { digits.brightness = brightness.level(isDimmed: isDimmed) }
    return digits
  }

  private func onlyDigits(at now: Duration) -> LitDigits {
    if let left = countdown(at: now) {
      return LitDigits(segments: left.digits, brightness: brightness.level(isDimmed: isDimmed))
    }
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
    let lamps = displayHasLamps ? nextLampChange(after: now) : nil
    return [nextDigitsChange(after: now), lamps].compactMap(\.self).min()
  }

  private func nextDigitsChange(after now: Duration) -> Duration? {
    if let countdownEnd {
      let left = SegmentText.wholeSeconds(countdownEnd - now)
      return left > 0 ? countdownEnd - .seconds(left - 1) : nil
    }
    guard text.blinks else { return nil }
    let half = SegmentText.blinkPeriod / 2
    return now - phase(at: now) + (isInLitHalf(at: now) ? half : SegmentText.blinkPeriod)
  }

  /// Returns the time that is left, as text; nil without a countdown. Nothing is left at its end: it shows zero.
  private func countdown(at now: Duration) -> SegmentText? {
    countdownEnd.map { end in
      SegmentText(countdown: end - now, width: width, hasDecimalPoints: hasDecimalPoints)
    }
  }

  private func isInLitHalf(at now: Duration) -> Bool {
    phase(at: now) < SegmentText.blinkPeriod / 2
  }

  /// Returns the time since the beginning of the present blink cycle.
  private func phase(at now: Duration) -> Duration {
    .nanoseconds(max((now - blinkStart).inNanoseconds, 0) % SegmentText.blinkPeriod.inNanoseconds)
  }
}
