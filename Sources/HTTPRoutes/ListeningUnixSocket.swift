// The file of a Unix socket: made with its mode from the first instant, never taken from a server that still
// answers, and removed by the server that made it and no other.

import Glibc

/// A bound and listening Unix socket, and the file it made.
struct ListeningUnixSocket: Sendable {
  let path: String
  let descriptor: CInt
  private let device: dev_t
  private let inode: ino_t

  /// - Parameter mode: permission bits of the file, whatever the process's umask.
  /// - Throws: `ServerError`.
  init(path: String, mode: mode_t, backlog: CInt) throws(ServerError) {
    guard !path.isEmpty, path.utf8.count <= HTTPAddress.unixPathLimit, !path.utf8.contains(0) else {
      throw .cannotListen(
        address: path,
        reason: "the path has \(path.utf8.count) bytes, a socket's has 1 to \(HTTPAddress.unixPathLimit)",
        hint: "choose a shorter one")
    }
    try removeIfStale(path)
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failed(path, errno) }
    do throws(ServerError) {
      // Set on the socket before it has a name: bind(2) makes the file with these bits less the umask, so that
      // there is no moment at which somebody else could connect.
      guard fchmod(descriptor, mode) == 0, withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0 else {
        throw failed(path, errno)
      }
      var status = stat()
      guard lstat(path, &status) == 0 else { throw failed(path, errno) }
      (self.path, self.descriptor, device, inode) = (path, descriptor, status.st_dev, status.st_ino)
      // What the umask took away is given back.
      guard chmod(path, mode) == 0, listen(descriptor, backlog) == 0 else {
        let code = errno
        unlink(path)
        throw failed(path, code)
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Removes the file, unless it is by now another's.
  func removeFile() {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }
}

/// Leaves `path` free, or throws because it is not ours to free.
private func removeIfStale(_ path: String) throws(ServerError) {
  var status = stat()
  guard lstat(path, &status) == 0 else {
    if errno == ENOENT { return }
    throw failed(path, errno)
  }
  guard status.st_mode & S_IFMT == S_IFSOCK else {
    throw .cannotListen(
      address: path, reason: "there is a file that is no socket", hint: "move it away or choose another path")
  }
  let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  guard probe >= 0 else { throw failed(path, errno) }
  defer { close(probe) }
  // EAGAIN is an answer, too: somebody listens, and its queue is full.
  let code = withUnixAddress(path) { connect(probe, $0, $1) } == 0 ? 0 : errno
  switch code {
  case 0, EAGAIN, EINPROGRESS:
    throw .cannotListen(
      address: path, reason: "another server answers there", hint: "stop it first, or choose another path")
  case ECONNREFUSED:
    guard unlink(path) == 0 || errno == ENOENT else { throw failed(path, errno) }
  case ENOENT: return
  default: throw failed(path, code)
  }
}

private func failed(_ path: String, _ code: CInt) -> ServerError {
  let hint =
    switch code {
    case ENOENT, ENOTDIR: "make its folder first"
    case EACCES, EPERM, EROFS: "its folder must be writable for this user"
    case EADDRINUSE: "stop the other server first, or choose another path"
    default: "choose another path"
    }
  return .cannotListen(address: path, reason: String(cString: strerror(code)), hint: hint)
}

/// `path` must fit, which the callers have checked.
private func withUnixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    for (index, byte) in path.utf8.prefix(HTTPAddress.unixPathLimit).enumerated() { bytes[index] = byte }
  }
  return withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}
