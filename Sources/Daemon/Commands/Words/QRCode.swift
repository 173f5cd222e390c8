import ArgumentParser
import CQREncode
import CommandSupport
import DeskbellDaemon
import Glibc

/// A text as a QR code for a terminal, black on white, with two rows of squares in a line.
struct QRCode {
  /// The width of the white edge that readers need, in squares [ISO/IEC 18004, 6.3.8].
  private static let edge = 4

  private let width: Int
  /// The squares row by row; true is black.
  private let squares: [Bool]

  /// Encodes a text; nil for an empty one, and for one of more than 2,953 bytes.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    self.width = width
    squares = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
  }

  /// - Parameter hasColor: black on white in any terminal; if false, the blocks have the terminal's own colour.
  func text(hasColor: Bool) -> String {
    let rows = -QRCode.edge..<width + QRCode.edge
    return stride(from: rows.lowerBound, to: rows.upperBound, by: 2).map { row in
      let line = rows.map { column in
        switch (isBlack(row, column), isBlack(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
      return hasColor ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
    }.joined(separator: "\n")
  }

  private func isBlack(_ row: Int, _ column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && squares[row * width + column]
  }
}

/// `--qr`, `--json` and the daemon, for commands that print a topic or a hook.
struct KeyOutputOptions: ParsableArguments {
  @Flag(name: .customLong("qr"), help: "Also show the address as a QR code, for a phone's camera.")
  var isCodeWanted = false
  @OptionGroup var options: DaemonQuery

  /// Prints a topic or hook, followed by the code if it is requested and its key is new.
  func show(_ ask: (ControlClient) async throws -> KeyReport) async throws {
    let report = try await ask(options.client())
    try options.json.print(report, KeyWords.text)
    guard isCodeWanted, !options.json.isWanted, let code = KeyWords.opening(report).flatMap(QRCode.init) else { return }
    try Output.line("")
    Output.prompt(code.text(hasColor: isatty(STDOUT_FILENO) == 1) + "\n")
  }
}
