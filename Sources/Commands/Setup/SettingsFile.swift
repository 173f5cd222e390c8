// The settings file that setup writes: what was asked, with a word on each, for a person to go on from. It is read by
// the daemon's own reader before it takes the place of another.

import DeskbellDaemon
import Glibc

struct SettingsFile {
  var board: String
  /// Nil for no speaker of its own: what is not said stays the default.
  var pcm: String?
  var listen: String?
  var names: [String]
  var state: String?
  var control: String?

  var text: String {
    var lines = [
      "# Written by deskbell setup. 'deskbell check' reads it as the daemon does; README.md has every key.",
      "board: \(SettingsFile.quoted(board)) # a shipped board, or the path of a file",
    ]
    if let pcm { lines.append("speaker: { pcm: \(SettingsFile.quoted(pcm)) } # the ALSA PCM that sounds play on") }
    if let listen { lines.append("listen: \(SettingsFile.quoted(listen)) # where providers send to") }
    if !names.isEmpty {
      let list = names.map(SettingsFile.quoted).joined(separator: ", ")
      lines.append("tls-names: [\(list)] # further names in the server's certificate")
    }
    if let state { lines.append("state: \(SettingsFile.quoted(state)) # the database, certificates, sounds") }
    if let control { lines.append("control: \(SettingsFile.quoted(control)) # the control socket") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Double quotes take every character, where `\` and `"` are escaped [YAML 1.1, 5.7].
  static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
  }

  /// `/etc/deskbell/deskbell.yaml` for root, else in this user's own configuration folder.
  static func standardPath(_ environment: Environment) throws(Failure) -> String {
    if geteuid() == 0 { return "/etc/deskbell/deskbell.yaml" }
    return "\(try KeyFile.folder(environment))/deskbell.yaml"
  }

  /// Writes the file whole or not at all; one that was there stays beside it, its name with `~`.
  /// - Throws: `Failure`.
  func write(to path: String) throws(Failure) {
    let draft = "\(path).new.yaml"
    try SettingsFile.makeFolder(of: path)
    try SettingsFile.write(text, to: draft)
    let errors = DeskbellDaemon.check(path: draft).errors
    guard errors.isEmpty else {
      unlink(draft)
      throw Failure("what was chosen cannot be used\n" + errors.joined(separator: "\n"), hint: "choose otherwise")
    }
    if access(path, F_OK) == 0, rename(path, "\(path)~") != 0 { throw SettingsFile.failed(path, errno) }
    if rename(draft, path) != 0 { throw SettingsFile.failed(path, errno) }
  }

  private static func makeFolder(of path: String) throws(Failure) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    if access(folder, F_OK) == 0 { return }
    try makeFolder(of: folder)
    if mkdir(folder, 0o755) != 0 && errno != EEXIST { throw failed(folder, errno) }
  }

  /// For everybody to read, as the daemon's user must: there is no secret in it.
  private static func write(_ text: String, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failed(path, errno) }
    let bytes = Array(text.utf8)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    let code = errno
    guard fsync(descriptor) == 0, close(descriptor) == 0, written == bytes.count else { throw failed(path, code) }
  }

  private static func failed(_ path: String, _ code: CInt) -> Failure {
    Failure(
      "\(path) cannot be written: \(String(cString: strerror(code)))",
      hint: "run this as root (sudo deskbell setup), or name another file with --config")
  }
}
