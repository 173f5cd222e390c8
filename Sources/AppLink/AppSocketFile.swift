// The file of the apps' socket: for the daemon's user alone from its first instant, unless configured otherwise; not
// taken from a daemon that still answers; and removed by the daemon that made it.

import Glibc

/// A bound and listening Unix socket, and its file.
struct AppSocketFile: Sendable {
  private static let backlog: CInt = 64

  let path: String
  let descriptor: CInt
  private let device: dev_t
  private let inode: ino_t

  /// - Parameter mode: permission bits of the file, whatever the process's umask.
  init(path: String, mode: mode_t) throws(AppLinkError) {
    guard let address = UnixAddress(path) else {
      throw AppLinkError(
        "apps' socket \(path): the path has \(path.utf8.count) bytes, a socket's has 1 to "
          + "\(AppLinkLimits.socketPathBytes); choose a shorter one")
    }
    try AppSocketFile.removeDeserted(path, address)
    let descriptor = try AppSocketFile.makeSocket(path)
    // The file gets the socket's mode less the umask; chmod after bind restores the bits that the umask removed.
    guard fchmod(descriptor, mode) == 0, address.bind(descriptor) == 0 else {
      let code = errno
      close(descriptor)
      throw AppLinkError(socket: path, code: code)
    }
    var status = stat()
    guard lstat(path, &status) == 0, chmod(path, mode) == 0, listen(descriptor, AppSocketFile.backlog) == 0 else {
      let code = errno
      close(descriptor)
      unlink(path)
      throw AppLinkError(socket: path, code: code)
    }
    (self.path, self.descriptor, device, inode) = (path, descriptor, status.st_dev, status.st_ino)
  }

  /// Closes the socket and removes its file, unless another program has replaced the file.
  func remove() {
    close(descriptor)
    var status = stat()
    if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
  }

  /// Removes a socket on which no daemon answers any more.
  private static func removeDeserted(_ path: String, _ address: UnixAddress) throws(AppLinkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw AppLinkError("apps' socket \(path): there is a file that is no socket; move it or choose another path")
    }
    let probe = try makeSocket(path)
    defer { close(probe) }
    guard address.connect(probe) != 0, errno == ECONNREFUSED else {
      throw AppLinkError("apps' socket \(path): another daemon answers there; stop it or choose another path")
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw AppLinkError(socket: path, code: errno) }
  }

  private static func makeSocket(_ path: String) throws(AppLinkError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw AppLinkError(socket: path, code: errno) }
    return descriptor
  }
}
