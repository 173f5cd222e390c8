import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials

struct RequestsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "List the requests that providers sent to a test bench.",
    discussion: """
      Prints the last 20 requests that match the filters, or as many as --last says; with --since, all after that number. \
      Refused requests are included. C is the connection and S its HTTP/2 stream. BY is the part that gave the answer: \
      the handset, a limit of the port, or a fault by its name. A test bench keeps the newest 10,000 requests. \
      Credentials are shown as the beginning of their SHA-256.

      --follow prints each request when it has ended. --json prints one JSON object per line, with all header fields and \
      the payload.

      Examples:
        deskbell requests
        deskbell requests --app com.example.mailroom --status 503
        deskbell requests --push 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
        deskbell requests --follow --json | grep '"status":429'
      """)

  enum Limits {
    static let standard = 20
    static let last = 1...10_000
  }

  @Flag(help: "Keep printing requests as they end, until Ctrl-C.")
  var follow = false
  @Option(help: ArgumentHelp("Only requests after this number.", valueName: "number"))
  var since: Int?
  @Option(help: ArgumentHelp("The number of requests. Default: 20; with --since, all.", valueName: "number"))
  var last: Int?
  @Option(help: ArgumentHelp("Only requests of this app.", valueName: "app"), completion: .apps)
  var app: String?
  @Option(help: ArgumentHelp("Only requests of this provider.", valueName: "name"), completion: .providers)
  var provider: String?
  @Option(help: ArgumentHelp("Only requests for this handset.", valueName: "name"), completion: .handsets)
  var handset: String?
  @Option(help: ArgumentHelp("Only requests that were answered with this status.", valueName: "status"))
  var status: Int?
  @Option(help: ArgumentHelp("Only requests on this connection.", valueName: "number"))
  var connection: Int?
  @Option(help: ArgumentHelp("Only requests of this push.", valueName: "id"))
  var push: String?
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func validate() throws {
    if let last, !Limits.last.contains(last) { throw ValidationError("--last is 1 to \(Limits.last.upperBound).") }
    if let since, since < 0 { throw ValidationError("--since is a request's number, 0 or more.") }
    if let status, !(100...599).contains(status) { throw ValidationError("--status is 100 to 599.") }
  }

  func run() async throws {
    let client = try control.client()
    var filter = ControlClient.RequestFilter()
    (filter.after, filter.app, filter.provider, filter.handset) = (since, app, provider, handset)
    (filter.status, filter.connection, filter.push) = (status, connection, push)
    filter.last = last ?? (since == nil ? Limits.standard : nil)
    guard follow else {
      let requests = try await client.requests(filter)
      guard !json.isWanted else {
        for request in requests { try Output.line(RequestWords.json(request)) }
        return
      }
      return try Output.line(RequestWords.table(requests) ?? "No request has come.")
    }
    try await client.followRequests(filter) { request, line in
      try Output.line(json.isWanted ? line.printableJSON : RequestWords.line(request))
    }
    throw Failure(
      "the daemon stopped", hint: "start a test bench with 'deskbell bench'", code: Program.Exit.noDaemon)
  }
}

/// Requests in words: a table, or a line each.
enum RequestWords {
  static func table(_ requests: [RequestReport], _ clock: ClockFace = .local) -> String? {
    CommandSupport.table(
      ["NO.", "TIME", "C", "S", "APP", "TYPE", "PRIORITY", "PUSH", "ANSWER", "BY", "LINT"],
      requests.map { request in
        [
          "\(request.request)", clock.time(request.wallMicroseconds), "\(request.connection)",
          request.stream.map(String.init) ?? "-", oneLine(request.app ?? "-"),
          oneLine(request.pushType ?? kind(of: request)), oneLine(request.priority ?? "-"),
          oneLine(request.push ?? "-"), answer(of: request), source(of: request),
          request.lint.isEmpty ? "-" : request.lint.joined(separator: ","),
        ]
      })
  }

  /// One request: `#3 10:00:00.000 c1 s5 com.example.mail alert p10 8C07… 503 ServiceUnavailable fault busy`.
  static func line(_ request: RequestReport, _ clock: ClockFace = .local) -> String {
    var words = ["#\(request.request)", clock.time(request.wallMicroseconds), "c\(request.connection)"]
    if let stream = request.stream { words.append("s\(stream)") }
    words.append(request.app ?? "-")
    words.append(request.pushType ?? kind(of: request))
    if let priority = request.priority { words.append("p\(priority)") }
    if let push = request.push { words.append(push) }
    words.append(answer(of: request))
    let source = source(of: request)
    if source != "-" { words.append(source) }
    words += request.lint
    return oneLine(words.joined(separator: " "))
  }

  static func json(_ request: RequestReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(request), as: UTF8.self).printableJSON
  }

  private static func kind(of request: RequestReport) -> String {
    request.protocol == "apns" || request.protocol == "none" ? "-" : request.protocol
  }

  private static func answer(of request: RequestReport) -> String {
    guard let answer = request.answer else { return request.end ?? "none yet" }
    return oneLine("\(answer.status)" + (answer.reason.map { " \($0)" } ?? ""))
  }

  private static func source(of request: RequestReport) -> String {
    guard let answer = request.answer else { return "-" }
    return oneLine(answer.by + (answer.fault.map { " \($0)" } ?? ""))
  }
}
