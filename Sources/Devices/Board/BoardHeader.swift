import StrictYAML

/// The header pins that are connected to lines: where the user connects wires, and where two devices can claim one pin.
public struct BoardHeader: Sendable {
  var pins: [LineName: String] = [:]
  /// The bus of each pin that has one, such as I2C.
  var buses: [String: String] = [:]

  /// - Throws: all errors in the file.
  public init(contentsOf path: String) throws(StrictYAMLError) {
    self = try YAMLDocument.parse(contentsOf: path, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes))
      .decode(BoardHeader.init)
  }

  init?(_ header: MappingReader) {
    let texts: (YAMLNode) throws -> [String] = { node in try node.sequence().map { try $0.string() } }
    _ = header.required("name") { try $0.string() }
    _ = header.required("supplies") { node in try node.entries().map { try texts($0.value) } }
    let lines = header.required("lines") { node in
      try node.entries().map { (pin: $0.key, line: try LineName($0.value)) }
    }
    let buses = header.optional("buses") { node in
      try node.entries().map { (name: $0.key, pins: try texts($0.value)) }
    }
    // The pins of the wiring are looked up when a display is wired to them.
    _ = header.optional("wiring") { node in try node.entries().map { try $0.value.entries() } }
    for (pin, line) in lines ?? [] { pins[line] = pin }
    for (name, pins) in buses ?? [] { for pin in pins { self.buses[pin] = name } }
  }
}

extension LineName {
  /// Reads a label, or a number on the chip if it is written as one.
  init(_ node: YAMLNode) throws(Diagnostic) {
    if case .scalar(let text, isPlain: true) = node.content, let first = text.utf8.first, first >= 0x2D, first <= 0x39 {
      self = .offset(UInt32(try node.integer(in: 0...BoardLimits.largestOffset)))
    } else {
      self = .label(try node.string(bytes: 1...BoardLimits.labelBytes))
    }
  }
}
