// The displays that a board description can name: a line each. Adding one is a file in Displays/ and a line here.

import StrictYAML

enum DriverCatalog {
  /// Reads a display's own keys from its section.
  typealias Reader = @Sendable (MappingReader, LineReader) -> BoardDescription.Display?

  static let displays: [(type: String, read: Reader)] = [
    (Multiplexed.type, Multiplexed.read),
    (TM1637.type, TM1637.read),
    (MAX7219.type, MAX7219.read),
    (Static74HC595.type, Static74HC595.read),
    (Multiplexed74HC595.type, Multiplexed74HC595.read),
  ]

  /// Reads a display section by its `type`.
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let type = section.required("type") { try $0.choice(of: displays.map(\.type)) }
    guard let display = displays.first(where: { $0.type == type }) else {
      // Which keys are valid depends on the type.
      section.skipUnreadKeys()
      return nil
    }
    return display.read(section, lines)
  }
}
