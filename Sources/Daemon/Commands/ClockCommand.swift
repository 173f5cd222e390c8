import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Show the handset's clock, or advance a virtual one.",
    discussion: """
      With 'serve --clock virtual' the handset's time moves only when it is advanced. Everything that becomes due \
      meanwhile happens in order, each at its own time.

      Examples:
        deskbell clock
        deskbell clock advance 45m
        deskbell clock advance 1d12h --json
      """,
    subcommands: [Show.self, Advance.self],
    defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the handset's clock.", shouldDisplay: false)

    @OptionGroup var options: DaemonQuery

    func run() async throws {
      try options.json.print(await options.client().clock()) { ClockCommand.line($0) }
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Advance a virtual clock; everything due until then happens.",
      discussion: "Waits for app processes that this starts.")

    @Argument(help: ArgumentHelp("How far: 90s, 45m, 1h30m, 30d.", valueName: "duration"))
    var duration: SpanOfTime
    @OptionGroup var options: DaemonQuery

    func validate() throws {
      guard ControlLimits.advanceSeconds.contains(duration.seconds) else {
        throw ValidationError("The clock advances by 1 s to 366 d at a time.")
      }
    }

    func run() async throws {
      let clock = try await options.client().advanceClock(bySeconds: duration.seconds)
      try options.json.print(clock) { ClockCommand.line($0) }
    }
  }

  static func line(_ clock: ClockReport, _ face: ClockFace = .local) -> String {
    "\(face.dateAndTime(clock.wallMicroseconds)), up \(roughly(microseconds: clock.uptimeMicroseconds)), "
      + "\(clock.clock) clock\(clock.all == true ? " for all" : "")"
  }
}

/// A time in whole seconds, written as `90s`, `45m`, `1h30m`, `30d`.
struct SpanOfTime: Hashable {
  var seconds: Int64

  private static let units: [(letter: Character, seconds: Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
}

extension SpanOfTime: LosslessStringConvertible, ExpressibleByArgument {
  /// Parses numbers, each with its unit, the units from large to small and none twice; nil for anything else.
  init?(_ text: String) {
    var total: Int64 = 0
    var rest = text[...]
    for unit in SpanOfTime.units {
      guard let end = rest.firstIndex(of: unit.letter) else { continue }
      let digits = rest[..<end]
      guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: unit.seconds)
      let (sum, overflowToo) = total.addingReportingOverflow(product)
      guard !overflow && !overflowToo else { return nil }
      total = sum
      rest = rest[rest.index(after: end)...]
    }
    guard rest.isEmpty && !text.isEmpty else { return nil }
    seconds = total
  }

  /// The form in which it is typed: `1h30m`.
  var description: String {
    var rest = seconds
    let parts = SpanOfTime.units.compactMap { unit -> String? in
      defer { rest %= unit.seconds }
      return rest >= unit.seconds ? "\(rest / unit.seconds)\(unit.letter)" : nil
    }
    return parts.isEmpty ? "0s" : parts.joined()
  }
}
