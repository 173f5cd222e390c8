// The volume of another program's music must be restored, also after a crash or a power cut. So the previous level is
// stored on disk before the first step down, and stays there until it is restored.

import FoundationEssentials
import Glibc
import HeldFolders
import SystemThreads

/// The stored levels to restore.
struct DuckedLevels: Codable, Equatable {
  /// The value of `MixerElement.name`: levels of another card or element must not be set on this one.
  var element: String
  var levels: [MixerLevel]

  /// The largest file; more than the channels of any card need.
  static let byteLimit = 16 * 1024

  /// - Returns: nil if there is no level to restore, or the file is not ours.
  static func read(_ path: String) -> DuckedLevels? {
    guard let file = try? SystemFile(path: path, flags: O_RDONLY | O_NONBLOCK), file.byteCount ?? .max <= byteLimit,
      let bytes = try? readAll(from: file.descriptor, atMost: byteLimit)
    else { return nil }
    return try? JSONDecoder().decode(DuckedLevels.self, from: Data(bytes))
  }

  /// - Throws: `SpeakerError` if the levels cannot be stored on disk.
  func write(to path: String) throws(SpeakerError) {
    do throws(HeldFolder.Fault) {
      // The encoding of texts and numbers cannot fail.
      try HeldFolder.replace(path, with: (try? JSONEncoder().encode(self)).map { Array($0) } ?? [], mode: 0o600)
    } catch {
      throw SpeakerError(
        device: element,
        cause: "the level to restore cannot be written to '\(path)': \(SystemError(code: error.code))",
        remedy: "music is not lowered; free space there, or let the daemon write to it")
    }
  }

  /// Removes the record after the levels are restored.
  static func remove(_ path: String) {
    // If the removal is lost, the same levels are set once more at the next start.
    unlink(path)
  }
}
