// Root writes into folders of other users, who can replace any name in them by a symbolic link at any moment. A folder
// is therefore opened once, without following other users' links, and then used only by its descriptor.

import FoundationEssentials
import Glibc
import SystemThreads

/// A folder that stays the one that was opened, whatever happens to its path.
public final class HeldFolder: Sendable {
  /// The operation that failed, and the reason.
  public struct Fault: Error, Equatable {
    public var path: String
    /// The code, as in `errno`.
    public var code: CInt = errno

    /// The reason, with advice if the kernel's message alone is not enough.
    public var reason: String {
      code == ELOOP
        ? "a symbolic link of another user is not followed; name the folder that it leads to"
        : SystemError(code: code).reason
    }
  }

  public typealias Owner = (user: uid_t, group: gid_t)

  /// The user whose rule for following links applies; nil for the process's. Tests without root's rights set it to root.
  @TaskLocal package static var linkUser: uid_t?

  public let path: String
  private let descriptor: CInt

  /// - Parameters:
  ///   - path: root follows only its own symbolic links, other users follow all.
  ///   - mode: the mode of missing folders on the way, which are made; nil makes none.
  /// - Throws: `Fault`; its code is `ENOENT` if the folder is missing.
  public init(_ path: String, makingMissing mode: mode_t? = nil) throws(Fault) {
    self.path = path
    var links = 0
    let last = try HeldFolder.walk(path, from: nil, mode, links: &links, of: path)
    descriptor = openat(last.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Fault(path: path) }
  }

  private init(path: String, descriptor: CInt) {
    (self.path, self.descriptor) = (path, descriptor)
  }

