// NIO's parser of HTTP/1.1 parses all bytes that it is given, and a parsed request takes many times the memory of its
// bytes. This handler gives the parser a few bytes at a time, none while a request is being answered, and none after
// the answer that closes the connection: later bytes are discarded unparsed.

import NIOCore

/// The handler before the parser of one connection, on its event loop.
final class HTTPIntake: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  static let sliceBytes = 4 * 1024

  /// Bytes of a line that is not ASCII; the parser is given a longer one as it is.
  static let lineBytes = 16 * 1024

  private let connection: HTTPServerConnection
  private var context: ChannelHandlerContext?
  /// Bytes that are read but not parsed: at most what one read returns.
  private var held = ByteBuffer()
  /// True if the client has closed its side; the event waits until the held bytes are parsed.
  private var isEndHeld = false
  private var isFeeding = false
  /// True if the connection has another protocol, whose handlers are between this one and the parser.
  private(set) var isHandedOver = false
  /// The number of bytes that may still be discarded; nil while requests are parsed.
  private var discardable: Int?

  init(to connection: HTTPServerConnection) {
    self.connection = connection
    connection.intake = self
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = Self.unwrapInboundIn(data)
    if let discardable {
      self.discardable = max(0, discardable - buffer.readableBytes)
      if buffer.readableBytes > discardable { connection.tooMuchWasDiscarded() }
      return
    }
    if isHandedOver { return context.fireChannelRead(data) }
    if held.readableBytes == 0 { held = buffer } else { held.writeBuffer(&buffer) }
    feed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The parser would treat it as the end of a request whose body is held here.
    if event as? ChannelEvent == .inputClosed, held.readableBytes > 0, connection.isAuthorizing {
      isEndHeld = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// Discards everything from now on. Each read past the limit calls `tooMuchWasDiscarded`.
  func discard(atMost limit: Int) {
    held = ByteBuffer()
    discardable = limit
  }

  func hand(to handlers: [any ChannelHandler]) {
    guard let context else { return }
    isHandedOver = true
    do {
      try context.pipeline.syncOperations.addHandlers(handlers, position: .after(self))
    } catch {
      return context.fireErrorCaught(error)
    }
    let bytes = held
    held = ByteBuffer()
    if bytes.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(bytes)) }
  }

  /// Parses the held bytes as far as the connection takes requests.
  func feed() {
    guard !isFeeding, let context else { return }
    isFeeding = true
    defer { isFeeding = false }
    while held.readableBytes > 0, connection.takesParts, let slice = nextSlice() {
      context.fireChannelRead(Self.wrapInboundOut(slice))
      connection.parserWasGiven(slice.readableBytes)
    }
    guard held.readableBytes == 0 else { return }
    held = ByteBuffer()
    if isEndHeld {
      isEndHeld = false
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  /// Cuts off the next bytes for the parser. It accepts only ASCII in a request line and reads all text as UTF-8, so
  /// lines of a head with other bytes are converted here. Nil if the rest of such a line is awaited.
  private func nextSlice() -> ByteBuffer? {
    let length = min(held.readableBytes, HTTPIntake.sliceBytes)
    guard connection.isAwaitingHead,
      !held.withUnsafeReadableBytes({ bytes in bytes.prefix(length).allSatisfy { $0 < 0x80 } })
    else { return held.readSlice(length: length) }
    let bytes = held.readableBytesView
    // Only up to the end of the head: a body may have any bytes.
    var end = bytes.startIndex
    var isPlain = true
    for (place, byte) in zip(bytes.indices, bytes).prefix(length) {
      end = place + 1
      if byte >= 0x80 { isPlain = false }
      guard byte == UInt8(ascii: "\n") else { continue }
      if !isPlain { break }
      let next = bytes[(place + 1)...].prefix(2)
      if next.first == UInt8(ascii: "\n") || next.elementsEqual("\r\n".utf8) {
        end = place + 1 + (next.first == UInt8(ascii: "\n") ? 1 : 2)
        break
      }
    }
    // With the part of the body that is there: refusing a whole request leaves the connection open.
    if isPlain { return held.readSlice(length: length) }
    let start = bytes[..<end].dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.startIndex
    guard start == bytes.startIndex else { return held.readSlice(length: start - bytes.startIndex) }
    guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      return held.readableBytes < HTTPIntake.lineBytes ? nil : held.readSlice(length: length)
    }
    let line = held.readBytes(length: lineEnd + 1 - bytes.startIndex) ?? []
    return ByteBuffer(bytes: HTTPIntake.plain(line))
  }

  /// Converts a line of a head to UTF-8, and a request line to ASCII.
  private static func plain(_ line: [UInt8]) -> [UInt8] {
    let text = Array(String(fieldBytes: line).utf8)
    // A field's name has no space before its colon.
    let isRequest = text.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }.count
    guard isRequest > 0, isRequest < text.count, text[isRequest] == UInt8(ascii: " ") else { return text }
    let digits = Array("0123456789ABCDEF".utf8)
    return text.flatMap { $0 < 0x80 ? [$0] : [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
