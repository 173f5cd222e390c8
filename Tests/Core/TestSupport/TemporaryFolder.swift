import Foundation

/// A new folder, which is removed with this object.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    // Short: the path of a Unix socket in it has few bytes.
    path = "/tmp/deskbell-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Writes a file, and makes the folders above it.
  public func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
