// NIO's parser of HTTP/1.1 parses whatever it is given, and a parsed request takes many times the memory of its bytes. This
// handler gives the parser a few bytes at a time, none while a request is being answered, and none after the answer that
// closes the connection: what comes then is discarded unparsed.

import NIOCore

/// Stands before the parser of one connection, and lives on its event loop.
final class HTTPIntake: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Bytes that the parser is given at a time.
  static let sliceBytes = 4 * 1024

  /// The handler that the parser's parts go to.
  private let connection: HTTPServerConnection
  private var context: ChannelHandlerContext?
  /// Bytes that were read and are not parsed yet: at most what one read returns.
  private var held = ByteBuffer()
  /// The client has closed its side; the event waits until the held bytes are parsed.
  private var isEndHeld = false
  private var isFeeding = false
  /// Nil while requests are parsed; then the number of bytes that may still be discarded.
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
    if held.readableBytes == 0 { held = buffer } else { held.writeBuffer(&buffer) }
    feed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The parser would take it for the end of a request whose body is held here.
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

  /// Parses the held bytes as far as the connection takes requests.
  func feed() {
    guard !isFeeding, let context else { return }
    isFeeding = true
    defer { isFeeding = false }
    while held.readableBytes > 0, connection.takesParts,
      let slice = held.readSlice(length: min(held.readableBytes, HTTPIntake.sliceBytes))
    {
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
}
