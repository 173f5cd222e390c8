import StrictYAML

/// The displays that a board description can name, one line each. A new one needs a file in Displays/ and a line here.
enum DriverCatalog {
  /// Reads a display's own keys from its section.
  typealias Reader = @Sendable (MappingReader, LineReader) -> BoardDescription.Display?

  /// The keys of lines in the `wiring` of a header that displays of several types share.
  typealias SharedWiring = (name: String, lineKeys: [String])

  /// `lineKeys`: the keys whose values are lines, which a board's header can supply, by the display's type or its shared
  /// wiring.
  static let displays: [(type: String, lineKeys: [String], shared: SharedWiring?, read: Reader)] = [
    (Multiplexed.type, ["segments", "digits"], nil, Multiplexed.read),
    (TM1637.type, TwoWire.wiring.lineKeys, TwoWire.wiring, TM1637.read),
    (TM1650.type, TwoWire.wiring.lineKeys, TwoWire.wiring, TM1650.read),
    (HT16K33.type, TwoWire.wiring.lineKeys, TwoWire.wiring, HT16K33.read),
    (TM1638.type, TM1638.lineKeys, ThreeWire.wiring, TM1638.read),
    (MAX7219.type, MAX7219.lineKeys, ThreeWire.wiring, MAX7219.read),
    (Static74HC595.type, ThreeWire.wiring.lineKeys, ThreeWire.wiring, Static74HC595.read),
    (Multiplexed74HC595.type, ThreeWire.wiring.lineKeys, ThreeWire.wiring, Multiplexed74HC595.read),
  ]

  /// Reads a display section by its `type`.
  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let name = section.optional("name") { try $0.string() }
    let type = section.required("type") { try $0.choice(of: displays.map(\.type)) }
    guard let display = displays.first(where: { $0.type == type }) else {
      // The valid keys depend on the type.
      section.skipUnreadKeys()
      return nil
    }
    var described = display.read(section, lines)
    described?.name = name
    return described
  }
}
