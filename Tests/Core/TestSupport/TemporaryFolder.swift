import Foundation

/// A new folder, which is removed with this object.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    // Short: the path of a Unix socket in it has few bytes.
    path = "/tmp/deskbell-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
