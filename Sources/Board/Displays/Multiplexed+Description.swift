// The keys of a multiplexed display in a board description.

import StrictYAML

extension Multiplexed {
  /// Segments a to g.
  static let segmentsWithoutPoint = 7

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let segments = section.list("segments", count: segmentsWithoutPoint...segmentsWithoutPoint + 1, lines.line)
    let digits = section.list("digits", count: BoardLimits.multiplexedDigits, lines.line)
    let segmentsActive: ActiveLevel? = section.required("segments-active") { try $0.choice() }
    let digitsActive: ActiveLevel? = section.required("digits-active") { try $0.choice() }
    let framesPerSecond = section.optional("frames-per-second", default: BoardLimits.defaultFramesPerSecond) {
      try $0.integer(in: BoardLimits.framesPerSecond)
    }
    let points = section.optional("decimal-points") { Positioned(try $0.boolean(), at: $0.position) }
    let brightness = Brightness.read(
      section, in: BoardLimits.scannedBrightness, default: BoardLimits.scannedBrightness.upperBound)
    guard let segments, let digits, let segmentsActive, let digitsActive, let brightness else { return nil }
    let hasPointLine = segments.count > segmentsWithoutPoint
    if let points, points.value, !hasPointLine {
      section.report(
        "'decimal-points' is true, but 'segments' names \(segments.count) lines: add the line of the decimal points as "
          + "the eighth, or write false", at: points.position)
      return nil
    }
    return BoardDescription.Display(
      driver: Multiplexed(
        segmentLines: segments.count, digits: digits.count, segmentsActiveHigh: segmentsActive == .high,
        digitsActiveHigh: digitsActive == .high, framesPerSecond: framesPerSecond),
      lines: segments + digits, hasDecimalPoints: points?.value ?? hasPointLine, brightness: brightness)
  }
}
