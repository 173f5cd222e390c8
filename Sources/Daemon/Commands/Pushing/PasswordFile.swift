// A password comes from a file or a pipe, never from the command line, where every user of the machine can read it.

import CommandSupport
import FoundationEssentials
import Glibc
import SystemThreads

enum PasswordFile {
  /// The bytes that are read; a password has fewer.
  static let bytes = 1024

  /// Returns the text of the file, or of standard input for `-`, without the end of its line.
  /// - Throws: `Failure` if it cannot be read, has more than one line, or is too long.
  static func password(at path: String) throws(Failure) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure("the password \(path) cannot be read: \(SystemError.last.reason)", hint: "check the path")
    }
    defer { if path != "-" { close(descriptor) } }
    var text: [UInt8]
    do throws(SystemError) {
      text = try readAll(from: descriptor, atMost: bytes)
    } catch {
      throw Failure("the password \(path) cannot be read: \(error.reason)")
    }
    guard text.count <= bytes else {
      throw Failure("\(path) is no password", hint: "expected one line of at most \(bytes) bytes")
    }
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if text.last == UInt8(ascii: "\r") { text.removeLast() }
    guard !text.contains(UInt8(ascii: "\n")), let password = String(validating: text, as: UTF8.self) else {
      throw Failure("\(path) is no password", hint: "expected one line of text")
    }
    guard !password.isEmpty else {
      throw Failure("\(path) is empty", hint: "put a password in it, for example with: openssl rand -base64 24")
    }
    return password
  }

  /// Returns this user's own password. If there is none, it is made, readable for this user alone.
  /// - Parameter folder: the password's folder; made with its parents if it is missing.
  static func local(in folder: String) throws(Failure) -> String {
    let path = "\(folder)/provider-password"
    try KeyFile.ensure("password", at: path) {
      Data((0..<24).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }
    return try password(at: path)
  }
}
