// Private keys on disk: only the daemon can read them, and they are never half written, even after a power failure.

import Glibc
import HeldFolders
import SystemThreads

/// A folder that only its owner may enter.
struct PrivateFolder {
  private let folder: HeldFolder

  /// Makes the folder, or restricts an existing one to its owner.
  init(making path: String) throws {
    folder = try Self.explaining("cannot be made private (mode 0700)") { () throws(HeldFolder.Fault) in
      let folder = try HeldFolder(path, makingMissing: 0o700)
      try folder.closeToOthers()
      return folder
    }
  }

  /// Opens the folder; nil if there is none.
  init?(existing path: String) throws {
    do throws(HeldFolder.Fault) {
      folder = try HeldFolder(path)
    } catch {
      if error.code == ENOENT { return nil }
      throw Self.failure("cannot be opened", error)
    }
  }

  func file(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Returns true if there is an entry of that name, also if it cannot be examined.
  func contains(_ name: String) -> Bool { folder.contains(name) }

  /// Reads a file; nil if there is none, or if it is not text of at most 64 KB.
  func read(_ name: String) -> String? {
    guard let descriptor = try? folder.open(name) else { return nil }
    defer { close(descriptor) }
    let limit = 64 * 1024
    guard let bytes = try? readAll(from: descriptor, limit: limit), bytes.count <= limit else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Replaces a file at once: after a power failure there is the old one or the new one.
  func write(_ text: String, to name: String, mode: mode_t) throws {
    try Self.explaining("cannot be written") { () throws(HeldFolder.Fault) in
      try folder.make("\(name).new", text, mode: mode)
      try folder.rename("\(name).new", to: name)
      try folder.synchronize()
    }
  }

  /// Gives the file a second name, so that it survives when the first name is reused.
  /// - Returns: its path under the second name.
  func keep(_ name: String, as other: String) throws -> String {
    try Self.explaining("cannot be kept") { () throws(HeldFolder.Fault) in
      try folder.link(name, to: other)
      try folder.closeToOthers(other)
    }
    return file(other)
  }

  /// Removes a file, if there is one.
  func remove(_ name: String) throws {
    try Self.explaining("cannot be removed") { () throws(HeldFolder.Fault) in try folder.remove(name) }
  }

  private static func explaining<Result>(
    _ problem: String, _ body: () throws(HeldFolder.Fault) -> Result
  ) throws(IdentityError) -> Result {
    do { return try body() } catch { throw failure(problem, error) }
  }

  private static func failure(_ problem: String, _ fault: HeldFolder.Fault) -> IdentityError {
    IdentityError(
      file: fault.path, problem: "\(problem): \(fault.reason); check the state directory's owner and rights")
  }
}
