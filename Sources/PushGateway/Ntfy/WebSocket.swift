// WebSocket [RFC 6455], for ntfy's clients that listen: the handset sends text, and of what the client sends only pings and
// the end mean something.

import Crypto
import FoundationEssentials
import HTTPRoutes
import HandsetCore
import Synchronization

/// The frames that are sent: whole, not masked.
enum WebSocketFrame {
  static func text(_ payload: [UInt8]) -> [UInt8] { frame(0x1, payload) }
  static let ping = frame(0x9, [])
  static func close(_ code: UInt16) -> [UInt8] { frame(0x8, [UInt8(code >> 8), UInt8(code & 0xFF)]) }

  fileprivate static func frame(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    let length: [UInt8]
    switch count {
    case ..<126: length = [UInt8(count)]
    case ..<0x1_0000: length = [126, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: length = [127] + (0..<8).map { UInt8(truncatingIfNeeded: UInt64(count) >> (56 - 8 * $0)) }
    }
    return [0x80 | kind] + length + payload
  }
}

/// Reads what a client sends: answers pings, and ends the stream at its close, or where it breaks the rules.
final class WebSocketInput: Sendable {
  /// Bytes of a message, which are thrown away.
  static let messageLimit: UInt64 = 64 * 1024

  private struct State {
    /// Of a frame's header, and of a control frame's payload, as far as they have come.
    var pending: [UInt8] = []
    /// Of a message's payload, to be thrown away.
    var skipped: UInt64 = 0
    var frames: RateBucket
    var hasEnded = false
  }

  private let state: Mutex<State>
  private let stream: ResponseStream
  private let gateway: Gateway

  init(_ stream: ResponseStream, _ gateway: Gateway) {
    self.stream = stream
    self.gateway = gateway
    state = Mutex(State(frames: RateBucket(now: gateway.clock.uptime())))
  }

  /// Takes the bytes of one read.
  func receive(_ bytes: [UInt8]) {
    let answer = state.withLock { read(bytes, &$0) }
    if !answer.bytes.isEmpty { stream.write(answer.bytes) }
    if answer.isEnd { stream.end() }
  }

  private func read(_ bytes: [UInt8], _ state: inout State) -> (bytes: [UInt8], isEnd: Bool) {
    var (answer, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
    func end(_ code: UInt16) -> (bytes: [UInt8], isEnd: Bool) {
      state.hasEnded = true
      state.pending = []
      return (answer + WebSocketFrame.close(code), true)
    }
    while !rest.isEmpty, !state.hasEnded {
      if state.skipped > 0 {
        let count = Int(min(state.skipped, UInt64(rest.count)))
        rest = rest.dropFirst(count)
        state.skipped -= UInt64(count)
        continue
      }
      // A header with its mask has at most 14 bytes, a control frame's payload 125 more.
      if let byte = rest.popFirst() { state.pending.append(byte) }
      let header = state.pending
      guard header.count >= 2 else { continue }
      let (kind, length) = (header[0] & 0x0F, header[1] & 0x7F)
      let isControl = kind & 0x8 != 0
      // A client masks what it sends, and uses no extension; a control frame is short and whole [5.1, 5.2, 5.5].
      guard header[1] & 0x80 != 0, header[0] & 0x70 == 0, !isControl || length < 126 && header[0] & 0x80 != 0 else {
        return end(1_002)
      }
      let lengthBytes = length == 126 ? 2 : length == 127 ? 8 : 0
      guard header.count >= 6 + lengthBytes else { continue }
      let size = lengthBytes == 0 ? UInt64(length) : header[2..<(2 + lengthBytes)].reduce(0) { $0 << 8 | UInt64($1) }
      guard size <= WebSocketInput.messageLimit else { return end(1_009) }
      if isControl, header.count < 6 + Int(size) { continue }
      let capacity = Double(gateway.limits.controlFramesPerWindow)
      guard state.frames.add(capacity: capacity, drainingPerSecond: capacity / 30, now: gateway.clock.uptime()) else {
        return end(1_008)
      }
      state.pending = []
      guard isControl else {
        state.skipped = size
        continue
      }
      let mask = header[2..<6]
      let payload = header[6...].enumerated().map { $1 ^ mask[2 + $0 % 4] }
      switch kind {
      case 0x8:
        state.hasEnded = true
        return (answer + WebSocketFrame.frame(0x8, payload.count >= 2 ? Array(payload.prefix(2)) : []), true)
      case 0x9: answer += WebSocketFrame.frame(0xA, payload)
      default: break
      }
    }
    return (answer, false)
  }
}

extension RequestHead {
  /// The fields of the answer that makes the connection a WebSocket; nil if the request does not ask for that.
  var webSocketFields: HeaderFields? {
    guard version == .http1, method == "GET", fields["upgrade"]?.lowercased() == "websocket",
      fields["connection"]?.lowercased().contains("upgrade") == true, fields["sec-websocket-version"] == "13",
      let key = fields["sec-websocket-key"], key.utf8.count <= 64
    else { return nil }
    let digest = Insecure.SHA1.hash(data: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    return [
      "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-accept": Data(digest).base64EncodedString(),
    ]
  }
}
