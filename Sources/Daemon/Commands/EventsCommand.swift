import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore
import StrictYAML

struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "List events and their reasons.",
    discussion: """
      Prints the last 20 events that match the filters, or as many as --last says; with --since, all after that number. \
      Old events are deleted, refusals separately from the others; if events after --since are gone, one warning goes to \
      standard error. --json prints one JSON object per line.

      --wait prints the first event from now on, or after --since, for which every term is true, and exits with 0. A \
      term is KEY=VALUE or KEY!=VALUE; the keys are event, app, push and the event's own, as --json names them. After \
      --timeout it exits with 1.

      --settled waits until nothing of the --push, the --app or the handset is under way: requests without an answer, \
      commits, digits, lamp, sounds, programs. Then it prints what came of the pushes after --since. After --timeout, \
      or 10 seconds, it names what is under way and exits with 1. Only a test bench has it.

      Examples:
        deskbell events
        deskbell events --last 100 --app com.example.mailroom --kind presented,held
        deskbell events --push 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell events --follow --since 1200
        deskbell events --wait 'event=sound-started name=letter' --timeout 30s
        deskbell events --settled --app com.example.mailroom --timeout 30s
        deskbell events --json --since 0 | grep '"event":"refused"'
      """)

  enum Limits {
    static let standard = 20
    static let last = 1...1_000_000
    /// The events that are read for the last ones: this number first, and then four times as many each time.
    static let window: UInt64 = 256
  }

  @Flag(help: "Keep printing new events until Ctrl-C.")
  var follow = false
  @Option(help: ArgumentHelp("Only events after this number.", valueName: "number"))
  var since: UInt64?
  @Option(help: ArgumentHelp("The number of events. Default: 20; with --since, all.", valueName: "number"))
  var last: Int?
  @Option(help: ArgumentHelp("Only events of this app.", valueName: "app"), completion: .apps)
  var app: String?
  @Option(help: ArgumentHelp("Only events of these kinds, separated by commas.", valueName: "kind,kind"))
  var kind: String?
  @Option(help: ArgumentHelp("Only events of this push.", valueName: "id"))
  var push: String?
  @Option(
    help: ArgumentHelp("Wait for an event, such as 'event=presented app=com.example.mailroom'.", valueName: "terms"))
  var wait: EventFilter?
  @Flag(help: "In a test bench: wait until nothing is under way, and print what came of the pushes.")
  var settled = false
  @Option(
    help: ArgumentHelp("With --wait and --settled: the longest wait, such as 500ms, 30s, 5m.", valueName: "duration"))
  var timeout: WaitingTime?
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    if let last, !Limits.last.contains(last) { throw ValidationError("--last is 1 to \(Limits.last.upperBound).") }
    if wait != nil && (follow || last != nil) {
      throw ValidationError("--wait prints one event: leave out --follow and --last.")
    }
    if timeout != nil && wait == nil && !settled { throw ValidationError("--timeout needs --wait or --settled.") }
    if settled && (wait != nil || follow || kind != nil) {
      throw ValidationError("--settled prints pushes: leave out --wait, --follow and --kind.")
    }
    _ = try filter()
  }

  func run() async throws {
    let client = try options.client()
    if settled { return try await printSettled(client) }
    let filter = try filter()
    if wait != nil { return try await waitFor(filter, client) }
    var reader = EventReader(client: client, filter: filter)
    var isGapKnown = since == nil
    func show(_ event: EventReport, _ line: String) throws {
      if !isGapKnown, let gap = EventWords.gap(from: since.map { $0 &+ 1 }, to: event.sequence), filter.isEmpty {
        Output.complaint(gap)
      }
      isGapKnown = true
      try Output.line(options.json.isWanted ? line.printableJSON : EventWords.line(event))
    }
    if since == nil || last != nil {
      for (event, line) in try await reader.last(last ?? Limits.standard, after: since ?? 0) { try show(event, line) }
      guard follow else { return }
    } else {
      reader.position = since ?? 0
    }
    try await reader.read(follow: follow) { event, line in
      try show(event, line)
      return true
    }
    // A stream that follows ends with the daemon.
    if follow { throw EventsCommand.daemonStopped(after: reader.position) }
  }

  private func filter() throws -> EventFilter {
    var filter = wait ?? EventFilter()
    if let app { filter.terms.append(.init(key: "app", isEqual: true, values: [app])) }
    if let push { filter.terms.append(.init(key: "push", isEqual: true, values: [push])) }
    if let kind {
      let kinds = splitList(kind)
      for name in kinds where Event.Name(rawValue: name) == nil {
        let names = Event.Name.allCases.map(\.rawValue)
        throw ValidationError(
          "There is no kind '\(name)' of event. "
            + (nearest(name, among: names).map { "Did you mean '\($0)'?" }
              ?? "There are \(names.joined(separator: ", "))."))
      }
      filter.terms.append(.init(key: "event", isEqual: true, values: kinds))
    }
    return filter
  }

  private func waitFor(_ filter: EventFilter, _ client: ControlClient) async throws {
    let from = if let since { since } else { try await client.state().lastEvent }
    guard let found = try await EventReader.first(filter, after: from, client, within: timeout?.duration)
    else { throw Failure("no such event within \(timeout?.text ?? "")") }
    try Output.line(options.json.isWanted ? found.line.printableJSON : EventWords.line(found.event))
  }

  private func printSettled(_ client: ControlClient) async throws {
    let report = try await client.settled(
      push: push, app: app, after: since ?? 0, last: last, within: timeout?.duration ?? .seconds(10))
    try options.json.print(report) { EventsCommand.text($0) }
  }

  static func text(_ report: SettledReport) -> String {
    let rows = report.pushes.map { push in
      let times = [("lamp", push.lamp), ("digits", push.digits), ("sound", push.sound)].compactMap { name, time in
        time.map { "\(name) \(decimal($0 / 1_000, places: 3)) s" }
      }
      return [
        push.push, push.app ?? "-", push.status.map(String.init) ?? "-", "\(push.presented)", push.rang ? "yes" : "no",
        times.isEmpty ? "-" : times.joined(separator: ", "), oneLine(push.why),
      ]
    }
    return table(["PUSH", "APP", "STATUS", "PRESENTED", "RANG", "UPTIME", "WHY"], rows)
      ?? "Nothing is under way, and there are no pushes."
  }

  static func daemonStopped(after sequence: UInt64) -> Failure {
    Failure(
      "the daemon stopped", hint: "when it runs again, continue with 'deskbell events --follow --since \(sequence)'",
      code: Program.Exit.noDaemon)
  }
}

