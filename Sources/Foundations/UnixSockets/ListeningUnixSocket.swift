import Glibc

/// A bound and listening Unix socket, which accepts without blocking, and its file: created with its mode from the
/// first instant, never taken from a server that still answers, and removed only by the server that created it.
public struct ListeningUnixSocket: Sendable {
  public let path: String
  public let descriptor: CInt
  private let device: dev_t
  private let inode: ino_t

  /// - Parameters:
  ///   - path: at most `pathLimit` bytes. A socket without an answering server is replaced.
  ///   - mode: permission bits of the file, independent of the process's umask.
  ///   - backlog: connections that the kernel holds until they are accepted.
  /// - Throws: `ServerError`; then no file is left.
  public init(
    path: String, mode: mode_t, backlog: CInt, pathLimit: Int = UnixAddress.pathBytes
  ) throws(ServerError) {
    guard path.utf8.count <= pathLimit, let address = UnixAddress(path) else {
      throw ServerError(
        address: path, reason: "the path has \(path.utf8.count) bytes, a socket's has 1 to \(pathLimit)",
        hint: "choose a shorter one")
    }
    try removeIfStale(path, address)
    let descriptor = try makeSocket(path)
    do throws(ServerError) {
      // Set before the socket has a name: bind(2) creates the file with these bits less the umask, so there is no
      // moment at which another user could connect.
      guard fchmod(descriptor, mode) == 0, address.bind(descriptor) == 0 else {
        throw ServerError(path, errno)
      }
      var status = stat()
      guard lstat(path, &status) == 0 else { throw ServerError(path, errno) }
      (self.path, self.descriptor, device, inode) = (path, descriptor, status.st_dev, status.st_ino)
      // Restores the bits that the umask removed.
      guard chmod(path, mode) == 0, listen(descriptor, backlog) == 0 else {
        let code = errno
        unlink(path)
        throw ServerError(path, code)
      }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Closes the socket and removes its file, as `removeFile` does.
  public func close() {
    Glibc.close(descriptor)
    removeFile()
  }

  /// Removes the file, unless another server has replaced it.
  public func removeFile() {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }
}

/// The reason why a server cannot listen at a path or an address.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public var address: String
  public var reason: String
  public var hint: String
  /// True if another program has the port.
  public var isTaken: Bool

  package init(address: String, reason: String, hint: String, isTaken: Bool = false) {
    (self.address, self.reason, self.hint, self.isTaken) = (address, reason, hint, isTaken)
  }

  public var description: String { "cannot listen on \(address): \(reason); \(hint)" }
}

extension ServerError {
  fileprivate init(_ path: String, _ code: CInt) {
    let hint =
      switch code {
      case ENOENT, ENOTDIR: "make its folder first"
      case EACCES, EPERM, EROFS: "its folder must be writable for this user"
      case EADDRINUSE: "stop the other server first, or choose another path"
      default: "choose another path"
      }
    self.init(address: path, reason: String(cString: strerror(code)), hint: hint)
  }
}

/// Leaves `path` free, or throws because another program's file is there.
private func removeIfStale(_ path: String, _ address: UnixAddress) throws(ServerError) {
  var status = stat()
  guard lstat(path, &status) == 0 else {
    if errno == ENOENT { return }
    throw ServerError(path, errno)
  }
  guard status.st_mode & S_IFMT == S_IFSOCK else {
    throw ServerError(
      address: path, reason: "there is a file that is no socket", hint: "move it away or choose another path")
  }
  let probe = try makeSocket(path)
  defer { close(probe) }
  // EAGAIN means that a server listens and its queue is full.
  let code = address.connect(probe) == 0 ? 0 : errno
  switch code {
  case 0, EAGAIN, EINPROGRESS:
    let holder = SocketHolder.ofSocket(at: path)
    let stop = holder?.stopping.map { "stop it with '\($0)'" } ?? "stop it first"
    throw ServerError(
      address: path, reason: "\(holder?.description ?? "another server") answers there",
      hint: "\(stop), or choose another path")
  case ECONNREFUSED:
    guard unlink(path) == 0 || errno == ENOENT else { throw ServerError(path, errno) }
  case ENOENT: return
  default: throw ServerError(path, code)
  }
}

private func makeSocket(_ path: String) throws(ServerError) -> CInt {
  let descriptor = UnixAddress.makeSocket()
  guard descriptor >= 0 else { throw ServerError(path, errno) }
  return descriptor
}
