import Board
import StrictYAML

/// The answers from which a board file is written: what is like a shipped board, and what is on which pin.
public struct BoardDraft: Sendable {
  /// The shipped board whose chip and header it has; nil for a board of its own.
  public var base: String?
  public var board: String
  /// The chip of a board of its own, by its label or name; nil for that of `base`.
  public var chip: String?
  /// A shipped display; nil for none.
  public var display: String?
  /// The pins of the display's lines, by its keys; a key that is missing has the header's.
  public var displayPins: [String: [String]] = [:]
  public var lamp: Lamp?
  /// The pins of the optional devices.
  public var controls: [Control: String] = [:]
  /// The tone in Hz of a buzzer that has none of its own; nil for one that has.
  public var buzzerFrequency: Int?
  /// The buses of the header that are switched off; nil for those of `base`.
  public var busesOff: [String]?

  /// A lamp with the pins of its lines, in the order of `type.lineKeys`.
  public struct Lamp: Equatable, Sendable {
    public var type: LampType
    public var pins: [String]
    /// True if a low level lights it. An APA102 has no such level.
    public var isLow = false
    /// The number of lamps in a row with an APA102 each.
    public var count: Int?

    public init(_ type: LampType, pins: [String], isLow: Bool = false, count: Int? = nil) {
      (self.type, self.pins, self.isLow, self.count) = (type, pins, isLow, count)
    }
  }

  public enum Control: String, CaseIterable, Sendable {
    case motor, buzzer, view, close, dim
    case ringSilent = "ring-silent"
    case lightSensor = "light-sensor"
  }

  public init(base: String?, board: String, chip: String? = nil) {
    (self.base, self.board, self.chip) = (base, board, chip)
  }

  /// Reads the answers from one line of YAML: `{ like: raspberry-pi-4, board: Desk, lamp: 11, display: tm1637 }`.
  /// - Throws: all errors in it.
  public init(yaml: String) throws(StrictYAMLError) {
    let document = try YAMLDocument.parse(Array(yaml.utf8), file: "--with")
    self = try document.decode { root in
      let base = root.optional("like") { try $0.string() }
      let board = root.required("board") { try $0.string() }
      let chip = root.optional("chip") { try $0.string() }
      if (base == nil) == (chip == nil) {
        root.report("needs 'like', a shipped board, or 'chip', the label of the chip of another one")
      }
      var draft = BoardDraft(base: base, board: board ?? "", chip: chip)
      draft.display = root.optional("display") { try $0.string() }
      if draft.display == BoardDocument.noDisplay { draft.display = nil }
      draft.lamp = BoardDraft.lamp(root)
      let pins = root.optional("display-pins") { node in
        try node.entries().map { entry in
          let texts: [String]
          if case .sequence(let items) = entry.value.content {
            texts = try items.map { try $0.string() }
          } else {
            texts = [try entry.value.string()]
          }
          return (entry.key, texts)
        }
      }
      draft.displayPins = Dictionary(pins ?? [], uniquingKeysWith: { first, _ in first })
      for control in Control.allCases {
        draft.controls[control] = root.optional(control.rawValue) { try $0.string() }
      }
      draft.buzzerFrequency = root.optional("buzzer-frequency") { try $0.integer(in: BoardLimits.buzzerHertz) }
      if draft.buzzerFrequency != nil, draft.controls[.buzzer] == nil {
        root.report("'buzzer-frequency' needs 'buzzer', the pin of the buzzer")
      }
      draft.busesOff = root.list("buses-off", required: false) { try $0.string() }
      return draft
    }
  }