  /// Makes a folder, with its parents if they are missing.
  /// - Throws: `Fault`; its code is `EEXIST` if the name is in use.
  public init(new path: String, mode: mode_t) throws(Fault) {
    self.path = path
    let name = HeldFolder.name(of: path)
    let parent = try HeldFolder(HeldFolder.parent(of: path), makingMissing: mode)
    guard mkdirat(parent.descriptor, name, mode) == 0 else { throw Fault(path: path) }
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Fault(path: path) }
    // Another user may have put another folder in its place.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), entries?.isEmpty == true else {
      throw Fault(path: path, code: EEXIST)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // A process that is being started at the same time may have inherited the descriptor, and with it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  public static func parent(of path: String) -> String {
    let path = path.last == "/" ? path.dropLast() : path[...]
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  public static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Makes a complete file under another name beside its place. `body` gives it its own name; the other one is removed.
  /// - Parameters:
  ///   - mode: the mode of the file, whatever the process's umask is: another user may have to read it.
  ///   - folderMode: the mode of missing parent folders, which are made; reduced by the process's umask.
  public static func withDraft(
    _ bytes: [UInt8], for path: String, mode: mode_t, makingMissing folderMode: mode_t,
    _ body: (_ folder: HeldFolder, _ draft: String, _ name: String) throws(Fault) -> Void
  ) throws(Fault) {
    let (folder, name) = (try HeldFolder(parent(of: path), makingMissing: folderMode), name(of: path))
    // An existing draft was left by a killed process with this number.
    let draft = "\(name).\(getpid()).new"
    try folder.make(draft, bytes, mode: mode, isExact: true)
    defer { try? folder.remove(draft) }
    try body(folder, draft, name)
  }

  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns a folder in this one. A symbolic link is not followed.
  /// - Parameter mode: makes the folder if it is missing; nil makes none.
  public func folder(_ name: String, makingMissing mode: mode_t? = nil) throws(Fault) -> HeldFolder {
    if let mode, mkdirat(descriptor, name, mode) != 0, errno != EEXIST { throw fault(name) }
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw fault(name) }
    return HeldFolder(path: file(name), descriptor: opened)
  }

  /// Returns true if there is an entry of that name, also if it cannot be examined.
  public func contains(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  /// Opens a file for reading; the caller closes it.
  public func open(_ name: String) throws(Fault) -> CInt {
    let opened = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw fault(name) }
    return opened
  }

  /// Reads a file; nil if there is none, or if it is not UTF-8 of at most 64 KB.
  public func text(_ name: String) -> String? {
    guard let file = try? open(name) else { return nil }
    defer { close(file) }
    guard let bytes = try? readAll(from: file, atMost: 65_536), bytes.count <= 65_536 else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Makes an empty file for writing; the caller closes it. An existing file of that name is removed.
  /// - Parameter mode: reduced by the process's umask.
  public func create(_ name: String, mode: mode_t) throws(Fault) -> CInt {
    unlinkat(descriptor, name, 0)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { throw fault(name) }
    return file
  }

  /// Makes a file. An existing file of that name is removed.
  /// - Parameters:
  ///   - mode: reduced by the process's umask, unless it is exact: then it applies once the file has its owner.
  ///   - owner: nil for the process's own user, who is the owner also on a file system without owners.
  ///   - isFlushed: true if the file must be on the disk when this returns.
  public func make(
    _ name: String, _ bytes: [UInt8], mode: mode_t, isExact: Bool = false, owner: Owner? = nil, isFlushed: Bool = true
  ) throws(Fault) {
    let file = try create(name, mode: isExact ? 0o600 : mode)
    var isWritten = (try? writeAll(bytes.span.bytes, to: file)) != nil
    // A file system without owners (vfat) refuses: there mount options decide.
    if isWritten, let owner { _ = fchown(file, owner.user, owner.group) }
    if isExact { isWritten = isWritten && fchmod(file, mode) == 0 }
    if isFlushed { isWritten = isWritten && fsync(file) == 0 }
    let code = errno
    guard close(file) == 0, isWritten else {
      let failure = Fault(path: "\(path)/\(name)", code: isWritten ? errno : code)
      unlinkat(descriptor, name, 0)
      throw failure
    }
  }

  /// Replaces a file at once: after a power cut there is the old one or the new one.
  public func replace(_ name: String, with bytes: [UInt8], mode: mode_t) throws(Fault) {
    // Of several threads that replace it, each has a draft of its own.
    let draft = "\(name).\(UInt64.random(in: .min ... .max)).new"
    try make(draft, bytes, mode: mode)
    do throws(Fault) {
      try rename(draft, to: name)
    } catch {
      unlinkat(descriptor, draft, 0)
      throw error
    }
    try synchronize()
  }

  public static func replace(_ path: String, with bytes: [UInt8], mode: mode_t) throws(Fault) {
    let name = HeldFolder.name(of: path)
    try HeldFolder(parent(of: path)).replace(name, with: bytes, mode: mode)
  }

  /// Renames a file, and replaces one of the new name.
  public func rename(_ name: String, to other: String) throws(Fault) {
    guard renameat(descriptor, name, descriptor, other) == 0 else { throw fault(other) }
  }

  /// Gives a file, or a symbolic link itself, a second name.
  public func link(_ name: String, to other: String) throws(Fault) {
    guard linkat(descriptor, name, descriptor, other, 0) == 0 else { throw fault(other) }
  }

  public func remove(_ name: String) throws(Fault) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw fault(name) }
  }

  /// Removes a file, a link, or a folder with its contents, even a read-only one, as far as that is possible.
  public func removeAll(_ name: String) {
    if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { return }
    fchmodat(descriptor, name, 0o700, AT_SYMLINK_NOFOLLOW)
    if let inner = try? self.folder(name) {
      for entry in inner.entries ?? [] { inner.removeAll(entry) }
    }
    unlinkat(descriptor, name, AT_REMOVEDIR)
  }

  public static func removeAll(at path: String) {
    guard let name = path.split(separator: "/").last, let folder = try? HeldFolder(parent(of: path)) else { return }
    folder.removeAll(String(name))
  }

  public func setMode(_ mode: mode_t) throws(Fault) {
    guard fchmod(descriptor, mode) == 0 else { throw Fault(path: path) }
  }

  /// Makes the folder and the folders in it read-only.
  public func protect() throws(Fault) {
    for name in entries ?? [] where isFolder(name) { try folder(name).protect() }
    try setMode(0o500)
  }

  /// Removes all rights to a file except the owner's; a symbolic link has no rights.
  public func closeToOthers(_ name: String) throws(Fault) {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if file < 0 && errno == ELOOP { return }
    defer { close(file) }
    guard file >= 0, fchmod(file, 0o600) == 0 else { throw fault(name) }
  }

  /// Locks the folder while this value lives; false if another one has locked it.
  public func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Gives the folder to a user, on a file system that has owners.
  public func give(to owner: Owner) { _ = fchown(descriptor, owner.user, owner.group) }

  /// Waits until changes of names are on the disk.
  public func synchronize() throws(Fault) {
    guard fsync(descriptor) == 0 else { throw Fault(path: path) }
  }

  public func flush(_ name: String) throws(Fault) {
    let opened = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw fault(name) }
    defer { close(opened) }
    guard fsync(opened) == 0 else { throw fault(name) }
  }

  /// Waits until the folder and everything in it is on the disk.
  public func flushAll() throws(Fault) {
    for name in entries ?? [] {
      if isFolder(name) { try folder(name).flushAll() } else { try flush(name) }
    }
    try synchronize()
  }

  private func fault(_ name: String) -> Fault { Fault(path: file(name)) }

  private func isFolder(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private var entries: [String]? {
    // The folder that is open, whatever has its path now.
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(descriptor)")
  }

  /// `O_PATH`, which Swift does not import; the same on every architecture of Linux that Deskbell runs on.
  private static let byPathOnly: CInt = 0x20_0000

  /// A folder on the way, closed with this value.
  private struct Step: ~Copyable {
    let descriptor: CInt
    deinit { close(descriptor) }

    /// Waits until a new name is on the disk, if the folder can be read.
    func flush() {
      let folder = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { return }
      fsync(folder)
      close(folder)
    }
  }

  /// - Parameters:
  ///   - base: the folder where a relative path begins; nil for the working directory.
  ///   - whole: the path for the fault, with the part that was reached.
  private static func walk(
    _ path: String, from base: CInt?, _ mode: mode_t?, links: inout Int, of whole: String
  ) throws(Fault) -> Step {
    let start = openat(base ?? AT_FDCWD, path.hasPrefix("/") ? "/" : ".", byPathOnly | O_DIRECTORY | O_CLOEXEC)
    guard start >= 0 else { throw Fault(path: whole) }
    var current = Step(descriptor: start)
    var reached = path.hasPrefix("/") ? "" : "."
    for name in path.split(separator: "/").map(String.init) {
      reached = reached == "." ? name : "\(reached)/\(name)"
      let shown = base == nil ? reached : whole
      var next = openat(current.descriptor, name, byPathOnly | O_NOFOLLOW | O_CLOEXEC)
      if next < 0, errno == ENOENT, let mode {
        guard mkdirat(current.descriptor, name, mode) == 0 || errno == EEXIST else { throw Fault(path: shown) }
        current.flush()
        next = openat(current.descriptor, name, byPathOnly | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else { throw Fault(path: shown) }
      let step = Step(descriptor: next)
      var status = stat()
      guard fstat(next, &status) == 0 else { throw Fault(path: shown) }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: current = step
      case S_IFLNK:
        links += 1
        guard links <= 40, (linkUser ?? geteuid()) != 0 || status.st_uid == 0 else {
          throw Fault(path: shown, code: ELOOP)
        }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The target of the link that was examined, which may no longer be the one of that name.
        let count = readlinkat(next, "", &target, target.count)
        guard count > 0 else { throw Fault(path: shown) }
        let text = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        current = try walk(text, from: current.descriptor, mode, links: &links, of: shown)
      default: throw Fault(path: shown, code: ENOTDIR)
      }
    }
    return current
  }
}
