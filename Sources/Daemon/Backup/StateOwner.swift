// The state directory belongs to the daemon's user, and root follows no symbolic links of another user. So root works
// in the directory with that user's rights.

import Glibc
import Installation

enum StateOwner {
  /// Runs `body` with the rights of the user who owns the folder if root calls it; other users keep their own.
  static func run<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return try body() }
    // The groups first, while that is still allowed.
    guard setgroups(1, &status.st_gid) == 0, setegid(status.st_gid) == 0, seteuid(status.st_uid) == 0 else {
      throw DaemonError.disk(folder)
    }
    defer {
      // A process that was root may become root again [credentials(7)].
      if seteuid(0) != 0 || setegid(0) != 0 { abort() }
    }
    return try body()
  }

  /// Makes a missing state directory; the package's belongs to the user of the package's daemon.
  static func makeFolder(_ folder: String) throws(DaemonError) {
    guard !SharedFiles.isFolder(folder) else { return }
    try StateFolder.make(folder)
    guard geteuid() == 0, folder == "/var/lib/deskbell", let user = getpwnam("deskbell") else { return }
    guard chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else { throw .disk(folder) }
  }

  static func name(of user: uid_t) -> String? { getpwuid(user).map { String(cString: $0.pointee.pw_name) } }
  static func name(ofGroup group: gid_t) -> String? { getgrgid(group).map { String(cString: $0.pointee.gr_name) } }
}
