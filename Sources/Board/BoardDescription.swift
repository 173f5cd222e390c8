// A board is one YAML file and no Swift: which chip, which lines, which display. Everything that can be wrong with it
// without hardware is found here, at its place in the file.

import StrictYAML

/// What is connected to which lines of which GPIO chip.
public struct BoardDescription: Sendable {
  public struct Lamp: Sendable {
    public var line: LineName
    public var driver: LampDriver
  }

  public struct Display: Sendable {
    public var driver: any DisplayDriver
    /// In the order that the driver documents.
    public var lines: [LineName]
    public var hasDecimalPoints: Bool
    public var brightness: Brightness = .fixed
  }

  /// The chip that stands for a simulated board.
  public static let simulatedChip = "simulated"

  /// For people.
  public var board: String
  /// The chip's label, or its name.
  public var chip: String
  public var lamp: Lamp?
  public var display: Display?

  public var isSimulated: Bool { chip == BoardDescription.simulatedChip }

  /// Reads a description from a file.
  /// - Throws: everything that is wrong with it.
  public init(contentsOf path: String) throws(StrictYAMLError) {
    self = try BoardDescription.read(
      try YAMLDocument.parse(contentsOf: path, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes)))
  }

  /// Reads a description.
  /// - Parameter file: the name that messages begin with.
  /// - Throws: everything that is wrong with it.
  public init(text: String, file: String) throws(StrictYAMLError) {
    self = try BoardDescription.read(
      try YAMLDocument.parse(text, file: file, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes)))
  }

  /// Everything that is wrong with a description; empty where it can be used.
  public static func check(text: String, file: String) -> [Diagnostic] {
    do {
      _ = try BoardDescription(text: text, file: file)
      return []
    } catch {
      return error.diagnostics
    }
  }

  /// Everything that is wrong with the description in a file, its being unreadable included.
  public static func check(contentsOf path: String) -> [Diagnostic] {
    do {
      _ = try BoardDescription(contentsOf: path)
      return []
    } catch {
      return error.diagnostics
    }
  }

  private init(board: String, chip: String, lamp: Lamp?, display: Display?) {
    self.board = board
    self.chip = chip
    self.lamp = lamp
    self.display = display
  }

  private static func read(_ document: YAMLDocument) throws(StrictYAMLError) -> BoardDescription {
    let lines = LineReader()
    return try document.decode { root in
      let board = root.required("board") { try $0.string() }
      let chip = root.required("chip") { try $0.string(bytes: 1...BoardLimits.labelBytes) }
      let lamp = root.mapping("lamp", required: false) { lamp in
        let line = lamp.required("line", lines.line)
        let active = lamp.optional("active", default: ActiveLevel.high) { try $0.choice() }
        return line.map { Lamp(line: $0, driver: LampDriver(activeHigh: active == .high)) }
      }
      let display = root.mapping("display", required: false) { DriverCatalog.read($0, lines) }
      lines.reportRepeated(to: root)
      guard let board, let chip else { return nil }
      return BoardDescription(board: board, chip: chip, lamp: lamp, display: display)
    }
  }
}

/// The level at which something lights.
enum ActiveLevel: String, CaseIterable {
  case high, low
}

/// Reads the lines of one description and remembers where each was named.
final class LineReader {
  private var uses: [(line: LineName, node: YAMLNode)] = []

  /// A line by its label, or by its number on the chip.
  func line(_ node: YAMLNode) throws(Diagnostic) -> LineName {
    let line: LineName
    if case .scalar(let text, isPlain: true) = node.content, let first = text.utf8.first, first >= 0x2D, first <= 0x39 {
      line = .offset(UInt32(try node.integer(in: 0...BoardLimits.largestOffset)))
    } else {
      line = .label(try node.string(bytes: 1...BoardLimits.labelBytes))
    }
    uses.append((line, node))
    return line
  }

  /// One line can be one thing only; said at each further use, with the place of the first in the file.
  func reportRepeated(to reader: MappingReader) {
    var first: [LineName: SourcePosition] = [:]
    for (line, node) in uses.sorted(by: {
      ($0.1.position.line, $0.1.position.column) < ($1.1.position.line, $1.1.position.column)
    }) {
      if let earlier = first[line] {
        reader.report("\(node.subject): line '\(line)' is used twice, first at \(earlier)", at: node.position)
      } else {
        first[line] = node.position
      }
    }
  }
}
