import Board
import StrictYAML

/// A terminal of a device, and where its wire goes: a row of a wiring table.
public struct BoardPin: Encodable, Hashable, Sendable {
  public enum Device: String, Encodable, Sendable {
    case lamp, motor, buzzer, display
    case view = "view button"
    case close = "close button"
    case dim = "dim button"
    case ringSilent = "ring/silent switch"
    case lightSensor = "light sensor"
  }

  public var device: Device
  /// The key of the line: `line`, `clock`, `segments 1`.
  public var terminal: String
  public var line: String
  /// The header's pin; nil if the line is on none, or there is no header.
  public var pin: String?

  /// Returns the terminals of a board that was read without errors.
  public static func all(of document: BoardDocument) -> [BoardPin] {
    let root = document.root
    let pins = Dictionary(lines(of: document).map { ($0.line, $0.pin) }, uniquingKeysWith: { first, _ in first })
    var found: [BoardPin] = []
    func add(_ device: Device, _ section: YAMLNode?, _ keys: [String]) {
      // The header is that of the board's own chip.
      let isElsewhere = section?["chip"] != nil
      for key in keys {
        guard let value = section?[key] else { continue }
        let items = (try? value.sequence()) ?? [value]
        for (index, item) in items.enumerated() {
          guard let line = item.text else { continue }
          found.append(
            BoardPin(
              device: device, terminal: items.count > 1 ? "\(key) \(index + 1)" : key, line: line,
              pin: isElsewhere ? nil : pins[line]))
        }
      }
    }
    add(.lamp, root["lamp"], ["line", "red", "green", "blue", "data", "clock"])
    add(.motor, root["motor"], ["line"])
    add(.buzzer, root["buzzer"], ["line"])
    add(.view, root["buttons"]?["view"], ["line"])
    add(.close, root["buttons"]?["close"], ["line"])
    add(.dim, root["buttons"]?["dim"], ["line"])
    add(.lightSensor, root["light-sensor"], ["line"])
    add(.ringSilent, root["switch"]?["ring-silent"], ["line"])
    let display = root["display"]
    add(.display, display, BoardDocument.lineKeys(ofDisplay: display?["type"]?.text ?? ""))
    return found
  }

  /// Returns the pins of each supply, by the header: `GND`, `3.3V`, `5V`.
  public static func supplies(of document: BoardDocument) -> [(name: String, pins: [String])] {
    let supplies = (try? document.root["header"]?["supplies"]?.entries()) ?? []
    return supplies.map { entry in (entry.key, ((try? entry.value.sequence()) ?? []).compactMap(\.text)) }
  }

  /// Returns the pins of each header that have lines.
  public static func lines(of document: BoardDocument) -> [(pin: String, line: String)] {
    let lines = (try? document.root["header"]?["lines"]?.entries()) ?? []
    return lines.map { ($0.key, $0.value.text ?? "") }
  }

  /// The order of pins: by their header, if there are several, then by their number: `P8.11`, `7`.
  public static func order(_ pin: String) -> (String, Int) {
    let parts = pin.split(separator: ".")
    return (parts.count > 1 ? String(parts[0]) : "", Int(parts.last ?? "") ?? 0)
  }
}
