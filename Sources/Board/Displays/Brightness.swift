// How bright a display is by day and by night. When it is night is the handset's decision; how much dimmer that is
// depends on the display and its surroundings, so it is in the board file.

import StrictYAML

/// Two levels in a driver's own steps, the darkest first.
public struct Brightness: Hashable, Sendable {
  public var day: Int
  /// During the handset's night hours (rule B5).
  public var night: Int

  /// Of a display that has one brightness only.
  static let fixed = Brightness(day: 0, night: 0)

  func level(isDimmed: Bool) -> Int { isDimmed ? night : day }

  /// Reads `brightness: 5`, whose night is the darkest step, or `brightness: { day: 5, night: 1 }`.
  /// - Returns: nil where it is wrong, which is reported.
  static func read(_ section: MappingReader, in steps: ClosedRange<Int>, default day: Int) -> Brightness? {
    guard let node = section.node("brightness") else { return Brightness(day: day, night: steps.lowerBound) }
    guard case .mapping = node.content else {
      return section.decode(node) { Brightness(day: try $0.integer(in: steps), night: steps.lowerBound) }
    }
    return section.mapping(node) { levels in
      let day = levels.required("day") { try $0.integer(in: steps) }
      let night = levels.required("night") { try $0.integer(in: steps) }
      guard let day, let night else { return nil }
      return Brightness(day: day, night: night)
    }
  }
}
