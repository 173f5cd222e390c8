// Two chained shift registers, one for the segments and one that selects the digit: a multiplexed display on three
// lines. It is refreshed like a bare one, and each step of a frame is a transfer.

import StrictYAML

/// A driver that turns segments into one refresh frame on data (DS), clock (SHCP) and latch (STCP) of two 74HC595.
/// Segments are wired to QA (a) to QH (decimal point), digits to QA and on.
public struct Multiplexed74HC595: DisplayDriver, Hashable {
  public static let type = "74hc595-multiplexed"

  /// The outputs that a register of the chain drives.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case digits, segments
  }

  public var digits: Int
  /// True if a segment lights when its output is high (common cathode).
  public var segmentsActiveHigh: Bool
  public var digitsActiveHigh: Bool
  /// The role of the register whose data input is our line.
  public var firstRegister: Role
  /// The digit that is on QA.
  public var firstDigit: DigitEnd
  /// The frame rate: 100 or more, and at most `BoardLimits.shiftedTurnsPerSecond` for all digits.
  public var framesPerSecond: Int

  public var isScanned: Bool { true }

  public var idleLevels: UInt32 { ThreeWire.idleLevels }

  /// Returns one frame: each digit is lit for its turn, then dark while its segments remain set, so that no segment
  /// changes under a lit digit. One edge of the latch sets the next digit's segments and selects it. The frame begins
  /// and ends dark.
  /// - Parameter brightness: 0 to 7, in eighths of a turn.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let turn = DigitTurn(framesPerSecond: framesPerSecond, digits: digits, brightness: brightness)
    // Both transfers lie between the latch edges that begin and end the light, so they are part of the turn.
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

  /// Returns the bytes of the chain: the first byte shifted in ends in the last register.
  private func chain(segments: UInt8, chosen: UInt8) -> [UInt8] {
    let segments = segmentsActiveHigh ? segments : ~segments
    let digits = digitsActiveHigh ? chosen : ~chosen
    return firstRegister == .digits ? [segments, digits] : [digits, segments]
  }

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