  /// Reads the lamp: the pin of a single LED, or a mapping as in a board file.
  private static func lamp(_ root: MappingReader) -> Lamp? {
    let active = root.optional("lamp-active") { try $0.choice(of: ["high", "low"]) }
    guard let node = root.node("lamp") else {
      if active != nil { root.report("'lamp-active' needs 'lamp'") }
      return nil
    }
    guard case .mapping = node.content else {
      return root.optional("lamp") { Lamp(.led, pins: [try $0.string()], isLow: active == "low") }
    }
    return root.mapping(node) { section in
      let type = section.optional("type", default: LampType.led) { try $0.choice() }
      let pins = type.lineKeys.map { key in section.required(key) { try $0.string() } }
      var lamp = Lamp(type, pins: pins.compactMap(\.self))
      if type == .apa102 {
        lamp.count = section.required("lamps") { try $0.integer(in: BoardLimits.apa102Lamps) }
        if active != nil { root.report("'lamp-active' is not for an apa102, which takes numbers") }
      } else {
        let own = section.optional("active") { try $0.choice(of: ["high", "low"]) }
        lamp.isLow = (own ?? active) == "low"
      }
      return lamp
    }
  }

  /// The header of the board: pins, and the YAML of the line on each.
  public struct Header: Sendable {
    public var name: String
    public var lines: [String: String]
    /// The bus of each pin that has one.
    public var buses: [String: String] = [:]

    /// Returns the bus of a pin or line; nil if it has none.
    public func bus(of text: String) -> String? {
      buses[text] ?? lines.first { $0.value == FlowYAML.scalar(text, isPlain: true) }.flatMap { buses[$0.key] }
    }

    /// The pins in the order of their numbers.
    public var pins: [String] { lines.keys.sorted { BoardPin.order($0) < BoardPin.order($1) } }
  }

  /// Returns the header of a shipped board; nil for a board of its own.
  public func header() throws -> Header? {
    guard let base else { return nil }
    guard let header = try ShippedBoard.document(of: base).root["header"] else { return nil }
    let lines = try header["lines"]?.entries() ?? []
    let buses = try header["buses"]?.entries() ?? []
    let pins = try buses.flatMap { bus in try bus.value.sequence().map { ($0.text ?? "", bus.key) } }
    return Header(
      name: header["name"]?.text ?? "header",
      lines: Dictionary(lines.map { ($0.key, FlowYAML.text($0.value)) }, uniquingKeysWith: { first, _ in first }),
      buses: Dictionary(pins, uniquingKeysWith: { first, _ in first }))
  }

  /// Returns a line as YAML: by the header's pin, by the line's name, or as it is without a header.
  public static func line(_ text: String, on header: Header?) throws(InstallationError) -> String {
    guard let header else { return text.allSatisfy(\.isNumber) ? text : FlowYAML.scalar(text, isPlain: true) }
    if let line = header.lines[text] { return line }
    let label = FlowYAML.scalar(text, isPlain: true)
    if header.lines.values.contains(label), !text.allSatisfy(\.isNumber) { return label }
    throw InstallationError(
      "'\(text)' is no pin with a line on the \(header.name); there are: \(header.pins.joined(separator: ", "))")
  }

  /// Returns the keys of a display's lines, and the pins that the header of `base` has for them; empty pins without.
  public func wiring(of display: String) throws -> [(key: String, pins: [String])] {
    let keys = BoardDocument.lineKeys(ofDisplay: try ShippedDisplay.file(display)["type"]?.text ?? "")
    guard let base, let document = try? ShippedBoard.document(of: base, display: display) else {
      return keys.map { ($0, []) }
    }
    let pins = BoardPin.all(of: document).filter { $0.device == .display }
    return keys.map { key in (key, pins.filter { $0.terminal.hasPrefix(key) }.compactMap(\.pin)) }
  }

