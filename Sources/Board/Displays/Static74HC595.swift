// A chain of shift registers, one for each digit: every segment has an output of its own, so nothing is refreshed and
// the chain is written when the digits change. Segments are wired to QA (a) to QH (decimal point).

/// Turns segments into the levels of data (DS), clock (SHCP) and latch (STCP) of a chain of 74HC595.
public struct Static74HC595: DisplayDriver, Hashable {
  public static let type = "74hc595-static"

  /// 1 to 8.
  public var digits: Int
  /// Whether a segment lights when its output is high (common cathode).
  public var segmentsActiveHigh: Bool
  /// Which digit has the first register, the one whose data input is our line.
  public var firstDigit: DigitEnd

  public var idleLevels: UInt32 { ThreeWire.idleLevels }

  /// The whole chain in one transfer: what is shifted in first ends in the last register.
  /// - Parameter brightness: there is one only.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let outputs = firstDigit.counted(segments, digits: digits).map { segmentsActiveHigh ? $0 : ~$0 }
    var wire = ThreeWire()
    wire.send(outputs.reversed())
    return wire.program
  }
}
