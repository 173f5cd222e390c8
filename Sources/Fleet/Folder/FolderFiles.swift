// The folder's files: read whole, and replaced all or none as far as a file system without transactions permits. Every
// new file is on disk under a temporary name before the first one gets its name.

import FleetLink
import FoundationEssentials
import Glibc
import HeldFolders

struct FolderFiles {
  struct File {
    /// The path below the folder.
    var path: String
    var text: String
    var mode: mode_t
  }

  let folder: String

  /// Reads a file; nil if it does not exist.
  /// - Throws: `FleetError` if it exists and cannot be read.
  func text(_ path: String) throws(FleetError) -> String? {
    let file = "\(folder)/\(path)"
    var status = stat()
    if stat(file, &status) != 0 && (errno == ENOENT || errno == ENOTDIR) { return nil }
    guard let data = try? Data(contentsOf: URL(filePath: file)), let text = String(validating: data, as: UTF8.self)
    else {
      throw FleetError("\(file) cannot be read", hint: "check its permissions, and run this as its owner")
    }
    return text
  }

  /// Writes the files that do not exist or have another text.
  /// - Returns: the paths of the written files.
  @discardableResult
  func write(_ files: [File]) throws(FleetError) -> [String] {
    var changed: [File] = []
    for file in files where try text(file.path) != file.text { changed.append(file) }
    do throws(HeldFolder.Fault) {
      // The folders are opened one at a time: there may be more than descriptors.
      for file in changed { try place(of: file).make(draft(of: file), Array(file.text.utf8), mode: file.mode) }
      for file in changed {
        let place = try place(of: file)
        try place.rename(draft(of: file), to: name(of: file))
        try place.synchronize()
      }
    } catch {
      for file in changed { try? place(of: file).remove(draft(of: file)) }
      throw FleetError(
        "\(error.path) cannot be written: \(error.reason)", hint: "make the folder writable, and run this as its owner")
    }
    return changed.map(\.path)
  }

  private func place(of file: File) throws(HeldFolder.Fault) -> HeldFolder {
    try HeldFolder(HeldFolder.parent(of: "\(folder)/\(file.path)"), makingMissing: 0o700)
  }

  private func name(of file: File) -> String { String(file.path.split(separator: "/").last ?? "") }

  private func draft(of file: File) -> String { "\(name(of: file)).new" }

  /// Removes these files of a folder, and the folder if it is then empty.
  func remove(_ names: [String], in path: String) throws(FleetError) {
    let place = "\(folder)/\(path)"
    do throws(HeldFolder.Fault) {
      let held = try HeldFolder(place)
      for name in names { try held.remove(name) }
    } catch {
      // Without the folder there is nothing to remove.
      if error.code == ENOENT || error.code == ENOTDIR { return }
      throw FleetError("\(error.path) cannot be removed: \(error.reason)", hint: "remove the folder \(place)")
    }
    rmdir(place)
  }
}

/// A lock that is held while a command changes the folder, so that two commands do not undo each other's changes.
final class FolderLock: Sendable {
  private let descriptor: CInt

  /// - Throws: `FleetError` if another command holds the lock.
  init(_ folder: String) throws(FleetError) {
    descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FleetError(
        "\(folder) cannot be opened: \(String(cString: strerror(errno)))", hint: "name the folder with --fleet")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw FleetError("another command is changing \(folder)", hint: "wait until it has ended, and try again")
    }
  }

  /// Runs also if the initialiser throws.
  deinit {
    guard descriptor >= 0 else { return }
    // A process that is being started at the same time may have inherited the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
