import Glibc
import HeldFolders
import SystemThreads

/// What makes a daemon a test bench; a desk's daemon has none of it. Only the command line has it, never a settings file.
public struct BenchSettings: Hashable, Sendable {
  /// The folder of the bench's key and certificate authority. The daemon removes it when it ends.
  public var folder: String
  /// The number of handsets, named by their numbers: 1 to `handsetLimit`.
  public var handsets = 1
  /// True if the daemon ends with its standard input, which the program that started it holds.
  public var endsWithInput = false

  public static let handsetLimit = Handsets.limit

  public init(folder: String) { self.folder = folder }
}

extension BenchSettings {
  func removeFolder() { HeldFolder.removeAll(at: folder) }

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