struct EventReader {
  let client: ControlClient
  let filter: EventFilter
  /// The number of the last event that was read, even if it did not match.
  var position: UInt64 = 0

  /// Returns the first matching event after that number; nil after `limit`, if there is one.
  /// - Throws: `Failure` if the daemon stops.
  static func first(
    _ filter: EventFilter, after position: UInt64, _ client: ControlClient, within limit: Duration?
  ) async throws -> (event: EventReport, line: String)? {
    try await withThrowingTaskGroup(of: (event: EventReport, line: String)?.self) { tasks in
      tasks.addTask {
        var reader = EventReader(client: client, filter: filter, position: position)
        var found: (EventReport, String)?
        try await reader.read(follow: true) { event, line in
          found = (event, line)
          return false
        }
        guard let found else { throw EventsCommand.daemonStopped(after: reader.position) }
        return found
      }
      if let limit {
        tasks.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? nil
    }
  }

  /// Passes each event with its line to `body` until it returns true.
  mutating func read(follow: Bool, _ body: (EventReport, String) throws -> Bool) async throws {
    struct Enough: Error {}
    do {
      try await client.events(after: position, follow: follow) { line in
        let event = try client.event(line)
        position = event.sequence
        if filter.accepts(event), try !body(event, line) { throw Enough() }
      }
    } catch is Enough {}
  }

  /// Returns the newest events, the oldest of them first. Later events are read by `read`.
  mutating func last(_ count: Int, after oldest: UInt64) async throws -> [(EventReport, String)] {
    let newest = try await client.state().lastEvent
    var window = max(EventsCommand.Limits.window, filter.isEmpty ? UInt64(count) : 0)
    while true {
      position = max(oldest, newest > window ? newest - window : 0)
      let isAll = position == oldest
      var found: [(EventReport, String)] = []
      try await read(follow: false) { event, line in
        found.append((event, line))
        return true
      }
      if found.count >= count || isAll { return found.suffix(count) }
      (window, _) = window.multipliedReportingOverflow(by: 4)
    }
  }
}
