// The volume of another program's music must be restored, also after a crash or a power cut. So the previous level is on
// the disk before the first step down, and stays there until it is back.

import FoundationEssentials
import Glibc
import SystemThreads

/// The levels to go back to, as they are stored.
struct DuckedLevels: Codable, Equatable {
  /// `MixerElement.name`: levels of another card's or element's are not to be set on this one.
  var element: String
  var levels: [MixerLevel]

  /// More than any card's channels come to.
  static let byteLimit = 16 * 1024

  /// - Returns: nil where nothing is owed, or the file is none of ours.
  static func read(_ path: String) -> DuckedLevels? {
    guard let file = try? SystemFile(path: path, flags: O_RDONLY | O_NONBLOCK), let size = file.byteCount,
      size <= byteLimit
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    guard (try? file.read(into: &bytes, at: 0)) == size else { return nil }
    return try? JSONDecoder().decode(DuckedLevels.self, from: Data(bytes))
  }

  /// - Throws: `SpeakerError` where it cannot be on the disk.
  func write(to path: String) throws(SpeakerError) {
    do {
      let bytes = Array(try JSONEncoder().encode(self))
      try AtomicFile.write(to: path) { (file) throws(SystemError) in try file.write(bytes) }
    } catch {
      throw SpeakerError(
        device: element, cause: "the level to restore cannot be written to '\(path)': \(error)",
        remedy: "music is not lowered; free space there, or let the daemon write to it")
    }
  }

  /// The debt is paid.
  static func remove(_ path: String) {
    // Where that does not last, the same levels are set once more at the next start.
    unlink(path)
  }
}
