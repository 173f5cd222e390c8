import Foundation
import TestSupport

typealias Folder = TemporaryFolder

extension TemporaryFolder {
  func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

  /// Returns the permission bits of a file or folder.
  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
  }

  func names(_ name: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)").sorted()) ?? []
  }
}
