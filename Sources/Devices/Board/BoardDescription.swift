// A board is one YAML file and no Swift: its chip, its lines, its display. All errors that can be found without
// hardware are reported here, at their place in the file.

import StrictYAML

/// The devices of a board and the GPIO lines that they are connected to.
public struct BoardDescription: Sendable {
  /// A device that one line switches on and off: the transistor of a motor, a buzzer.
  public struct Output: Sendable {
    public var chip: String
    public var line: LineName
    public var activeHigh: Bool
    /// The frequency in Hz of a buzzer that has no tone of its own; nil for a device that a level switches on.
    public var frequency: Int?
  }

  /// A display. All its lines are on one chip, so that they change together.
  public struct Display: Sendable {
    public var chip: String
    public var driver: any DisplayDriver
    /// The name shown to users; nil if the display's file has none.
    public var name: String?
    /// The lines in the order that the driver documents.
    public var lines: [LineName]
    public var hasDecimalPoints: Bool
    public var brightness: Brightness = .fixed
    /// The meanings of the display's own keys by their numbers, which begin with 1.
    public var keys: [Int: BoardKey] = [:]
  }

  /// The chip that stands for a simulated board.
  public static let simulatedChip = "simulated"

  /// The name that stands for any chip whose line labels include all lines of the device: some kernels number their
  /// chips in the order in which they find them.
  public static let anyChip = "any"

  /// The board's name, shown to users.
  public var board: String
  /// The prefixes of the machine names in the firmware that identify this board.
  public var models: [String]
  /// The beginnings of the names of other machines, which `models` would take too.
  public var otherModels: [String]
  /// The label or name of the chip for devices that name no chip of their own.
  public var chip: String
  public var lamp: Lamp?
  public var motor: Output?
  public var buzzer: Output?
  public var display: Display?
  public var viewButton: InputRequest?
  public var closeButton: InputRequest?
  public var dimButton: InputRequest?
  /// The switch's line, active in the silent position.
  public var silentSwitch: InputRequest?
  /// The sensor's line, active while it is dark.
  public var lightSensor: InputRequest?

  public var isSimulated: Bool { chip == BoardDescription.simulatedChip }

  public var devices: [BoardDevice] {
    let all: [(BoardDevice, isThere: Bool)] = [
      (.lamp, lamp != nil), (.motor, motor != nil), (.buzzer, buzzer != nil), (.display, display != nil),
      (.viewButton, viewButton != nil), (.closeButton, closeButton != nil), (.dimButton, dimButton != nil),
      (.silentSwitch, silentSwitch != nil), (.lightSensor, lightSensor != nil),
    ]
    return all.filter(\.isThere).map(\.0)
  }
}

extension BoardDescription {
  /// Reads a complete description.
  /// - Throws: all errors in the description.
  public init(_ document: YAMLDocument) throws(StrictYAMLError) {
    let lines = LineReader()
    self = try document.decode { root in
      let board = root.required("board") { try $0.string() }
      let models = root.list("models", required: false) { try $0.string() }
      let otherModels = root.list("other-models", required: false) { try $0.string() }
      let chip = root.required("chip") { try $0.string(bytes: 1...BoardLimits.labelBytes) }
      lines.boardChip = chip ?? ""
      let header = root.mapping("header", required: false) { BoardHeader($0) }
      let unusedBuses = root.list("buses-off", required: false) { node in
        try node.choice(of: Set(header?.buses.values.map(\.self) ?? []).sorted())
      }
      let lamp = root.mapping("lamp", required: false) { lines.lamp($0) }
      let motor = root.mapping("motor", required: false) { lines.output($0, of: .motor) }
      let buzzer = root.mapping("buzzer", required: false) { section in
        var buzzer = lines.output(section, of: .buzzer)
        buzzer?.frequency = section.optional("frequency") { try $0.integer(in: BoardLimits.buzzerHertz) }
        return buzzer
      }
      let display = root.mapping("display", required: false) { section in
        lines.begin(.display, section)
        return DriverCatalog.read(section, lines)
      }
      let buttons = root.mapping("buttons", required: false) { buttons in
        (
          view: buttons.mapping("view", required: false) { lines.contact($0, of: .viewButton) },
          close: buttons.mapping("close", required: false) { lines.contact($0, of: .closeButton) },
          dim: buttons.mapping("dim", required: false) { lines.contact($0, of: .dimButton) }
        )
      }
      let silentSwitch = root.mapping("switch", required: false) { section in
        section.mapping("ring-silent") { lines.contact($0, of: .silentSwitch) }
      }
      let lightSensor = root.mapping("light-sensor", required: false) { lines.contact($0, of: .lightSensor) }
      lines.reportConflicts(header, unusedBuses: unusedBuses ?? [], to: root)
      guard let board, let chip else { return nil }
      return BoardDescription(
        board: board, models: models ?? [board], otherModels: otherModels ?? [], chip: chip, lamp: lamp, motor: motor,
        buzzer: buzzer, display: display, viewButton: buttons?.view, closeButton: buttons?.close,
        dimButton: buttons?.dim, silentSwitch: silentSwitch, lightSensor: lightSensor)
    }
  }
}

