import ArgumentParser
import Board
import CommandSupport
import Glibc
import HeldFolders
import Installation
import ProviderClient
import StrictYAML

struct BoardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board",
    abstract: "Write a board file of your own.",
    discussion: """
      Examples:
        deskbell board new desk.yaml
        deskbell check desk.yaml
        sudo deskbell setup --board desk.yaml
      """,
    subcommands: [New.self])

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Write a checked board file, and a drawing of its header.",
      discussion: """
        Asks which shipped board it is like, for the display, and what is on which pin; prints where each wire goes and \
        draws the header with these pins beside the file, as SVG. For a board that is like none it asks for the chip \
        and lines as gpiodetect and gpioinfo show them; then there is no header to draw.

        --with answers the questions in one line of YAML. Its keys: like (a shipped board) or chip, board (the name), \
        lamp, lamp-active (high, low), motor, buzzer, buzzer-frequency (of one without a tone of its own), view, close, \
        dim, ring-silent, light-sensor (pins, or lines if there is no header), display (a shipped one), display-pins, if \
        the display is not on the pins of docs/wiring, and buses-off (buses whose pins are used, such as [I2C]). lamp is \
        the pin of an LED, or as in a board file: { type: rgb, red: 11, green: 13, blue: 15 }, { type: apa102, data: 16, \
        clock: 18, lamps: 8 }.

        Examples:
          deskbell board new desk.yaml
          deskbell board new desk.yaml --with \\
            '{ like: raspberry-pi-4, board: Desk, lamp: 11, display: max7219 }'
          deskbell board new lights.yaml --with \\
            '{ like: raspberry-pi-4, board: Lights, buzzer: 12, buzzer-frequency: 2000,
               lamp: { type: rgb, red: 11, green: 13, blue: 15 } }'
          deskbell board new shop.yaml --json --with \\
            '{ chip: gpiochip0, board: Shop, lamp: 17, display: tm1637,
               display-pins: { clock: 23, data: 24 } }'
        """)

    @Argument(help: ArgumentHelp("The file to write. The drawing has its name, with .svg.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("The answers, as one line of YAML.", valueName: "yaml"))
    var with: String?
    @Flag(help: "Replace an existing file; it is kept with ~ added to its name.")
    var force = false
    @OptionGroup var json: JSONOption

    func validate() throws {
      guard file.hasSuffix(".yaml") else { throw ValidationError("The file's name must end with .yaml.") }
    }

    func run() throws {
      guard force || access(file, F_OK) != 0 else {
        throw Failure("\(file) already exists", hint: "give --force, or another name")
      }
      guard with != nil || Questions.canAsk && !json.isWanted else {
        throw ValidationError(
          "board new needs a terminal, or --with, such as --with '{ like: raspberry-pi-4, board: Desk }'.")
      }
      let report: NewBoard
      do {
        let draft = try with.map { try BoardDraft(yaml: $0) } ?? BoardQuestions().draft()
        report = try New.write(draft, to: file)
      } catch let error as InstallationError {
        throw Failure("\(error)", hint: "nothing was written")
      } catch let error as StrictYAMLError {
        throw Failure(error.diagnostics.map(\.description).joined(separator: "\n"), hint: "nothing was written")
      }
      try json.print(report, New.words)
    }

    /// Writes the file and its drawing, if the daemon would read the file.
    static func write(_ draft: BoardDraft, to file: String) throws -> NewBoard {
      let document = try store(draft.text(), at: file)
      var board = NewBoard(file: file, drawing: nil, wires: BoardPin.all(of: document), supplies: [:])
      guard let svg = HeaderDrawing(of: document, title: draft.board)?.svg else { return board }
      let drawing = "\(file.dropLast(".yaml".count)).svg"
      try held {
        () throws(HeldFolder.Fault) in
        try HeldFolder.withDraft(Array(svg.utf8), for: drawing, mode: 0o644, makingMissing: 0o755) {
          folder, draft, name throws(HeldFolder.Fault) in try folder.rename(draft, to: name)
        }
      }
      board.drawing = drawing
      board.supplies = Dictionary(BoardPin.supplies(of: document).map { ($0.name, $0.pins) }) { first, _ in first }
      return board
    }

    /// Writes a board file, if it has no errors; an existing one is kept under its name with `~`.
    private static func store(_ text: String, at file: String) throws -> BoardDocument {
      var document: BoardDocument?
      var errors: [String] = []
      try held {
        () throws(HeldFolder.Fault) in
        _ = try FileReplacement.write(Array(text.utf8), to: file) { path in
          do {
            document = try ShippedBoard.document(of: path)
            _ = try document?.description()
          } catch let error as StrictYAMLError {
            errors = error.diagnostics.map { $0.description.replacing("\(path):", with: "\(file):") }
          } catch {
            errors = ["\(error)"]
          }
          return errors
        }
      }
      guard errors.isEmpty, let document else {
        throw Failure(
          "this board cannot be used\n" + errors.joined(separator: "\n"), hint: "nothing was written: choose other pins"
        )
      }
      return document
    }

    private static func held(_ write: () throws(HeldFolder.Fault) -> Void) throws(Failure) {
      do throws(HeldFolder.Fault) {
        try write()
      } catch {
        throw Failure("\(error.path) cannot be written: \(error.reason)", hint: "name a file in another folder")
      }
    }

    static func words(_ board: NewBoard) -> String {
      let rows = board.wires.map { [$0.device.rawValue, $0.terminal, $0.line, $0.pin ?? ""] }
      var lines = ["Wrote \(board.file)" + (board.drawing.map { " and \($0)" } ?? ""), ""]
      lines += [table(["DEVICE", "TERMINAL", "LINE", "PIN"], rows) ?? "No device has a line."]
      lines += board.supplies.keys.sorted().map { "\($0): pins \((board.supplies[$0] ?? []).joined(separator: ", "))" }
      return
        (lines + [
          "",
          "Resistors, transistors and level shifters: docs/wiring/README.md. Disconnect the supply before you wire.",
          "Test each wire and use it:", "  sudo deskbell setup --board \(CurlLine.quoted(board.file))",
        ]).joined(separator: "\n")
    }
  }
}

struct NewBoard: Encodable, Equatable {
  var file: String
  /// Nil if the board has no header.
  var drawing: String?
  var wires: [BoardPin]
  var supplies: [String: [String]]
}
