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
  public var lamp: String?
  public var lampIsLow = false
  /// The pins of the optional devices.
  public var controls: [Control: String] = [:]

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
      draft.lamp = root.optional("lamp") { try $0.string() }
      draft.lampIsLow = root.optional("lamp-active", default: "high") { try $0.choice(of: ["high", "low"]) } == "low"
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
      return draft
    }
  }

  /// The header of the board: pins, and the YAML of the line on each.
  public struct Header: Sendable {
    public var name: String
    public var lines: [String: String]

    /// The pins in the order of their numbers.
    public var pins: [String] { lines.keys.sorted { BoardPin.order($0) < BoardPin.order($1) } }
  }

  /// Returns the header of a shipped board; nil for a board of its own.
  public func header() throws -> Header? {
    guard let base else { return nil }
    guard let header = try ShippedBoard.document(of: base).root["header"] else { return nil }
    let lines = try header["lines"]?.entries() ?? []
    return Header(
      name: header["name"]?.text ?? "header",
      lines: Dictionary(lines.map { ($0.key, FlowYAML.text($0.value)) }, uniquingKeysWith: { first, _ in first }))
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
      for entry in try ShippedBoard.file(base).entries() where ["chip", "header", "buses-off"].contains(entry.key) {
        text += "\(entry.key): \(FlowYAML.text(entry.value))\n"
      }
    } else {
      text += "chip: \(FlowYAML.scalar(chip ?? "", isPlain: true))\n"
    }
    if let lamp { text += "lamp: { line: \(try line(lamp)), active: \(lampIsLow ? "low" : "high") }\n" }
    if let motor = controls[.motor] { text += "motor: { line: \(try line(motor)), active: high }\n" }
    if let buzzer = controls[.buzzer] { text += "buzzer: { line: \(try line(buzzer)), active: high }\n" }
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
