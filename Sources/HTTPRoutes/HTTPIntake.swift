// The parser of HTTP/1.1 reads whatever it is given, and a request takes many times the memory of its bytes. So it is
// given little at a time, nothing while a request is being answered, and nothing behind the answer that closes the
// connection: what comes then is thrown away unparsed.

import NIOCore

/// Stands before the parser of one connection, and lives on its event loop.
final class HTTPIntake: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Bytes that the parser is given at a time.
  static let sliceBytes = 4 * 1024

  /// What the parser's parts go to.
  weak var connection: HTTPServerConnection?
  private var context: ChannelHandlerContext?
  /// What was read and is not parsed yet: at most what the kernel and TLS hand over at one time.
  private var held = ByteBuffer()
  /// The client has ended its side, behind what is held.
  private var isEndHeld = false
  private var isFeeding = false
  /// Nil while requests are parsed; then the bytes that may still be thrown away.
  private var discardable: Int?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = Self.unwrapInboundIn(data)
    if let discardable {
      self.discardable = max(0, discardable - buffer.readableBytes)
      if buffer.readableBytes > discardable { connection?.tooMuchWasDiscarded() }
      return
    }
    if held.readableBytes == 0 { held = buffer } else { held.writeBuffer(&buffer) }
    feed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // To the parser it would end a request whose body is here.
    if event as? ChannelEvent == .inputClosed, held.readableBytes > 0, connection?.isAuthorizing == true {
      isEndHeld = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// Has parsed what is there, for as long as the connection takes requests.
  func feed() {
    guard !isFeeding, let context, let connection else { return }
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

  /// Has nothing parsed any more. Past the limit the connection is told, once more for each read.
  func discard(atMost bytes: Int) {
    held = ByteBuffer()
    discardable = bytes
  }
}
