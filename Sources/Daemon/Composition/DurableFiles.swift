// Files and folders that are complete after a power cut: each is flushed by itself, never the whole machine's disk.

import Glibc
import Installation
import SystemThreads

enum DurableFiles {
  /// Makes the folder and its parents, for the daemon's user alone.
  static func makeFolder(_ path: String) throws(DaemonError) {
    if mkdir(path, 0o700) != 0 {
      if errno == EEXIST { return }
      guard errno == ENOENT else { throw .disk(path) }
      try makeFolder(SharedFiles.parent(of: path))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .disk(path) }
    }
    try flush(SharedFiles.parent(of: path))
  }

  /// Writes a read-only file of a bundle, without flushing it. Files that begin like a program are made executable,
  /// since uploads have no modes.
  /// - Parameter path: the path within `folder`, with `/`.
  /// - Throws: `DaemonError` if the disk fails, or the path leaves the folder.
  static func write(_ bytes: [UInt8], to path: String, in folder: String) throws {
    // Compares bytes, as the kernel does: in Swift a slash followed by a combining accent is another character.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !path.utf8.contains(0),
      !parts.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
    else {
      throw DaemonError("'\(path)' is no path within a bundle")
    }
    let file = "\(folder)/\(path)"
    if parts.count > 1 { try makeFolder(SharedFiles.parent(of: file)) }
    let isProgram = bytes.starts(with: Array("#!".utf8)) || bytes.starts(with: [0x7F] + Array("ELF".utf8))
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = open(file, flags, isProgram ? 0o500 : 0o400)
    guard descriptor >= 0 else { throw DaemonError.disk(file) }
    defer { close(descriptor) }
    do throws(SystemError) {
      try writeAll(bytes.span.bytes, to: descriptor)
    } catch {
      throw DaemonError.disk(file, error)
    }
  }

  /// Makes the folder and the folders in it read-only.
  static func protect(_ folder: String) throws(DaemonError) {
    for name in SharedFiles.files(in: folder) where SharedFiles.isFolder("\(folder)/\(name)") {
      try protect("\(folder)/\(name)")
    }
    guard chmod(folder, 0o500) == 0 else { throw .disk(folder) }
  }

  /// Waits until the file or folder is on the disk; for a folder this means its list of names.
  static func flush(_ path: String) throws(DaemonError) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .disk(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .disk(path) }
  }

  /// Waits until the folder and everything in it is on the disk.
  static func flushAll(_ folder: String) throws(DaemonError) {
    for name in SharedFiles.files(in: folder) {
      let path = "\(folder)/\(name)"
      if SharedFiles.isFolder(path) { try flushAll(path) } else { try flush(path) }
    }
    try flush(folder)
  }

  /// Removes a file, a link, or a folder with its contents, even if it is read-only.
  static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    chmod(path, 0o700)
    for name in SharedFiles.files(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }
}

extension DaemonError {
  /// Returns the kernel's error for a path in the state directory, with the remedy.
  static func disk(_ path: String, _ error: SystemError = .last) -> DaemonError {
    let advice =
      switch error.code {
      case ENOSPC, EDQUOT: "; free some space in the state directory"
      case EIO, EROFS: "; check the disk and the kernel's log"
      case EACCES, EPERM: "; check owner and permissions of the state directory"
      default: ""
      }
    return DaemonError("\(path): \(String(cString: strerror(error.code)))\(advice)")
  }
}
