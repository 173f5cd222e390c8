// A file that is whole or not there at all, whatever the moment the power goes: it is written beside its place, and gets
// its name once it is on the disk.

import Glibc
import HeldFolders

/// A whole file that has not got its name yet. Without one it is gone with this value.
struct DraftFile: ~Copyable {
  typealias Fault = HeldFolder.Fault

  /// Where it is until it has its name.
  var path: String { "\(folder.path)/\(draft)" }
  private let folder: HeldFolder
  private let name: String
  private let draft: String

  /// - Parameters:
  ///   - mode: of the file; the process's umask takes from it.
  ///   - folderMode: of the folders on the way that are missing and made.
  init(_ text: String, for destination: String, mode: mode_t, folderMode: mode_t) throws(Fault) {
    let folder = try HeldFolder(HeldFolder.parent(of: destination), makingMissing: folderMode)
    let name = destination.split(separator: "/").last.map(String.init) ?? destination
    // One that is there was left by a process of this number that died over it.
    let draft = "\(name).\(getpid()).new"
    try folder.make(draft, text, mode: mode)
    (self.folder, self.name, self.draft) = (folder, name, draft)
  }

  deinit { try? folder.remove(draft) }

  /// Takes the place of a file that is there, which stays beside it, its name with `~`.
  func replace() throws(Fault) {
    if folder.contains(name) { try folder.rename(name, to: "\(name)~") }
    try folder.rename(draft, to: name)
  }

  /// A file that is there is left alone: another command may have made it in the meantime.
  func putWhereThereIsNone() throws(Fault) {
    do { try folder.link(draft, to: name) } catch { if error.code != EEXIST { throw error } }
  }
}
