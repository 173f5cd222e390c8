// The keys of displays behind 74HC595 shift registers in a board description.

import StrictYAML

extension Static74HC595 {
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let chain = ChainKeys(section, lines)
    guard let digits = chain.digits, let first = chain.firstDigit, let active = chain.segmentsActive,
      let names = chain.lines
    else { return nil }
    return BoardDescription.Display(
      chip: lines.chip,
      driver: Static74HC595(digits: digits, segmentsActiveHigh: active == .high, firstDigit: first), lines: names,
      hasDecimalPoints: chain.hasDecimalPoints)
  }
}

extension Multiplexed74HC595 {
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let chain = ChainKeys(section, lines)
    let digitsActive: ActiveLevel? = section.required("digits-active") { try $0.choice() }
    let firstRegister: Role? = section.required("first-register") { try $0.choice() }
    let framesPerSecond = section.optional("frames-per-second", default: BoardLimits.defaultFramesPerSecond) { node in
      let most = BoardLimits.shiftedTurnsPerSecond / (chain.digits ?? 1)
      let frames = try node.integer(in: BoardLimits.framesPerSecond)
      guard frames <= most else {
        throw node.diagnostic(
          "must be at most \(most) for \(chain.digits ?? 1) digits behind shift registers, not \(frames)")
      }
      return frames
    }
    let brightness = Brightness.read(
      section, in: BoardLimits.scannedBrightness, default: BoardLimits.scannedBrightness.upperBound)
    guard let digits = chain.digits, let first = chain.firstDigit, let active = chain.segmentsActive,
      let names = chain.lines, let digitsActive, let firstRegister, let brightness
    else { return nil }
    return BoardDescription.Display(
      chip: lines.chip,
      driver: Multiplexed74HC595(
        digits: digits, segmentsActiveHigh: active == .high, digitsActiveHigh: digitsActive == .high,
        firstRegister: firstRegister, firstDigit: first, framesPerSecond: framesPerSecond), lines: names,
      hasDecimalPoints: chain.hasDecimalPoints, brightness: brightness)
  }
}

/// The keys that both kinds of chains have.
private struct ChainKeys {
  var digits: Int?
  var firstDigit: DigitEnd?
  var segmentsActive: ActiveLevel?
  /// The lines for data, clock, latch.
  var lines: [LineName]?
  var hasDecimalPoints: Bool

  init(_ section: MappingReader, _ reader: LineReader) {
    digits = section.required("digits") { try $0.integer(in: BoardLimits.multiplexedDigits) }
    firstDigit = section.required("first-digit") { try $0.choice() }
    segmentsActive = section.required("segments-active") { try $0.choice() }
    let names = ["data", "clock", "latch"].map { section.required($0, reader.line) }
    lines = names.contains { $0 == nil } ? nil : names.compactMap(\.self)
    // The eighth output exists; only the builder knows if a point is connected to it.
    hasDecimalPoints = section.optional("decimal-points", default: false) { try $0.boolean() }
  }
}
