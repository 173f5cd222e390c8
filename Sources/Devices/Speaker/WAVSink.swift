import Glibc
import SystemThreads

/// An output for machines without sound: writes each sound to a file of its own, `000001-bell.wav`, `000002-knock.wav`,
/// …, without delay. The file of a sound that was cut off ends there. Numbering continues from the highest number in the
/// folder.
public struct WAVSink: SpeakerOutput {
  public enum Limits {
    /// The number of recordings kept; the oldest are deleted first.
    public static let recordings = 200
    /// The longest sound name in a file name, in bytes.
    public static let nameBytes = 64
  }

  public let folder: String

  /// - Parameter folder: created when first needed, accessible to its owner only, if its parent exists.
  public init(folder: String) {
    self.folder = folder
  }

  public func check() throws(SpeakerError) {
    try WAVSink.naming(folder) { () throws(SystemError) in
      try makeFolder()
      guard access(folder, W_OK | X_OK) == 0 else { throw .last }
    }
  }

  public func open(sound: String) throws(SpeakerError) -> any SpeakerStream {
    try WAVSink.naming(folder) { () throws(SystemError) in
      try makeFolder()
      let recordings = try recordings()
      let number = String((recordings.last?.number ?? 0) + 1)
      let zeros = String(repeating: "0", count: max(0, 6 - number.count))
      for old in recordings.dropLast(Limits.recordings - 1) { unlink("\(folder)/\(old.file)") }
      return try Recording(
        path: "\(folder)/\(zeros)\(number)-\(WAVSink.fileName(of: sound)).wav", folder: folder)
    }
  }

  private func makeFolder() throws(SystemError) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last }
  }

  /// Returns the recordings in the folder, the oldest first, and deletes unfinished ones.
  private func recordings() throws(SystemError) -> [(number: Int, file: String)] {
    guard let directory = opendir(folder) else { throw .last }
    defer { closedir(directory) }
    var found: [(number: Int, file: String)] = []
    while let entry = readdir(directory) {
      let file = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let dash = file.firstIndex(of: "-"), let number = Int(file[..<dash]), number > 0 else { continue }
      if file.hasSuffix(".wav") { found.append((number, file)) }
      // A file of a daemon that died: the speaker makes one recording at a time, and the present one is not begun.
      if file.hasSuffix(".wav.part") { unlink("\(folder)/\(file)") }
    }
    return found.sorted { $0.number < $1.number }
  }

  /// Returns a file name. A name from an app's bundle must not lead out of the folder.
  private static func fileName(of sound: String) -> String {
    let safe = sound.utf8.prefix(Limits.nameBytes).map { byte -> Character in
      let scalar = Unicode.Scalar(byte)
      let isSafe = scalar.properties.isASCIIHexDigit || scalar.isASCII && Character(scalar).isLetter
      return isSafe || byte == UInt8(ascii: "-") ? Character(scalar) : "_"
    }
    return safe.isEmpty ? "_" : String(safe)
  }

  /// Runs `body`; its errors name the folder.
  fileprivate static func naming<Value>(
    _ folder: String, _ body: () throws(SystemError) -> Value
  ) throws(SpeakerError) -> Value {
    do {
      return try body()
    } catch {
      throw SpeakerError(
        device: "folder '\(folder)'", cause: error.description,
        remedy: "no recording can be written; free space there, or let the daemon write to it")
    }
  }
}

/// A file that is being written, under a temporary name until it is complete, so that no reader sees half of it.
private final class Recording: SpeakerStream {
  private let path: String
  private let temporary: String
  private let folder: String
  private let descriptor: CInt
  private var dataBytes = 0
  private var isOpen = true

  init(path: String, folder: String) throws(SystemError) {
    self.path = path
    self.folder = folder
    temporary = path + ".part"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last }
    self.descriptor = descriptor
    let header = CanonicalWAV.header(dataBytes: 0)
    try writeAll(header.span.bytes, to: descriptor)
  }

  deinit {
    close()
    Glibc.close(descriptor)
  }

  func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int {
    try WAVSink.naming(folder) { () throws(SystemError) in
      do throws(SystemError) {
        try writeAll(frames.bytes, to: descriptor)
      } catch {
        isOpen = false
        unlink(temporary)
        throw error
      }
    }
    dataBytes += frames.count
    return frames.count
  }

  func drain(until bell: Doorbell) throws(SpeakerError) -> Bool {
    try WAVSink.naming(folder, complete)
    return true
  }

  /// Returns no frames: they are already on disk. A sound that is cut off fades after them.
  func takeBack(for reason: TakeBackReason) -> Int? { 0 }

  func close() {
    // The caller that cut off a sound no longer waits for errors.
    try? complete()
  }

  private func complete() throws(SystemError) {
    guard isOpen else { return }
    isOpen = false
    do throws(SystemError) {
      let header = CanonicalWAV.header(dataBytes: dataBytes)
      try writeAll(header.span.bytes, to: descriptor, at: 0)
      guard rename(temporary, path) == 0 else { throw .last }
    } catch {
      unlink(temporary)
      throw error
    }
  }
}
