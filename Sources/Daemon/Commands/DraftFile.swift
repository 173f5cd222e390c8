// A file that is complete or missing, even after a power cut: it is written under another name, and gets its own name
// once it is on the disk.

import Glibc
import HeldFolders

/// A complete file without its final name. Unless it gets one, it is removed with this value.
struct DraftFile: ~Copyable {
  typealias Fault = HeldFolder.Fault

  /// The temporary path.
  var path: String { "\(folder.path)/\(draft)" }
  private let folder: HeldFolder
  private let name: String
  private let draft: String

  /// - Parameters:
  ///   - mode: the mode of the file, reduced by the process's umask.
  ///   - folderMode: the mode of missing parent folders, which are made.
  init(_ text: String, for destination: String, mode: mode_t, folderMode: mode_t) throws(Fault) {
    let folder = try HeldFolder(HeldFolder.parent(of: destination), makingMissing: folderMode)
    let name = destination.split(separator: "/").last.map(String.init) ?? destination
    // An existing draft was left by a killed process with this number.
    let draft = "\(name).\(getpid()).new"
    try folder.make(draft, Array(text.utf8), mode: mode)
    (self.folder, self.name, self.draft) = (folder, name, draft)
  }

  deinit { try? folder.remove(draft) }

  /// Replaces an existing file, which is kept under its name with `~`.
  func replace() throws(Fault) {
    if folder.contains(name) { try folder.rename(name, to: "\(name)~") }
    try folder.rename(draft, to: name)
  }

  /// Leaves an existing file alone: another command may have made it in the meantime.
  func putWhereThereIsNone() throws(Fault) {
    do { try folder.link(draft, to: name) } catch { if error.code != EEXIST { throw error } }
  }
}