enum ActiveLevel: String, CaseIterable {
  case high, low
}

/// A reader of the lines of one description, which remembers the place at which each was named.
final class LineReader {
  var boardChip = ""
  /// The chip of the device that is being read.
  private(set) var chip = ""
  private var device = BoardDevice.lamp
  private var uses: [Use] = []

  private struct Place: Hashable {
    var chip: String
    var line: LineName
  }

  private struct Use {
    var place: Place
    var node: YAMLNode
    var device: BoardDevice
  }

  /// Reads the chip of the lines that follow: the device's own, else the board's.
  func begin(_ device: BoardDevice, _ section: MappingReader) {
    self.device = device
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

  func output(_ section: MappingReader, of device: BoardDevice) -> BoardDescription.Output? {
    begin(device, section)
    let line = section.required("line", line)
    let active = section.optional("active", default: ActiveLevel.high) { try $0.choice() }
    return line.map { .init(chip: chip, line: $0, activeHigh: active == .high) }
  }

  /// Reads the section of a button or switch. Most close to ground, and a resistor in the chip holds them high.
  func contact(_ section: MappingReader, of device: BoardDevice) -> InputRequest? {
    begin(device, section)
    let line = section.required("line", line)
    let active = section.optional("active", default: ActiveLevel.low) { try $0.choice() }
    let bias = section.optional("bias", default: active == .low ? InputRequest.Bias.pullUp : .pullDown) {
      try $0.choice()
    }
    return line.map { .init(chip: chip, line: $0, activeLow: active == .low, bias: bias) }
  }

  func line(_ node: YAMLNode) throws(Diagnostic) -> LineName {
    let line = try LineName(node)
    if chip == BoardDescription.anyChip, case .offset = line {
      throw node.diagnostic("must be a label where 'chip' is 'any': a number needs its chip")
    }
    uses.append(Use(place: Place(chip: chip, line: line), node: node, device: device))
    return line
  }

  /// Reads the lines of these keys; nil if one is missing or wrong.
  func all(_ keys: [String], in section: MappingReader) -> [LineName]? {
    let lines = keys.map { section.required($0, line) }
    return lines.contains { $0 == nil } ? nil : lines.compactMap(\.self)
  }

  /// Reports lines that are used twice, at each further use, with the device and the place of the first one. The
  /// board's own devices come before a display from another file.
  /// - Parameter unusedBuses: the buses that are switched off, so that their pins can be used.
  func reportConflicts(_ header: BoardHeader?, unusedBuses: [String], to reader: MappingReader) {
    var first: [Place: Use] = [:]
    let isElsewhere = { (use: Use) in use.node.position.file == reader.position.file ? 0 : 1 }
    for use in uses.sorted(by: {
      (isElsewhere($0), $0.node.position.line, $0.node.position.column)
        < (isElsewhere($1), $1.node.position.line, $1.node.position.column)
    }) {
      let pin = use.place.chip == boardChip ? header?.pins[use.place.line] : nil
      let line =
        "\(use.node.subject) of the \(use.device.rawValue): line '\(use.place.line)'\(pin.map { ", pin \($0)," } ?? "")"
      if let earlier = first[use.place] {
        reader.report(
          "\(line) is used twice, first by the \(earlier.device.rawValue) at \(earlier.node.position)",
          at: use.node.position)
        continue
      }
      first[use.place] = use
      guard let bus = pin.flatMap({ header?.buses[$0] }), !unusedBuses.contains(bus) else { continue }
      reader.report(
        "\(line) belongs to the board's \(bus): take another line, or write 'buses-off: [\(bus)]' in the board file "
          + "if it is switched off", at: use.node.position)
    }
  }
}