  /// Returns the board file.
  /// - Throws: `InstallationError`, with the pin or name that is wrong.
  public func text() throws -> String {
    let header = try header()
    let line = { (text: String) throws in try BoardDraft.line(text, on: header) }
    var text =
      "# Written by deskbell board new\(base.map { ", like \($0)" } ?? ""). Not tested: setup tests each wire.\n"
    text += "board: \(FlowYAML.scalar(board, isPlain: true))\nmodels: [] # setup proposes it for no machine\n"
    if let base {
      let kept = busesOff == nil ? ["chip", "header", "buses-off"] : ["chip", "header"]
      for entry in try ShippedBoard.file(base).entries() where kept.contains(entry.key) {
        text += "\(entry.key): \(FlowYAML.text(entry.value))\n"
      }
    } else {
      text += "chip: \(FlowYAML.scalar(chip ?? "", isPlain: true))\n"
    }
    if let busesOff, !busesOff.isEmpty {
      text += "buses-off: [\(busesOff.map { FlowYAML.scalar($0, isPlain: true) }.joined(separator: ", "))]\n"
    }
    if let lamp { text += "lamp: { \(try lampText(lamp, line)) }\n" }
    if let motor = controls[.motor] { text += "motor: { line: \(try line(motor)), active: high }\n" }
    if let buzzer = controls[.buzzer] {
      let tone = buzzerFrequency.map { ", frequency: \($0)" } ?? ""
      text += "buzzer: { line: \(try line(buzzer)), active: high\(tone) }\n"
    }
    let contact = "active: low, bias: pull-up }"
    let buttons = try [Control.view, .close, .dim].compactMap { button in
      try controls[button].map { "\(button.rawValue): { line: \(try line($0)), \(contact)" }
    }
    if !buttons.isEmpty { text += "buttons: { \(buttons.joined(separator: ", ")) }\n" }
    if let ringSilent = controls[.ringSilent] {
      text += "switch: { ring-silent: { line: \(try line(ringSilent)), \(contact) }\n"
    }
    if let sensor = controls[.lightSensor] {
      text += "light-sensor: { line: \(try line(sensor)), active: high, bias: none }\n"
    }
    return try text + displayText(line)
  }

  private func lampText(_ lamp: Lamp, _ line: (String) throws -> String) throws -> String {
    var entries = lamp.type == .led ? [] : ["type: \(lamp.type.rawValue)"]
    for (key, pin) in zip(lamp.type.lineKeys, lamp.pins) { entries.append("\(key): \(try line(pin))") }
    if let count = lamp.count { entries.append("lamps: \(count)") }
    if lamp.type != .apa102 { entries.append("active: \(lamp.isLow ? "low" : "high")") }
    return entries.joined(separator: ", ")
  }

  private func displayText(_ line: (String) throws -> String) throws -> String {
    guard let display else { return "" }
    guard !displayPins.isEmpty else { return "display: \(FlowYAML.scalar(display, isPlain: true))\n" }
    var entries = try ShippedDisplay.file(display).entries().map { ($0.key, FlowYAML.text($0.value)) }
    let wiring = try wiring(of: display)
    if let unknown = displayPins.keys.first(where: { key in !wiring.contains { $0.key == key } }) {
      let keys = wiring.map(\.key).joined(separator: ", ")
      throw InstallationError("display '\(display)' has no line '\(unknown)'; its lines: \(keys)")
    }
    for (key, standard) in wiring {
      let lines = try (displayPins[key] ?? standard).map(line)
      let isList = ["segments", "digits"].contains(key)
      entries.removeAll { $0.0 == key }
      entries.append((key, isList ? "[\(lines.joined(separator: ", "))]" : lines.joined(separator: " ")))
    }
    return "display:\n" + entries.map { "  \($0): \($1)\n" }.joined()
  }
}

/// YAML of nodes that were read, in one line.
enum FlowYAML {
  static func text(_ node: YAMLNode) -> String {
    switch node.content {
    case .mapping(let entries):
      let pairs = entries.map { "\(scalar($0.key, isPlain: true)): \(text($0.value))" }
      return pairs.isEmpty ? "{}" : "{ \(pairs.joined(separator: ", ")) }"
    case .sequence(let items): return "[\(items.map(text).joined(separator: ", "))]"
    case .scalar(let text, let isPlain): return scalar(text, isPlain: isPlain)
    }
  }

  /// Returns a scalar, quoted if it was, or if it has characters that mean something in YAML.
  static func scalar(_ text: String, isPlain: Bool) -> String {
    let isSafe = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789 ._/+-".unicodeScalars.contains($0)
    }
    if isPlain, isSafe, let first = text.first, first != " ", first != "-", text.last != " " { return text }
    return "\"" + text.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
  }
}
