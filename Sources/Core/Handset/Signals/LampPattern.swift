public struct PatternStep: Hashable, Sendable {
  /// True if the lamp is lit or the motor runs.
  public var isOn: Bool
  /// The length of the step, longer than zero.
  public var duration: Duration

  static func on(_ milliseconds: Int) -> Self { .init(isOn: true, duration: .milliseconds(milliseconds)) }
  static func off(_ milliseconds: Int) -> Self { .init(isOn: false, duration: .milliseconds(milliseconds)) }
}

/// The colour of a lamp that has several (rule D1).
public enum LampColour: String, Hashable, Sendable, CaseIterable {
  case red, orange, yellow, green, cyan, blue, purple, white

  /// The words for an error or a question.
  public static var choices: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The pattern of a lit lamp (rule D1), a function of the time since it started: a restarted driver, a second lamp and
/// a test get the same light for the same moment.
public struct LampPattern: Hashable, Sendable, SingleValueCodable {
  /// The name in manifests and settings: `blink`, or with a colour `blink-red`.
  public private(set) var name: String
  /// The colour that was chosen with the pattern; nil for the standard one.
  public private(set) var colour: LampColour?
  /// The steps, which are repeated endlessly. A single step never changes.
  public let steps: [PatternStep]
  public let period: Duration

  init(_ name: String, _ steps: [PatternStep]) {
    self.name = name
    self.steps = steps
    self.period = steps.reduce(.zero) { $0 + $1.duration }
  }

  /// Returns true if the lamp is lit.
  /// - Parameter elapsed: since the pattern started; negative counts as zero.
  public func isLit(after elapsed: Duration) -> Bool {
    steps[position(after: elapsed).index].isOn
  }

  /// Returns the time at which the light next changes, counted from the pattern's start; nil if it never does.
  /// - Parameter elapsed: since the pattern started; negative counts as zero.
  public func nextChange(after elapsed: Duration) -> Duration? {
    guard steps.contains(where: { $0.isOn != steps[0].isOn }) else { return nil }
    var (index, end) = position(after: elapsed)
    let lit = steps[index].isOn
    while true {
      index = (index + 1) % steps.count
      if steps[index].isOn != lit { return end }
      end += steps[index].duration
    }
  }

  /// Returns the step that holds the moment, and its end.
  private func position(after elapsed: Duration) -> (index: Int, end: Duration) {
    let elapsed = max(elapsed, .zero)
    var end = period * Int(elapsed / period)
    // The quotient is a floating-point number, which may be off by one repetition long after the start.
    while end > elapsed { end -= period }
    while end + period <= elapsed { end += period }
    for (index, step) in steps.enumerated() {
      end += step.duration
      if elapsed < end { return (index, end) }
    }
    return (steps.count - 1, end)
  }

  public static let steady = LampPattern("steady", [.on(1000)])
  public static let blink = LampPattern("blink", [.on(500), .off(500)])
  public static let double = LampPattern("double", [.on(120), .off(120), .on(120), .off(1140)])
  public static let heartbeat = LampPattern("heartbeat", [.on(80), .off(160), .on(160), .off(800)])
  /// Rises and falls slowly: flashes, a hundred per second, whose lit share changes.
  public static let breathe = LampPattern("breathe", breath())
  /// International Morse, 150 ms a dot.
  public static let sos = LampPattern("sos", morse("... --- ..."))

  /// The patterns that a manifest or setting may name.
  public static let all = [steady, blink, double, breathe, heartbeat, sos]

  /// The words for an error: every pattern, and the colours that may stand behind one.
  public static var choices: String {
    all.map(\.name).joined(separator: ", ")
      + ", or one with a colour behind it, such as blink-red: \(LampColour.choices)"
  }

  public init?(named name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard let pattern = LampPattern.all.first(where: { $0.name == parts[0] }) else { return nil }
    self = pattern
    guard parts.count > 1 else { return }
    guard parts.count == 2, let colour = LampColour(rawValue: String(parts[1])) else { return nil }
    self.name = name
    self.colour = colour
  }

  /// The colour of the light. Without a chosen one the standard patterns show their level: critical is red, time-sensitive
  /// orange.
  public var light: LampColour {
    colour ?? (self == .sos ? .red : self == .double ? .orange : .white)
  }

  /// Returns the pattern of a level, for apps without their own. Passive lights nothing (rule N9).
  static func standard(for level: InterruptionLevel) -> LampPattern? {
    switch level {
    case .passive: nil
    case .active: .blink
    case .timeSensitive: .double
    case .critical: .sos
    }
  }

  /// Returns 1.5 s up, 1.5 s down, and a pause. A flash's lit share grows with the square of time, which looks even.
  private static func breath() -> [PatternStep] {
    let flash = 10_000
    let count = 150
    // A shorter flash would be lost in the delay of a thread.
    let shortest = 200
    var rising: [PatternStep] = []
    for place in 1..<count {
      let lit = max(flash * place * place / (count * count), shortest)
      rising.append(PatternStep(isOn: true, duration: .microseconds(lit)))
      rising.append(PatternStep(isOn: false, duration: .microseconds(flash - lit)))
    }
    let falling = stride(from: rising.count - 2, through: 0, by: -2).flatMap { [rising[$0], rising[$0 + 1]] }
    return rising + [.on(20)] + falling + [.off(1_000)]
  }

  private static func morse(_ text: String) -> [PatternStep] {
    let dot = 150
    var steps: [PatternStep] = []
    for symbol in text {
      switch symbol {
      case ".": steps += [.on(dot), .off(dot)]
      case "-": steps += [.on(3 * dot), .off(dot)]
      default: steps.append(.off(2 * dot))
      }
    }
    return steps + [.off(6 * dot)]
  }

  public var coded: String { name }
  public init?(coded name: String) { self.init(named: name) }
}
