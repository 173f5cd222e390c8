// The app's end of the apps' socket, for a program that acts as an app. It blocks: such a program does nothing else.

import FoundationEssentials
import Glibc
import HandsetCore
import UnixSockets

/// The reason why there is no connection to the daemon.
public struct AppConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  public var socket: String
  /// The errno of connect(2).
  public var code: CInt

  public var description: String { "\(socket): \(errorText(code))" }
}

/// An app's connection. Used by one thread at a time.
public final class AppConnection {
  /// A message to an app.
  public enum Message: Hashable, Sendable {
    /// A push, to be completed by its identifier.
    case push(PushID)
    /// The person opened the app.
    case opened
    /// The app must end.
    case stopped
    /// A line of the app was refused, or is about a push that is not open.
    case refused(String)
    /// A line of a later daemon version.
    case other
  }

  private static let pieceBytes = 64 * 1024
  /// The longest line in bytes: as much as a daemon keeps for an app that does not read.
  private static let lineBytes = AppLinkLimits().unreadBytes

  private let descriptor: CInt
  private var buffer: [UInt8] = []

  /// Connects and sends the first line. If the app is refused, that is the first message.
  /// - Parameter handset: the handset's name; nil for the handset on the board.
  public init(
    socket path: String, app: AppID, handset: String? = nil, state: Lifecycle
  ) throws(AppConnectionError) {
    guard let address = UnixAddress(path) else { throw AppConnectionError(socket: path, code: ENAMETOOLONG) }
    descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw AppConnectionError(socket: path, code: errno) }
    guard address.connect(descriptor) == 0 else {
      throw AppConnectionError(socket: path, code: errno)
    }
    let hello = AppLine.Hello(app: app.text, state: state.rawValue, handset: handset)
    // The encoding of three texts cannot fail.
    if let line = try? JSONEncoder().encode(["hello": hello]) { send(String(decoding: line, as: UTF8.self)) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the next line and its message; nil once the daemon has closed the connection.
  public func next() -> (line: String, message: Message)? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        return (String(decoding: line, as: UTF8.self), AppConnection.message(line))
      }
      guard buffer.count <= AppConnection.lineBytes else { return nil }
      let piece = [UInt8](unsafeUninitializedCapacity: AppConnection.pieceBytes) { bytes, count in
        repeat { count = recv(descriptor, bytes.baseAddress, bytes.count, 0) } while count < 0 && errno == EINTR
        count = max(count, 0)
      }
      guard !piece.isEmpty else { return nil }
      buffer += piece
    }
  }

  public func complete(_ push: PushID, _ result: DeliveryResult) {
    send(#"{"completed":"\#(push)","result":"\#(result.rawValue)"}"#)
  }

  /// Declares the app's state: `.foreground` or `.background`.
  public func declare(_ state: Lifecycle) {
    send(#"{"state":"\#(state.rawValue)"}"#)
  }

  /// Sends a line. If the daemon has closed the connection, `next` reports it.
  private func send(_ line: String) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 && errno != EINTR { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  private struct Form: Decodable {
    var push: String?
    var state: String?
    var stopped: Bool?
    var error: String?
  }

  private static func message(_ line: [UInt8]) -> Message {
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(line)) else { return .other }
    if let push = form.push.flatMap({ PushID($0) }) { return .push(push) }
    if let error = form.error { return .refused(error) }
    if form.stopped == true { return .stopped }
    return form.state == Lifecycle.foreground.rawValue ? .opened : .other
  }
}
