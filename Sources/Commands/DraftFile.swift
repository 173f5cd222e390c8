// A file that is whole or not there at all, whatever the moment the power goes: it is written beside its place, and gets
// its name once it is on the disk.

import DeskbellDaemon
import Glibc

/// A whole file that has not got its name yet. Without one it is gone with this value.
struct DraftFile: ~Copyable {
  /// What could not be written, and why.
  struct Fault: Error {
    var path: String
    /// As in `errno`.
    var code: CInt

    var reason: String { String(cString: strerror(code)) }
  }

  /// The name that it is going to have.
  let destination: String
  /// Where it is until then.
  let path: String

  /// - Parameter mode: of the file; the process's umask takes from it.
  init(_ text: String, for destination: String, mode: mode_t) throws(Fault) {
    self.destination = destination
    path = "\(destination).\(getpid()).new"
    // Left by a process of this number that died over it.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Fault(path: path, code: errno) }
    var code = write(text, to: descriptor) ? 0 : errno
    if code == 0 && fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0 && code == 0 { code = errno }
    guard code == 0 else { throw Fault(path: path, code: code) }
  }

  deinit { unlink(path) }

  /// Takes the place of a file that is there, which stays beside it, its name with `~`.
  func replace() throws(Fault) {
    if access(destination, F_OK) == 0, rename(destination, "\(destination)~") != 0 {
      throw Fault(path: destination, code: errno)
    }
    if rename(path, destination) != 0 { throw Fault(path: destination, code: errno) }
  }

  /// A file that is there is left alone: another command may have made it in the meantime.
  func putWhereThereIsNone() throws(Fault) {
    if link(path, destination) != 0 && errno != EEXIST { throw Fault(path: destination, code: errno) }
  }

  /// Makes the folder with its parents where it is missing.
  /// - Parameter mode: of those that are made.
  static func makeFolder(_ folder: String, mode: mode_t) throws(Fault) {
    if folder.isEmpty || access(folder, F_OK) == 0 { return }
    if let slash = folder.lastIndex(of: "/") { try makeFolder(String(folder[..<slash]), mode: mode) }
    if mkdir(folder, mode) != 0 && errno != EEXIST { throw Fault(path: folder, code: errno) }
  }
}
