import CSQLite
import Glibc

/// The daemon's directory, locked for as long as this lives: two daemons on one database would each have a handset of
/// their own. Only its owner may read it: it holds device tokens and people's messages.
final class StateDirectory {
  /// The path without symbolic links.
  let path: String
  private let lock: Int32

  /// Makes the directory and its parents if they are missing (0700), and locks it. Once the lock file is open, `deinit`
  /// closes it, even if this throws.
  init(_ directory: String) throws(StoreError) {
    try StateDirectory.make(directory)
    guard let resolved = realpath(directory, nil) else { throw StateDirectory.failure(directory, "cannot be resolved") }
    path = String(cString: resolved)
    free(resolved)
    lock = try StateDirectory.open(path + "/lock")
    // Bound to the open file, not to the process: a second store in this process is refused too, and the lock ends with
    // the process however that ends.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let holder = StateDirectory.process(in: lock)
      let code = errno
      guard code == EWOULDBLOCK else { throw StateDirectory.failure(path + "/lock", "cannot be locked", code) }
      throw .inUse(directory: path, process: holder)
    }
    let line = Array("\(getpid())\n".utf8)
    guard ftruncate(lock, 0) == 0, pwrite(lock, line, line.count, 0) == line.count else {
      throw StateDirectory.failure(path + "/lock", "cannot be written")
    }
    try finishReplacement()
  }

  /// Unlocked explicitly: a child of this process that is just being started has the open file too, until it is another
  /// program, and closing alone would leave the lock with it.
  deinit {
    flock(lock, LOCK_UN)
    Glibc.close(lock)
  }

  /// Returns the path of a file that only its owner may read and write, and makes it if it is missing.
  /// - Throws: `StoreError.directory`, also if it is a symbolic link.
  func privateFile(_ name: String) throws(StoreError) -> String {
    let file = path + "/" + name
    Glibc.close(try StateDirectory.open(file))
    return file
  }

  /// Removes group's and others' permissions from a file that may exist.
  func closeToOthers(_ name: String) throws(StoreError) {
    var status = stat()
    if lstat(path + "/" + name, &status) == 0 { _ = try privateFile(name) }
  }

  private static func make(_ directory: String) throws(StoreError) {
    var status = stat()
    if stat(directory, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw .directory(path: directory, problem: "is not a directory: name another with --state")
      }
      return
    }
    let parent = directory.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
    let parentPath = directory.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
    if !directory.split(separator: "/").isEmpty { try make(parentPath) }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw failure(directory, "cannot be made") }
    // The database is of no use after a power cut if its directory is gone.
    sync(parentPath)
  }

  /// Waits until the disk has a file, or the names in a folder.
  static func sync(_ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  private static func open(_ file: String) throws(StoreError) -> Int32 {
    let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      if errno == ELOOP {
        throw .directory(path: file, problem: "is a symbolic link, which is not followed: put the file itself there")
      }
      throw failure(file, "cannot be opened")
    }
    var status = stat()
    var problem: StoreError?
    if fstat(descriptor, &status) != 0 {
      problem = failure(file, "cannot be examined")
    } else if status.st_mode & S_IFMT != S_IFREG {
      problem = .directory(path: file, problem: "is not a file: move it away")
    } else if status.st_mode & 0o777 != 0o600, fchmod(descriptor, 0o600) != 0 {
      problem = failure(file, "is open to others, and cannot be closed to them")
    }
    if let problem {
      Glibc.close(descriptor)
      throw problem
    }
    return descriptor
  }

  private static func process(in lock: Int32) -> Int32? {
    let code = errno
    defer { errno = code }
    var line = [UInt8](repeating: 0, count: 16)
    let count = pread(lock, &line, line.count, 0)
    guard count > 1 else { return nil }
    return Int32(String(decoding: line[..<(count - 1)], as: UTF8.self))
  }

  static func failure(_ path: String, _ what: String, _ code: Int32 = errno) -> StoreError {
    let advice = code == EACCES || code == EPERM ? ": check its owner and permissions" : ""
    return .directory(path: path, problem: "\(what): \(String(cString: strerror(code)))\(advice)")
  }

  // MARK: - Damage

  /// A file that exists if the database was found to be damaged in use.
  static let damageNote = HandsetStore.fileName + "-damaged"

  /// Notes the damage, so that the next start sets the database aside.
  func noteDamage() {
    if let note = try? privateFile(StateDirectory.damageNote) { StateDirectory.sync(note) }
  }

  /// Throws if the database is missing or empty, as after a power cut and a repair of the file system. If the directory
  /// counted as new, nothing that is left of the installation would be kept.
  func refuseMissingDatabase(_ file: String) throws(StoreError) {
    var status = stat()
    let isThere = lstat(file, &status) == 0
    guard !isThere || (status.st_mode & S_IFMT == S_IFREG && status.st_size == 0) else { return }
    var left = StateReplacement.companions.filter { access("\(path)/\($0)", F_OK) == 0 }
    if stat(file + "-wal", &status) == 0, status.st_size > 0 { left.append("a write-ahead log") }
    guard !left.isEmpty else { return }
    throw .sqlite(
      path: file, code: SQLITE_CORRUPT,
      message: "it is \(isThere ? "empty" : "missing"), though there is more of the installation beside it: "
        + left.joined(separator: ", "))
  }

  func refuseNotedDamage(_ file: String) throws(StoreError) {
    guard access("\(path)/\(StateDirectory.damageNote)", F_OK) == 0 else { return }
    throw .sqlite(path: file, code: SQLITE_CORRUPT, message: "it was found to be damaged while it was in use")
  }
}
