import Glibc
import HeldFolders
import SystemThreads

/// The settings of a test bench. A daemon without them is a desk's, and has no part of the bench.
public struct BenchSettings: Hashable, Sendable {
  /// The bench's folder, in which its state and its files are, and which the daemon removes at its end. A daemon needs
  /// one.
  public var folder: String?
  /// The number of handsets, named by their numbers: 1 to `handsetLimit`.
  public var handsets = 1
  /// True if the daemon ends with its standard input, which the program that started it holds.
  public var endsWithInput = false

  public static let handsetLimit = Handsets.limit

  public init() {}
}

extension BenchSettings {
  /// The beginning of the folder's name. No other folder is removed, whatever the option says.
  public static let folderName = "deskbell-bench."

  /// Returns true if the path lies in the bench's folder, as both are written.
  func contains(_ path: String) -> Bool {
    guard let parts = folder?.split(separator: "/"), !parts.isEmpty, folder?.first == path.first else { return false }
    let others = path.split(separator: "/")
    return others.count > parts.count && others.starts(with: parts) && !others.contains("..")
  }

  func removeFolder() {
    guard let folder, folder.split(separator: "/").last?.hasPrefix(BenchSettings.folderName) == true else { return }
    HeldFolder.removeAll(at: folder)
  }

  /// Ends the daemon in order once its standard input ends, if that is wanted.
  /// - Throws: `SystemError` if the system has no thread left.
  func endWithInput() throws(SystemError) {
    guard endsWithInput else { return }
    try SystemThread(named: "bench input") {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || count < 0 && errno != EINTR { break }
      }
      kill(getpid(), SIGTERM)
    }.detach()
  }
}
