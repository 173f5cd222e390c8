import DeskbellDaemon
import Glibc
import SystemThreads

/// The variables by which a test and its provider find a bench, in their order.
struct BenchVariables {
  let all: [(name: String, value: String)]

  init(_ bench: BenchReport, control: String) {
    var all = [
      ("BELL_URL", bench.url), ("BELL_CA", bench.certificateAuthority), ("BELL_KEY", bench.key),
      ("BELL_KEY_ID", bench.keyID), ("BELL_TEAM_ID", bench.teamID), ("BELL_CONTROL", control),
    ]
    if let clock = bench.clock { all.append(("BELL_CLOCK", clock)) }
    if let first = bench.tokens.first { all.append(("BELL_TOKEN", first.token)) }
    if bench.tokens.count > 1 { all += bench.tokens.map { ("BELL_TOKEN_\($0.handset)", $0.token) } }
    // Deskbell's own commands find it too.
    all += [("BELL_PID", "\(bench.process)"), ("DESKBELL_CONTROL", control)]
    self.all = all.map { (name: $0.0, value: $0.1) }
  }

  var object: [String: String] { Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.value) }) }

  /// Lines for `eval`.
  var shellLines: String { all.map { "export \($0.name)=\(BenchVariables.quoted($0.value))" }.joined(separator: "\n") }

  /// Lines as in `$GITHUB_ENV` and in files for `docker --env-file`.
  var fileLines: String { all.map { "\($0.name)=\($0.value)\n" }.joined() }

  /// Returns the text as one word of a shell.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
        || "_-./:+=@%".utf8.contains(byte)
    }
    if isPlain && !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// Adds the lines to a file, which is made for this user alone if it is missing.
  func append(to path: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    let bytes = Array(fileLines.utf8)
    try writeAll(bytes.span.bytes, to: descriptor)
  }
}
