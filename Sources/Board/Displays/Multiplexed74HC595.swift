// Two shift registers in a chain, one for the segments and one that chooses the digit: a multiplexed display on three
// lines. It is refreshed like a bare one, and each step of a frame is a transfer.

/// Turns segments into one refresh frame on data (DS), clock (SHCP) and latch (STCP) of two 74HC595. Segments are wired
/// to QA (a) to QH (decimal point), digits to QA and on.
public struct Multiplexed74HC595: DisplayDriver, Hashable {
  public static let type = "74hc595-multiplexed"

  /// What a register of the chain drives.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case digits, segments
  }

  /// 1 to 8.
  public var digits: Int
  /// Whether a segment lights when its output is high (common cathode).
  public var segmentsActiveHigh: Bool
  /// Whether a digit is chosen by a high output.
  public var digitsActiveHigh: Bool
  /// What the register whose data input is our line drives.
  public var firstRegister: Role
  /// Which digit is on QA.
  public var firstDigit: DigitEnd
  /// 100 or more, and at most `BoardLimits.shiftedTurnsPerSecond` for all digits.
  public var framesPerSecond: Int

  public var isScanned: Bool { true }

  public var idleLevels: UInt32 { ThreeWire.idleLevels }

  /// One frame: each digit lit for its turn, then dark while its own segments still stand, so that no segment changes
  /// under a lit digit, and the next digit's segments and the digit itself appear at one edge of the latch. It begins
  /// and ends dark.
  /// - Parameter brightness: 0 to 7, in eighths of a turn.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let turn = DigitTurn(framesPerSecond: framesPerSecond, digits: digits, brightness: brightness)
    // Both transfers lie between the edges of the latch that begin and end the light, and so belong to the turn.
    let transfer = ThreeWire.transferNanoseconds(bytes: 2)
    var wire = ThreeWire()
    for (place, segments) in firstDigit.counted(segments, digits: digits).enumerated() {
      wire.send(chain(segments: segments, chosen: 1 << UInt8(place)))
      wire.program.wait(turn.litNanoseconds - transfer)
      wire.send(chain(segments: segments, chosen: 0))
      wire.program.wait(turn.darkNanoseconds - transfer)
    }
    return wire.program
  }

  /// What is shifted in first ends in the last register.
  private func chain(segments: UInt8, chosen: UInt8) -> [UInt8] {
    let segments = segmentsActiveHigh ? segments : ~segments
    let digits = digitsActiveHigh ? chosen : ~chosen
    return firstRegister == .digits ? [segments, digits] : [digits, segments]
  }
}
