import ArgumentParser
import CommandSupport
import DeskbellDaemon
import Glibc
import Lint
import SystemThreads

struct LintCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find what Apple accepts and a careful provider does not send.",
    discussion: """
      Examines the requests that a provider sent: those of a running test bench, or of a file with the output of \
      'deskbell requests --json'. Each finding has a rule, the request's number, the fault and its remedy. \
      docs/lint.md lists the rules and their sources, and so does --rules.

      Exits with 0 if there are no findings, 1 if there are some, and 2 if the file holds no recorded requests.

      Examples:
        deskbell lint
        deskbell lint --provider mailer --since 120 --json
        deskbell lint requests.jsonl --ignore L106,L108
        deskbell requests --since 0 --json | deskbell lint -
        deskbell lint --rules
      """)

  /// The bytes that are read of a file.
  private static let fileLimit = 256 * 1_024 * 1_024

  @Argument(
    help: ArgumentHelp(
      "Recorded requests, as JSON; - reads standard input. Default: those of the running test bench.",
      valueName: "file"))
  var file: String?
  @Option(help: ArgumentHelp("Leave out findings of these rules: codes or names, with commas.", valueName: "rules"))
  var ignore: String?
  @Option(help: ArgumentHelp("Only findings on this provider.", valueName: "name"), completion: .providers)
  var provider: String?
  @Option(help: ArgumentHelp("Only findings on requests for this handset.", valueName: "name"), completion: .handsets)
  var handset: String?
  @Option(help: ArgumentHelp("Only findings on requests after this number.", valueName: "number"))
  var since: Int?
  @Flag(
    help: ArgumentHelp(
      "The provider follows the handset's clock, as in a bench whose clock is virtual for all. For a file."))
  var handsetClock = false
  @Flag(help: "Print the rules.")
  var rules = false
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  private var ignored: [String] { (ignore ?? "").split(separator: ",").map { String($0).trimmed() } }

  func validate() throws {
    if let since, since < 0 { throw ValidationError("--since is a request's number, 0 or more.") }
    for word in ignored where !LintRule.all.contains(where: { $0.isNamed(word) }) {
      throw ValidationError("There is no rule '\(word)'. Run 'deskbell lint --rules' for the list.")
    }
    if handsetClock, file == nil { throw ValidationError("--handset-clock goes with a file; a bench knows its clock.") }
  }

  func run() async throws {
    guard !rules else { return try json.print(LintRule.all.map(RuleReport.init)) { LintCommand.text($0) } }
    let all =
      if let file { try LintCommand.findings(in: file, followsHandset: handsetClock) } else {
        try await control.client().lint().findings
      }
    let ignored = LintRule.all.filter { rule in self.ignored.contains { rule.isNamed($0) } }.map(\.code)
    let findings = all.filter { finding in
      !ignored.contains(finding.code) && finding.request > since ?? 0
        && (provider == nil || finding.provider == provider) && (handset == nil || finding.handset == handset)
    }
    try json.print(findings) { LintCommand.text($0) }
    if !findings.isEmpty { throw ExitCode(Program.Exit.failed) }
  }

  /// - Parameter file: `-` for standard input.
  /// - Throws: `Failure`, exit code 2, if it cannot be read or holds no requests.
  static func findings(in file: String, followsHandset: Bool) throws(Failure) -> [Finding] {
    let name = file == "-" ? "standard input" : file
    let text = try bytes(of: file, named: name)
    let requests: [LintedRequest]
    do throws(RecordedRequests.Fault) {
      requests = try RecordedRequests.read(text)
    } catch {
      let place = error.line.map { ":\($0)" } ?? ""
      throw Failure(
        "\(name)\(place): \(error.problem)", hint: "record requests with: deskbell requests --since 0 --json",
        code: Program.Exit.usage)
    }
    var linters = Linters(followsHandset: followsHandset)
    return linters.examine(requests)
  }

  static func text(_ findings: [Finding]) -> String {
    let rows = findings.map { finding in
      [
        "\(finding.request)", finding.code, oneLine(finding.provider ?? "-"),
        oneLine("\(finding.sentence) \(finding.remedy)"), finding.source,
      ]
    }
    return table(["REQUEST", "RULE", "PROVIDER", "FAULT AND REMEDY", "SOURCE"], rows) ?? "No findings."
  }

  static func text(_ rules: [RuleReport]) -> String {
    table([["RULE", "NAME", "FAULT", "SOURCE"]] + rules.map { [$0.code, $0.name, $0.fault, $0.source] })
  }

  private static func bytes(of file: String, named name: String) throws(Failure) -> [UInt8] {
    let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(
        "\(name) cannot be read: \(SystemError.last.reason)", hint: "check the path", code: Program.Exit.usage)
    }
    defer { if file != "-" { close(descriptor) } }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try readAll(from: descriptor, atMost: fileLimit)
    } catch {
      throw Failure("\(name) cannot be read: \(error.reason)", code: Program.Exit.usage)
    }
    guard bytes.count <= fileLimit else {
      throw Failure(
        "\(name) is too large", hint: "at most \(fileLimit / 1_024 / 1_024) MB are examined", code: Program.Exit.usage)
    }
    return bytes
  }
}

/// A rule in the output of `deskbell lint --rules --json`.
struct RuleReport: Encodable {
  let code, name, fault, remedy, source: String
  /// The address of the document; absent for advice.
  let address: String?

  init(_ rule: LintRule) {
    (code, name, fault, remedy) = (rule.code, rule.name, rule.fault, rule.remedy)
    (source, address) = (rule.source.text, rule.source.address)
  }
}

extension LintRule {
  /// - Parameter word: a code or a name, in any case.
  fileprivate func isNamed(_ word: String) -> Bool {
    code.lowercased() == word.lowercased() || name == word.lowercased()
  }
}
