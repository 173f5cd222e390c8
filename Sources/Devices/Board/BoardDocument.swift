import StrictYAML

/// The paths of the files that board files and settings can name, by their names.
public struct BoardParts: Sendable {
  public var headers: [String: String]
  public var displays: [String: String]

  public init(headers: [String: String] = [:], displays: [String: String] = [:]) {
    self.headers = headers
    self.displays = displays
  }
}

/// A board file combined with its header and its display, equal to one complete board file. Each node keeps its place
/// in its own file, so that messages name the right line.
public struct BoardDocument: Sendable {
  public let root: YAMLNode

  public static let noDisplay = "none"

  /// Reads a board file and the files that it names.
  /// - Parameters:
  ///   - display: path of a display file that replaces the board's own display; `none` for none; nil for its own.
  /// - Throws: the error that keeps the files from being combined; other errors are found when the document is decoded.
  public init(contentsOf path: String, display: String? = nil, parts: BoardParts) throws(StrictYAMLError) {
    let file = try BoardDocument.parse(path)
    do throws(Diagnostic) {
      root = try BoardDocument.compose(file, display: display, parts: parts)
    } catch {
      throw StrictYAMLError(diagnostics: [error])
    }
  }

  public func description() throws(StrictYAMLError) -> BoardDescription {
    try BoardDescription(YAMLDocument(root: root))
  }

  /// Returns the keys whose values are the lines of a display of this type; empty for an unknown one.
  public static func lineKeys(ofDisplay type: String) -> [String] {
    DriverCatalog.displays.first { $0.type == type }?.lineKeys ?? []
  }

  private static func compose(_ file: YAMLNode, display: String?, parts: BoardParts) throws(Diagnostic) -> YAMLNode {
    var board = file
    if let name = board["header"], name.text != nil {
      board["header"] = try part(name, "header", among: parts.headers)
    }
    var chosen: YAMLNode?
    if let display {
      chosen = display == noDisplay ? nil : try read(display)
      if chosen == nil { board["display"] = nil }
    } else if let name = board["display"], name.text != nil {
      chosen = name.text == noDisplay ? nil : try part(name, "display", among: parts.displays)
      if chosen == nil { board["display"] = nil }
    }
    if let chosen { board["display"] = try wired(chosen, to: board) }
    return board
  }

  /// Returns the display with the lines that it does not name itself, taken from the board's header.
  private static func wired(_ display: YAMLNode, to board: YAMLNode) throws(Diagnostic) -> YAMLNode {
    var section = display
    guard let type = section["type"], let name = type.text,
      let driver = DriverCatalog.displays.first(where: { $0.type == name })
    else { return display }
    let keys = driver.lineKeys
    let header = board["header"]
    let wirings = header?["wiring"]
    let own = wirings?[name]
    let shared = driver.shared.flatMap { wirings?[$0.name] }
    for (place, key) in keys.enumerated() {
      let sharedPins = driver.shared.flatMap { shared?[$0.lineKeys[place]] }
      let wired = own?[key] ?? sharedPins
      guard section[key].map({ $0.isScalar && wired?.items != nil }) ?? true else { continue }
      guard let header, let pins = wired else {
        let board = board["board"]?.text ?? "the board"
        let missing = header == nil ? "has no 'header'" : "has no wiring for a display of type '\(name)'"
        throw Diagnostic(
          "\(board) \(missing): a display file of your own for it names the lines itself (\(keys.joined(separator: ", ")))",
          at: type.position)
      }
      var node = pins
      if let items = pins.items {
        var count = items.count
        if let wanted = section[key] { count = try wanted.integer(in: 1...items.count) }
        var lines: [YAMLNode] = []
        for pin in items.prefix(count) { lines.append(try line(of: pin, header)) }
        node = YAMLNode(content: .sequence(lines), position: pins.position, subject: pins.subject)
      } else {
        let line = try line(of: pins, header)
        node = YAMLNode(content: line.content, position: line.position, subject: "'\(key)'")
      }
      section[key] = node
    }
    return section
  }

  private static func line(of pin: YAMLNode, _ header: YAMLNode) throws(Diagnostic) -> YAMLNode {
    guard let line = header["lines"]?[pin.text ?? ""] else {
      throw pin.diagnostic("must be a pin that 'lines' of the header names")
    }
    return YAMLNode(content: line.content, position: pin.position, subject: pin.subject)
  }

  /// Reads the file that a board file names: a shipped one, or one whose path is relative to the board file.
  private static func part(
    _ name: YAMLNode, _ kind: String, among shipped: [String: String]
  ) throws(Diagnostic) -> YAMLNode {
    let text = try name.string()
    if let path = shipped[text] { return try read(path) }
    guard text.contains("/") else {
      let names = shipped.keys.sorted()
      let meant =
        nearest(text, among: names).map { ", did you mean '\($0)'?" } ?? "; there are: \(names.joined(separator: ", "))"
      throw name.diagnostic("is no shipped \(kind)\(meant)")
    }
    guard !text.hasPrefix("/"), let slash = name.position.file.lastIndex(of: "/") else { return try read(text) }
    return try read(name.position.file[...slash] + text)
  }

  private static func read(_ path: some StringProtocol) throws(Diagnostic) -> YAMLNode {
    do {
      return try parse(String(path))
    } catch {
      throw error.diagnostics[0]
    }
  }

  private static func parse(_ path: String) throws(StrictYAMLError) -> YAMLNode {
    try YAMLDocument.parse(contentsOf: path, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes)).root
  }
}

extension YAMLNode {
  fileprivate var isScalar: Bool {
    if case .scalar = content { return true }
    return false
  }

  fileprivate var items: [YAMLNode]? {
    if case .sequence(let items) = content { return items }
    return nil
  }
}
