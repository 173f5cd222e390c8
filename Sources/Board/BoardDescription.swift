// A board is one YAML file and no Swift: which chip, which lines, which display. Everything that can be wrong with it
// without hardware is found here, at its place in the file.

import StrictYAML

/// What is connected to which lines of which GPIO chip.
public struct BoardDescription: Sendable {
  /// What is on or off by the level of one line: a light-emitting diode, the transistor of a motor.
  public struct Output: Sendable {
    public var chip: String
    public var line: LineName
    /// Whether it is on while the line is high.
    public var activeHigh: Bool
  }

  /// All its lines are on one chip: they change together.
  public struct Display: Sendable {
    public var chip: String
    public var driver: any DisplayDriver
    /// In the order that the driver documents.
    public var lines: [LineName]
    public var hasDecimalPoints: Bool
    public var brightness: Brightness = .fixed
  }

  /// The chip that stands for a simulated board.
  public static let simulatedChip = "simulated"

  /// The chip that stands for whichever has the lines of a device, by their labels: some kernels label their chips in
  /// the order in which they find them.
  public static let anyChip = "any"

  /// For people.
  public var board: String
  /// The chip's label, or its name: of devices that name no chip of their own.
  public var chip: String
  public var lamp: Output?
  public var motor: Output?
  public var display: Display?
  public var viewButton: InputRequest?
  public var closeButton: InputRequest?
  /// Active at silent.
  public var silentSwitch: InputRequest?

  public var isSimulated: Bool { chip == BoardDescription.simulatedChip }
}

extension BoardDescription {
  /// Reads a description from a file.
  /// - Throws: everything that is wrong with it.
  public init(contentsOf path: String) throws(StrictYAMLError) {
    try self.init(YAMLDocument.parse(contentsOf: path, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes)))
  }

  /// Reads a description.
  /// - Parameter file: the name that messages begin with.
  /// - Throws: everything that is wrong with it.
  public init(text: String, file: String) throws(StrictYAMLError) {
    try self.init(YAMLDocument.parse(text, file: file, limits: YAMLLimits(bytes: BoardLimits.descriptionBytes)))
  }

  private init(_ document: YAMLDocument) throws(StrictYAMLError) {
    let lines = LineReader()
    self = try document.decode { root in
      let board = root.required("board") { try $0.string() }
      let chip = root.required("chip") { try $0.string(bytes: 1...BoardLimits.labelBytes) }
      lines.boardChip = chip ?? ""
      let lamp = root.mapping("lamp", required: false, lines.output)
      let motor = root.mapping("motor", required: false, lines.output)
      let display = root.mapping("display", required: false) { section in
        lines.beginDevice(section)
        return DriverCatalog.read(section, lines)
      }
      let buttons = root.mapping("buttons", required: false) { buttons in
        (
          view: buttons.mapping("view", required: false, lines.contact),
          close: buttons.mapping("close", required: false, lines.contact)
        )
      }
      let silentSwitch = root.mapping("switch", required: false) { $0.mapping("ring-silent", lines.contact) }
      lines.reportRepeated(to: root)
      guard let board, let chip else { return nil }
      return BoardDescription(
        board: board, chip: chip, lamp: lamp, motor: motor, display: display, viewButton: buttons?.view,
        closeButton: buttons?.close, silentSwitch: silentSwitch)
    }
  }
}

/// The level at which something lights.
enum ActiveLevel: String, CaseIterable {
  case high, low
}

/// Reads the lines of one description and remembers where each was named.
final class LineReader {
  var boardChip = ""
  /// Of the device that is being read.
  private(set) var chip = ""
  private var uses: [(place: Place, node: YAMLNode)] = []

  private struct Place: Hashable {
    var chip: String
    var line: LineName
  }

  /// Reads the chip on which the lines that follow are: the device's own, else the board's.
  func beginDevice(_ section: MappingReader) {
    let boardChip = boardChip
    let own = section.optional("chip") { node throws(Diagnostic) in
      let chip = try node.string(bytes: 1...BoardLimits.labelBytes)
      if (chip == BoardDescription.simulatedChip) != (boardChip == BoardDescription.simulatedChip) {
        throw node.diagnostic("cannot be '\(chip)' on a board whose chip is '\(boardChip)': leave it out")
      }
      return chip
    }
    chip = own ?? boardChip
  }

  /// The section of a lamp or motor.
  func output(_ section: MappingReader) -> BoardDescription.Output? {
    beginDevice(section)
    let line = section.required("line", line)
    let active = section.optional("active", default: ActiveLevel.high) { try $0.choice() }
    return line.map { .init(chip: chip, line: $0, activeHigh: active == .high) }
  }

  /// The section of a button or switch. Most close to ground, and the chip's own resistor holds them open.
  func contact(_ section: MappingReader) -> InputRequest? {
    beginDevice(section)
    let line = section.required("line", line)
    let active = section.optional("active", default: ActiveLevel.low) { try $0.choice() }
    let bias = section.optional("bias", default: active == .low ? InputRequest.Bias.pullUp : .pullDown) {
      try $0.choice()
    }
    return line.map { .init(chip: chip, line: $0, activeLow: active == .low, bias: bias) }
  }

  /// A line by its label, or by its number on the chip.
  func line(_ node: YAMLNode) throws(Diagnostic) -> LineName {
    let line: LineName
    if case .scalar(let text, isPlain: true) = node.content, let first = text.utf8.first, first >= 0x2D, first <= 0x39 {
      line = .offset(UInt32(try node.integer(in: 0...BoardLimits.largestOffset)))
      if chip == BoardDescription.anyChip {
        throw node.diagnostic("must be a label where 'chip' is 'any': a number needs its chip")
      }
    } else {
      line = .label(try node.string(bytes: 1...BoardLimits.labelBytes))
    }
    uses.append((Place(chip: chip, line: line), node))
    return line
  }

  /// One line can be one thing only; said at each further use, with the place of the first in the file.
  func reportRepeated(to reader: MappingReader) {
    var first: [Place: SourcePosition] = [:]
    for (place, node) in uses.sorted(by: {
      ($0.1.position.line, $0.1.position.column) < ($1.1.position.line, $1.1.position.column)
    }) {
      if let earlier = first[place] {
        reader.report("\(node.subject): line '\(place.line)' is used twice, first at \(earlier)", at: node.position)
      } else {
        first[place] = node.position
      }
    }
  }
}
