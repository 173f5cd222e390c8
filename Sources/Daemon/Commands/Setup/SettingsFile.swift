// The settings file that setup writes: the answers, with a short explanation of each, for further editing. The daemon's
// own reader checks it before it replaces another one.

import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HeldFolders

struct SettingsFile {
  var board: String
  var display: String?
  /// The ALSA PCM; nil if it is not set: missing keys keep their defaults.
  var pcm: String?
  var listen: String?
  var names: [String]
  var state: String?
  var control: String?

  var text: String {
    let speaker = pcm.map { "{ pcm: \(SettingsFile.quoted($0)) }" }
    let list = names.map(SettingsFile.quoted).joined(separator: ", ")
    let keys: [(key: String, value: String?, meaning: String)] = [
      ("board", SettingsFile.quoted(board), "a shipped board, or the path of a file"),
      ("display", display.map(SettingsFile.quoted), "a shipped display, or the path of a file"),
      ("speaker", speaker, "the ALSA PCM that sounds play on"),
      ("listen", listen.map(SettingsFile.quoted), "where providers send to"),
      ("tls-names", names.isEmpty ? nil : "[\(list)]", "further names in the server's certificate"),
      ("state", state.map(SettingsFile.quoted), "the database, certificates, sounds"),
      ("control", control.map(SettingsFile.quoted), "the control socket"),
    ]
    return """
      # Written by deskbell setup. 'deskbell check' reads it as the daemon does; docs/reference/settings.md has all keys.

      """ + keys.compactMap { key, value, meaning in value.map { "\(key): \($0) # \(meaning)\n" } }.joined()
  }

  /// Quotes a text. Double quotes allow every character if `\` and `"` are escaped [YAML 1.1, 5.7].
  static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
  }

  static let machinePath = "/etc/deskbell/deskbell.yaml"

  /// Returns `machinePath` for root, else a path in this user's own configuration folder.
  static func standardPath(_ environment: Environment) throws(Failure) -> String {
    if geteuid() == 0 { return machinePath }
    return "\(try KeyFile.folder(environment))/deskbell.yaml"
  }

  /// Returns the settings file that `serve` reads if none is named: in the folder that systemd gives the service, else
  /// this user's; nil if there is none.
  static func standing(_ environment: Environment) -> String? {
    let folder = environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first
    let path = folder.map { "\($0)/deskbell.yaml" } ?? (try? standardPath(environment))
    return path.flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }

  /// Returns the settings file of an installation if its daemon does not report it: this user's, else the machine's.
  static func installed(_ environment: Environment) -> String? {
    standing(environment) ?? (access(machinePath, F_OK) == 0 ? machinePath : nil)
  }

  func isWritten(at path: String) -> Bool {
    FileManager.default.contents(atPath: path).map { $0 == Data(text.utf8) } ?? false
  }

  /// Writes the file as a whole or not at all; an existing one is kept under its name with `~`. All users may read it,
  /// as the daemon's user must: it contains no secret.
  @discardableResult func write(to path: String) throws(Failure) -> FileReplacement? {
    var errors: [String] = []
    let written: FileReplacement?
    do throws(HeldFolder.Fault) {
      written = try FileReplacement.write(Array(text.utf8), to: path) { draft in
        errors = DeskbellDaemon.check(path: draft).errors
        return errors
      }
    } catch {
      throw Failure(
        "\(error.path) cannot be written: \(error.reason)",
        hint: "run this as root (sudo deskbell setup), or name another file with --config")
    }
    guard errors.isEmpty else {
      throw Failure("these settings cannot be used\n" + errors.joined(separator: "\n"), hint: "choose others")
    }
    return written
  }
}
