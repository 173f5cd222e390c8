// The files that setup writes for the service: each replaces the one before, which can be put back, and a board or
// display file of the user's own is copied if the service could not read it.

import Board
import CommandSupport
import FoundationEssentials
import Glibc
import HeldFolders
import Installation
import StrictYAML

/// A file that was written, and that can be replaced by the one before it.
struct FileReplacement: Equatable {
  var path: String
  /// True if there was a file before. It has the same name with `~`.
  var hasOld: Bool

  /// Writes a file as a whole or not at all; an existing one is kept under its name with `~`. All users may read it,
  /// whatever the process's umask is.
  /// - Parameter errors: returns what is wrong with the draft at a path; then nothing is written.
  /// - Returns: nil if the draft has errors.
  static func write(
    _ bytes: [UInt8], to path: String, unless errors: (_ draft: String) -> [String]
  ) throws(HeldFolder.Fault) -> FileReplacement? {
    var written: FileReplacement?
    try HeldFolder.withDraft(bytes, for: path, mode: 0o644, makingMissing: 0o755) {
      folder, draft, name throws(HeldFolder.Fault) in
      guard errors(folder.file(draft)).isEmpty else { return }
      let hasOld = folder.contains(name)
      if hasOld { try folder.rename(name, to: "\(name)~") }
      try folder.rename(draft, to: name)
      written = FileReplacement(path: path, hasOld: hasOld)
    }
    return written
  }

  /// Puts the file before back, or removes this one if there was none.
  func undo() throws(HeldFolder.Fault) {
    let (folder, name) = (try HeldFolder(HeldFolder.parent(of: path)), HeldFolder.name(of: path))
    if hasOld { try folder.rename("\(name)~", to: name) } else { try folder.remove(name) }
    try folder.synchronize()
  }
}

/// A board or display file of the user's own, copied to where the service can read it.
struct ServiceCopy: Encodable, Equatable {
  var from: String
  var to: String

  /// The folders that the service cannot read: ProtectHome= hides the first three, PrivateTmp= gives it other ones for
  /// the last two.
  static let hiddenFolders = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

  /// Returns the copies that the service needs, and the choice with their paths.
  /// - Parameters:
  ///   - choice: with absolute paths.
  ///   - settings: the settings file, in whose folder the copies are.
  /// - Throws: `Failure` if a file names other files, which would not be beside its copy.
  static func all(
    for choice: BoardChoice, beside settings: String, hiddenFolders: [String] = ServiceCopy.hiddenFolders
  ) throws(Failure) -> (choice: BoardChoice, copies: [ServiceCopy]) {
    let folder = HeldFolder.parent(of: settings)
    var (result, copies) = (choice, [ServiceCopy]())
    var taken: Set = [HeldFolder.name(of: settings)]
    func moved(_ path: String, _ kind: String) throws(Failure) -> String {
      guard hiddenFolders.contains(where: { path.hasPrefix("\($0)/") }), HeldFolder.parent(of: path) != folder else {
        return path
      }
      let root = try? YAMLDocument.parse(contentsOf: path).root
      if let other = ["header", "display"].compactMap({ root?[$0]?.text }).first(where: { $0.contains("/") }) {
        throw Failure(
          "the service cannot read \(path), and setup does not copy it, because it names another file: \(other)",
          hint: "put both into \(folder), and give the path there")
      }
      let own = HeldFolder.name(of: path)
      let name = taken.contains(own) ? "\(kind)-\(own)" : own
      taken.insert(name)
      copies.append(ServiceCopy(from: path, to: "\(folder)/\(name)"))
      return "\(folder)/\(name)"
    }
    result.board = try moved(choice.board, "board")
    if let display = choice.display { result.display = try moved(display, "display") }
    return (result, copies)
  }

  /// Makes the copy, if the same is not there already.
  /// - Parameter errors: returns what is wrong with the copy's draft: the user may change the file at any moment.
  func make(unless errors: (_ draft: String) -> [String]) throws(Failure) -> FileReplacement? {
    guard let bytes = FileManager.default.contents(atPath: from) else {
      throw Failure("\(from) cannot be read", hint: "give the path of another file")
    }
    if FileManager.default.contents(atPath: to) == bytes { return nil }
    var found: [String] = []
    let written: FileReplacement?
    do throws(HeldFolder.Fault) {
      written = try FileReplacement.write(Array(bytes), to: to) { draft in
        found = errors(draft).map { $0.replacing(draft, with: from) }
        return found
      }
    } catch {
      throw Failure("\(error.path) cannot be written: \(error.reason)", hint: "copy \(from) there yourself")
    }
    guard found.isEmpty else { throw Failure("\(from) cannot be used\n" + found.joined(separator: "\n")) }
    return written
  }

  var words: String { "Copied \(from) to \(to), where the service can read it." }
}
