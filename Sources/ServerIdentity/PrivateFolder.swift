// Private keys on disk: readable by the daemon alone, and never half written, also after a power failure.

import Glibc

/// A folder that only its owner may enter.
struct PrivateFolder {
  let path: String

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Whether there is something of that name; what cannot be looked at counts as there.
  func contains(_ name: String) -> Bool {
    var status = stat()
    return lstat(file(name), &status) == 0 || errno != ENOENT
  }

  /// Makes the folder, or takes everybody else's rights away from the one that is there.
  func create() throws {
    if mkdir(path, 0o700) != 0 {
      guard errno == EEXIST else { throw failure("cannot be made", path) }
      guard chmod(path, 0o700) == 0 else { throw failure("cannot be made private (mode 0700)", path) }
    }
  }

  /// Nil where there is no such file, or none that is text of at most 64 KB.
  func read(_ name: String) -> String? {
    let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8_192)
    while bytes.count <= 65_536 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return String(validating: bytes, as: UTF8.self) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
    return nil
  }

  /// Puts a file in place at once: after a power cut there is the old one or the new one.
  func write(_ text: String, to name: String, mode: mode_t) throws {
    let temporary = file("\(name).new")
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure("cannot be written", temporary) }
    var isWritten = fchmod(descriptor, mode) == 0
    var rest = Array(text.utf8)[...]
    while isWritten && !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      isWritten = count > 0
      rest = rest.dropFirst(max(count, 0))
    }
    isWritten = isWritten && fsync(descriptor) == 0
    guard isWritten, rename(temporary, file(name)) == 0 else {
      let error = failure("cannot be written", file(name))
      close(descriptor)
      unlink(temporary)
      throw error
    }
    close(descriptor)
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("cannot be opened", path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure("cannot be written to", path) }
  }

  /// Gives the file a second name, under which it stays when the first is another file's.
  /// - Returns: its path under that name.
  func keep(_ name: String, as other: String) throws -> String {
    guard link(file(name), file(other)) == 0, chmod(file(other), 0o600) == 0 else {
      throw failure("cannot be kept", file(other))
    }
    return file(other)
  }

  /// A file that is not there is fine.
  func remove(_ name: String) throws {
    guard unlink(file(name)) == 0 || errno == ENOENT else { throw failure("cannot be removed", file(name)) }
  }

  private func failure(_ problem: String, _ file: String) -> IdentityError {
    let reason = String(cString: strerror(errno))
    return IdentityError(
      file: file, problem: "\(problem): \(reason); check the state directory's owner and rights")
  }
}
