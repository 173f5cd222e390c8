// A chain of shift registers, one for each digit: every segment has its own output, so nothing is refreshed and the
// chain is written when the digits change. Segments are wired to QA (a) to QH (decimal point).

import StrictYAML

/// A driver that turns segments into the levels of data (DS), clock (SHCP) and latch (STCP) of a chain of 74HC595.
public struct Static74HC595: DisplayDriver, Hashable {
  public static let type = "74hc595-static"

  public var digits: Int
  /// True if a segment lights when its output is high (common cathode).
  public var segmentsActiveHigh: Bool
  /// The digit of the first register, whose data input is our line.
  public var firstDigit: DigitEnd

  public var idleLevels: UInt32 { ThreeWire.idleLevels }

  /// Returns one transfer of the whole chain: the first byte shifted in ends in the last register.
  /// - Parameter brightness: ignored; there is only one.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let outputs = firstDigit.counted(segments, digits: digits).map { segmentsActiveHigh ? $0 : ~$0 }
    var wire = ThreeWire()
    wire.send(outputs.reversed())
    return wire.program
  }

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
