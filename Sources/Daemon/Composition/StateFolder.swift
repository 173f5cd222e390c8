import Glibc
import HeldFolders
import SystemThreads

/// Folders of the state directory. Their errors name the remedy.
enum StateFolder {
  /// Makes a folder and its parents, for the daemon's user alone.
  @discardableResult
  static func make(_ path: String) throws(DaemonError) -> HeldFolder {
    try explaining { () throws(HeldFolder.Fault) in try HeldFolder(path, makingMissing: 0o700) }
  }

  /// Waits until a folder's list of names is on the disk.
  static func flush(_ path: String) throws(DaemonError) {
    try explaining { () throws(HeldFolder.Fault) in try HeldFolder(path).synchronize() }
  }

  /// Runs `body`, whose failures concern the state directory.
  static func explaining<Result>(_ body: () throws(HeldFolder.Fault) -> Result) throws(DaemonError) -> Result {
    do throws(HeldFolder.Fault) { return try body() } catch { throw .disk(error.path, SystemError(code: error.code)) }
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
    return DaemonError("\(path): \(SystemError(code: error.code).reason)\(advice)")
  }
}
