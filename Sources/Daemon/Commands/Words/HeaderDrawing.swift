import Board
import Installation

/// The header of a board as SVG: each pin at its place, with the device or supply on it. The drawings of docs/wiring are
/// of the shipped boards, and also show the parts between.
struct HeaderDrawing {
  private struct Pin {
    var name: String
    var words: String
    var colour: String
    var isUsed = false
    var isFree = false
  }

  private var title: String
  /// The columns of pins: two for each header, odd numbers left.
  private var headers: [[Pin]] = []

  /// - Returns: nil for a board without a header.
  init?(of document: BoardDocument, title: String) {
    self.title = title
    var pins: [String: Pin] = [:]
    for (pin, line) in BoardPin.lines(of: document) {
      pins[pin] = Pin(name: pin, words: line, colour: "#d3d8de", isFree: true)
    }
    let colours = ["GND": "#222222", "3.3V": "#ef6c00", "5V": "#c62828"]
    for (supply, names) in BoardPin.supplies(of: document) {
      for pin in names { pins[pin] = Pin(name: pin, words: supply, colour: colours[supply] ?? "#777777") }
    }
    for wire in BoardPin.all(of: document) {
      guard let pin = wire.pin else { continue }
      let terminal = wire.terminal == "line" ? "" : " \(wire.terminal)"
      pins[pin] = Pin(
        name: pin, words: "\(wire.device.rawValue)\(terminal) · \(wire.line)", colour: "#1565c0", isUsed: true)
    }
    guard !pins.isEmpty else { return nil }
    let sorted = pins.values.sorted { BoardPin.order($0.name) < BoardPin.order($1.name) }
    for pin in sorted {
      if let last = headers.last?.last, BoardPin.order(last.name).0 == BoardPin.order(pin.name).0 {
        headers[headers.count - 1].append(pin)
      } else {
        headers.append([pin])
      }
    }
  }

  private static let (pitch, width, middle, top) = (26, 720, 360, 98)

  var svg: String {
    var body = ""
    var y = HeaderDrawing.top
    for header in headers {
      for pin in header {
        let number = BoardPin.order(pin.name).1
        body += row(pin, y + (number - 1) / 2 * HeaderDrawing.pitch, isLeft: number % 2 == 1)
      }
      y += ((header.map { BoardPin.order($0.name).1 }.max() ?? 0) + 1) / 2 * HeaderDrawing.pitch + 20
    }
    let style = "font-family=\"DejaVu Sans, Arial, sans-serif\""
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(HeaderDrawing.width)" height="\(y)" \
      viewBox="0 0 \(HeaderDrawing.width) \(y)" \(style)>
      <title>\(HeaderDrawing.escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="24" y="32" font-size="20" font-weight="bold">\(HeaderDrawing.escaped(title))</text>
      <text x="24" y="54" font-size="12" fill="#555555">Odd pins left, even pins right, pin 1 at the top. \
      Disconnect the supply before you wire.</text>
      <text x="24" y="68" font-size="12" fill="#555555">Resistors, transistors and level shifters between pin and device \
      are not drawn: see docs/wiring.</text>
      \(body)</svg>

      """
  }

  private func row(_ pin: Pin, _ y: Int, isLeft: Bool) -> String {
    let x = HeaderDrawing.middle + (isLeft ? -14 : 14)
    let weight = pin.isUsed ? " font-weight=\"bold\"" : ""
    let anchor = isLeft ? "end" : "start"
    let ink = pin.isFree ? "#1b1f24" : "#ffffff"
    return """
      <circle cx="\(x)" cy="\(y)" r="11" fill="\(pin.colour)" stroke="#30363d"/>
      <text x="\(x)" y="\(y + 3)" font-size="9" text-anchor="middle" fill="\(ink)">\(BoardPin.order(pin.name).1)</text>
      <text x="\(x + (isLeft ? -18 : 18))" y="\(y + 4)" font-size="12" text-anchor="\(anchor)"\(weight)>\
      \(HeaderDrawing.escaped(pin.words))</text>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
