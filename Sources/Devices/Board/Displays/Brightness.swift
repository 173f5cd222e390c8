// The brightness of a display by day and by night. The handset decides when night is; the night level depends on the
// display and its surroundings, so it is in the board file.

import StrictYAML

/// Two brightness levels in the driver's own steps, 0 being the darkest.
public struct Brightness: Hashable, Sendable {
  public var day: Int
  /// The level during the handset's night hours (rule B5).
  public var night: Int

  /// The brightness of a display that has only one.
  static let fixed = Brightness(day: 0, night: 0)

  func level(isDimmed: Bool) -> Int { isDimmed ? night : day }

  /// Reads `brightness: 5`, which uses the darkest step at night, or `brightness: { day: 5, night: 1 }`.
  /// - Returns: nil if the value is wrong, which is reported.
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
