// WebSocket [RFC 6455], for ntfy's listening clients: the handset sends text. Of the client's frames only pings and
// closes have a meaning.

import Crypto
import FoundationEssentials
import HTTP
import HandsetCore
import NIOCore
import NIOWebSocket

extension WebSocketFrame {
  static func text(_ payload: [UInt8]) -> [UInt8] { bytes(.text, payload) }
  static let ping = bytes(.ping, [])
  static func close(_ code: WebSocketErrorCode) -> [UInt8] {
    let code = UInt16(webSocketErrorCode: code)
    return bytes(.connectionClose, [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  /// Makes a frame to send: whole, not masked. NIO's encoder is a channel handler; these frames are made on any thread,
  /// and one is sent to many clients.
  fileprivate static func bytes(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
    let first = 0x80 | UInt8(webSocketOpcode: opcode)
    let count = payload.count
    let length: [UInt8] =
      switch count {
      case ..<126: [UInt8(count)]
      case ..<0x1_0000: [126, UInt8(count >> 8), UInt8(count & 0xFF)]
      default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
      }
    return [first] + length + payload
  }
}

/// The handler of a client's frames: it answers pings, and ends the stream at a close or a violation of the rules.
final class WebSocketInput: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  /// The largest frame, in bytes.
  static let frameLimit = 64 * 1024

  private let stream: ResponseStream
  private let port: Port
  private var frames: RateBucket
  private var hasEnded = false

  private init(_ stream: ResponseStream, _ port: Port) {
    self.stream = stream
    self.port = port
    frames = RateBucket(now: port.clock.machineUptime())
  }

  /// Makes this handler, and before it the one that reads frames from the client's bytes.
  static func handlers(_ stream: ResponseStream, _ port: Port) -> [any ChannelHandler] {
    [
      ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameLimit)), WebSocketInput(stream, port),
    ]
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasEnded else { return }
    let frame = Self.unwrapInboundIn(data)
    // A client masks its frames, and uses no extension [5.1, 5.2].
    guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return end(.protocolError) }
    guard !frames.exceeds(port.limits.controlFramesPerWindow, port.clock) else { return end(.policyViolation) }
    var payload = frame.unmaskedData
    switch frame.opcode {
    case .connectionClose: end(payload.readWebSocketErrorCode())
    case .ping: stream.write(WebSocketFrame.bytes(.pong, Array(payload.readableBytesView)))
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The decoder also reports errors after the first one.
    guard !hasEnded else { return }
    guard let error = error as? NIOWebSocketError else { return context.fireErrorCaught(error) }
    end(error == .invalidFrameLength ? .messageTooLarge : .protocolError)
  }

  /// - Parameter code: nil for a close without a code.
  private func end(_ code: WebSocketErrorCode?) {
    hasEnded = true
    stream.write(code.map(WebSocketFrame.close) ?? WebSocketFrame.bytes(.connectionClose, []))
    stream.end()
  }
}

extension RequestHead {
  /// The fields of the answer that makes the connection a WebSocket; nil if the request does not ask for it.
  var webSocketFields: HeaderFields? {
    guard version == .http1, method == "GET", headers["upgrade"]?.lowercased() == "websocket",
      headers["connection"]?.lowercased().contains("upgrade") == true, headers["sec-websocket-version"] == "13",
      let key = headers["sec-websocket-key"], key.utf8.count <= 64
    else { return nil }
    let digest = Insecure.SHA1.hash(data: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    return [
      "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-accept": Data(digest).base64EncodedString(),
    ]
  }
}
