import Glibc
import HeldFolders
import SystemThreads

/// What makes a daemon a test bench. A desk has no such settings, and then nothing of the bench exists in it.
public struct BenchSettings: Hashable, Sendable {
  /// The folder of everything of the bench, which the daemon removes when it ends; nil for files in the state directory,
  /// which stay.
  public var folder: String?
  /// The number of handsets, named by their numbers: 1 to `handsetLimit`.
  public var handsets = 1
  /// True if the daemon ends with its standard input, which the program that started it holds.
  public var endsWithInput = false

  public static let handsetLimit = Handsets.limit

  public init() {}
}

extension BenchSettings {
  func removeFolder() {
    if let folder { HeldFolder.removeAll(at: folder) }
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
