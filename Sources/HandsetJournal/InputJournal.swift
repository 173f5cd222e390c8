// What happened to the handset, so that it can happen again: a fault that was seen once on a board is replayed on a
// desk. What is in a journal is as private as the database.

import FoundationEssentials
import Glibc
import HandsetCore
import Logging
import SystemThreads

/// The file that a daemon records its inputs to. Used on the host's thread only.
public final class InputJournal {
  /// Bytes of inputs in one file, what it begins with not counted. Then it becomes `FILE.1`, the one of that name
  /// before is gone, and a new file begins.
  public static let byteLimit = 32 * 1024 * 1024

  private let path: String
  private let limit: Int
  private let logger: Logger
  private let encoder = JournalLine.encoder()
  /// Nil once it could not be written: a journal with a gap cannot be replayed.
  private var descriptor: Int32?
  /// Of the whole file, and of that all but what it began with when it was opened.
  private var size = 0
  private var inputBytes = 0

  /// Opens the file, or makes it (0600), and begins with what the handsets are made of.
  /// - Parameters:
  ///   - path: a journal that is there is continued.
  ///   - contents: what each handset is made of before the first input.
  /// - Throws: `JournalError` where the file cannot be used, or is none of ours.
  public init(
    path: String, contents: [HandsetID: Handset.Contents], limit: Int = byteLimit, logger: Logger
  ) throws(JournalError) {
    self.path = path
    self.limit = limit
    self.logger = logger
    // Where one of these throws, `deinit` closes the file.
    try open()
    if inputBytes > limit { try turnOver() }
    try begin(with: contents)
  }

  deinit { close() }

  /// Records what was stored. Never throws: a journal that cannot be written ends, and the log says so.
  /// - Parameter contents: what each handset is made of now, should a new file have to begin.
  public func record(
    _ inputs: [(handset: HandsetID, input: Input, moment: Moment)], contents: () -> [HandsetID: Handset.Contents]
  ) {
    guard descriptor != nil else { return }
    do {
      var bytes = Data()
      for (handset, input, moment) in inputs {
        bytes.append(try encoder.encode(JournalLine(.input(input, moment), of: handset)))
        bytes.append(UInt8(ascii: "\n"))
      }
      try write(bytes)
      inputBytes += bytes.count
      guard inputBytes > limit else { return }
      try turnOver()
      try begin(with: contents())
    } catch {
      logger.error("the journal \(path) ends here, inputs are no longer recorded: \(error)")
      close()
    }
  }

  private func begin(with contents: [HandsetID: Handset.Contents]) throws(JournalError) {
    do {
      for (handset, contents) in contents.sorted(by: { $0.key < $1.key }) {
        try write(encoder.encode(JournalLine(.contents(contents), of: handset)) + [UInt8(ascii: "\n")])
      }
    } catch {
      throw JournalError("\(error)")
    }
  }

  private func open() throws(JournalError) {
    let opened = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard opened >= 0 else { throw failure("cannot be opened") }
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0 else { throw failure("cannot be examined") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw JournalError("--journal \(path): is not a file") }
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
      throw JournalError("--journal \(path): is no journal of inputs; name a file that is not there yet")
    }
    // A daemon that was killed while it wrote left a piece of a line, which a reader passes over.
    if ends.last != UInt8(ascii: "\n") { try write(Data([UInt8(ascii: "\n")])) }
  }

  /// The file becomes the one before, and a new one is there.
  private func turnOver() throws(JournalError) {
    close()
    guard rename(path, path + ".1") == 0 else { throw failure("cannot be renamed") }
    try open()
  }

  private func write(_ bytes: Data) throws(JournalError) {
    guard let descriptor else { return }
    do throws(SystemError) {
      try writeAll(bytes.bytes, to: descriptor)
    } catch {
      // Half a line is of no use to anybody.
      ftruncate(descriptor, off_t(size))
      throw failure("cannot be written", error.code)
    }
    size += bytes.count
  }

  private func close() {
    if let descriptor { Glibc.close(descriptor) }
    descriptor = nil
  }

  private func failure(_ what: String, _ code: Int32 = errno) -> JournalError {
    JournalError("--journal \(path): \(what): \(String(cString: strerror(code)))")
  }
}
