import FoundationEssentials
import Glibc
import HandsetCore
import Logging
import SystemThreads

public struct RecordedInput: Sendable {
  public var handset: HandsetID
  public var input: Input
  public var moment: Moment
  /// The pushes whose sounds were dropped (`Turn.dropSound`): a newer one of the same commit replaced them, or the speaker
  /// was lost.
  public var replaced: [PushID] = []
  public var speakerLost: PushID?

  public init(handset: HandsetID, input: Input, moment: Moment) {
    (self.handset, self.input, self.moment) = (handset, input, moment)
  }
}

/// The file that a daemon records its inputs to for a replay: a fault that was seen once on a board is replayed on a
/// desk. It is as private as the database. Used on the host's thread only.
public final class InputRecorder {
  /// Bytes of inputs in one file, without the contents that it begins with. Above it, the file becomes `FILE.1`,
  /// replaces an earlier one of that name, and a new file begins.
  public static let byteLimit = 32 * 1024 * 1024

  private let path: String
  private let limit: Int
  private let logger: Logger
  private let encoder = RecordedLine.encoder()
  /// Nil once the file could not be written: inputs with a gap cannot be replayed.
  private var descriptor: Int32?
  /// The size of the whole file, and the size of its inputs, without the contents that it began with.
  private var size = 0
  private var inputBytes = 0

  /// Opens the file, or makes it (0600), and begins with the handsets' contents.
  /// - Parameters:
  ///   - path: an existing file of recorded inputs is continued.
  ///   - contents: the contents of each handset before the first input.
  /// - Throws: `RecordingError` if the file cannot be used, or has no recorded inputs in it.
  public init(
    path: String, contents: [HandsetID: Handset.Contents], limit: Int = byteLimit, logger: Logger
  ) throws(RecordingError) {
    self.path = path
    self.limit = limit
    self.logger = logger
    // If one of these throws, `deinit` closes the file.
    try open()
    if inputBytes > limit { try turnOver() }
    try begin(with: contents)
  }

  deinit { close() }

  /// Records inputs that were stored. Never throws: if the file cannot be written, recording ends, and the log says so.
  /// - Parameter contents: the present contents of each handset, in case a new file has to begin.
  public func record(_ inputs: [RecordedInput], contents: () -> [HandsetID: Handset.Contents]) {
    guard descriptor != nil else { return }
    do {
      var bytes = Data()
      for item in inputs {
        var line = RecordedLine(.input(item.input, item.moment), of: item.handset)
        (line.replaced, line.speakerLost) = (item.replaced, item.speakerLost)
        bytes.append(try encoder.encode(line))
        bytes.append(UInt8(ascii: "\n"))
      }
      try write(bytes)
      inputBytes += bytes.count
      guard inputBytes > limit else { return }
      try turnOver()
      try begin(with: contents())
    } catch {
      logger.error("inputs are no longer recorded to \(path): \(error)")
      close()
    }
  }

  private func begin(with contents: [HandsetID: Handset.Contents]) throws(RecordingError) {
    do {
      for (handset, contents) in contents.sorted(by: { $0.key < $1.key }) {
        try write(encoder.encode(RecordedLine(.contents(contents), of: handset)) + [UInt8(ascii: "\n")])
      }
    } catch {
      throw RecordingError("\(error)")
    }
  }

  private func open() throws(RecordingError) {
    let opened = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard opened >= 0 else { throw failure("cannot be opened") }
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0 else { throw failure("cannot be examined") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw RecordingError("--record \(path): is not a file") }
    guard status.st_mode & 0o777 == 0o600 || fchmod(opened, 0o600) == 0 else {
      throw failure("is open to others, and cannot be closed to them")
    }
    size = Int(status.st_size)
    inputBytes = size
    guard size > 0 else { return }
    var ends: (first: UInt8, last: UInt8) = (0, 0)
    guard pread(opened, &ends.first, 1, 0) == 1, pread(opened, &ends.last, 1, off_t(size - 1)) == 1 else {
      throw failure("cannot be read")
    }
    guard ends.first == UInt8(ascii: "{") else {
      throw RecordingError("--record \(path): has no recorded inputs in it; name a file that does not exist yet")
    }
    // A daemon that was killed while it wrote left a part of a line, which a reader skips.
    if ends.last != UInt8(ascii: "\n") { try write(Data([UInt8(ascii: "\n")])) }
  }

  /// Renames the file to the previous one's name, and begins a new one.
  private func turnOver() throws(RecordingError) {
    close()
    guard rename(path, path + ".1") == 0 else { throw failure("cannot be renamed") }
    try open()
  }

  private func write(_ bytes: Data) throws(RecordingError) {
    guard let descriptor else { return }
    do throws(SystemError) {
      try writeAll(bytes.bytes, to: descriptor)
    } catch {
      // Half a line is useless, so it is cut off.
      ftruncate(descriptor, off_t(size))
      throw failure("cannot be written", error.code)
    }
    size += bytes.count
  }

  private func close() {
    if let descriptor { Glibc.close(descriptor) }
    descriptor = nil
  }

  private func failure(_ what: String, _ code: Int32 = errno) -> RecordingError {
    RecordingError("--record \(path): \(what): \(SystemError(code: code).reason)")
  }
}
