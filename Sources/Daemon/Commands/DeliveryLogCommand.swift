import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore

struct DeliveryLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delivery-log",
    abstract: "Print a push's way as Apple's console does, or count pushes by status.",
    discussion: """
      The identifier is the apns-unique-id of a development answer, or an apns-id. A line in parentheses has our words, \
      because Apple has published none for it. The events behind the lines, with all rules, are in 'deskbell explain'.

      --statuses counts the pushes of all handsets since the daemon's start. With --csv the table is that of Apple's \
      export: Push Type, Status, Date (UTC), Count.

      Examples:
        deskbell delivery-log 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell delivery-log 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
        deskbell delivery-log --statuses
        deskbell delivery-log --statuses --csv > statuses.csv
      """)

  @Argument(help: ArgumentHelp("The push's apns-unique-id or apns-id, in upper or lower case.", valueName: "id"))
  var push: String?
  @Flag(help: "Count pushes by type and status instead.")
  var statuses = false
  @Flag(help: "Print the counts of each day as CSV.")
  var csv = false
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    guard (push == nil) == statuses else {
      throw ValidationError("Give the identifier of a push, or --statuses.")
    }
    if csv && !statuses { throw ValidationError("--csv is for --statuses.") }
    if csv && options.json.isWanted { throw ValidationError("--csv is a form of its own: leave out --json.") }
  }

  func run() async throws {
    let client = try options.client()
    guard let push else {
      let counts = try await client.deliveryStatuses(byDay: csv)
      if csv { return try Output.line(DeliveryLogCommand.csv(counts)) }
      return try options.json.print(counts) { DeliveryLogCommand.text(of: $0) }
    }
    let lines = try await client.deliveryLog(of: PushID(letters: push)?.description ?? push)
    try options.json.print(lines) { DeliveryLogCommand.text($0) }
  }

  static func text(_ lines: [DeliveryLogLine], _ clock: ClockFace = .local) -> String {
    let rows = lines.map { line in
      [
        clock.time(line.wallMicroseconds), line.isApples ? line.line : "(\(line.line))", line.status ?? "",
        line.rule ?? "", oneLine(line.text ?? ""),
      ]
    }
    let push = lines.first.map { line in
      "push \(line.push ?? "")" + (line.app.map { " for \(oneLine($0))" } ?? "")
        + ", \(clock.dateAndTime(line.wallMicroseconds))"
    }
    return [push, table(["TIME", "LINE", "STATUS", "RULE", "WHY"], rows)].compactMap(\.self)
      .joined(separator: "\n\n")
  }

  static func text(of counts: [DeliveryStatusCount]) -> String {
    table(["PUSH TYPE", "STATUS", "COUNT"], counts.map { [$0.pushType, $0.status, "\($0.count)"] })
      ?? "No push has come since the daemon started."
  }

  /// The form of Apple's export. No value has a comma or a quotation mark.
  static func csv(_ counts: [DeliveryStatusCount]) -> String {
    let rows = counts.map { "\($0.pushType),\($0.status),\($0.date ?? ""),\($0.count)" }
    return (["Push Type,Status,Date (UTC),Count"] + rows).joined(separator: "\n")
  }
}
