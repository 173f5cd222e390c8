// One connection: requests one after the other, each read whole within its limits, then given to its handler in a task
// of its own, and its answer written. The task is cancelled as soon as the client disconnects.

import NIOCore
import NIOHTTP1

/// The handler of one connection, on its channel's event loop. Requests sent ahead (pipelined) wait in the kernel's
/// buffers, except for the one read that they came with, of which one slice is parsed.
final class HTTPServerConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  enum State {
    case awaitingHead
    /// The service decides whether the request's body may be read.
    case authorizing(PendingRequest, Task<Void, Never>)
    case readingBody(PendingRequest, [UInt8])
    case answering(Answer)
    /// The answer that closes the connection is written; further input is discarded.
    case lingering(answered: EventLoopFuture<Void>)
    case closed
  }

  struct PendingRequest {
    let head: HTTPRequestHead
    let target: RequestTarget
    var acceptance: HTTPAcceptance
    /// Bytes of the body that have arrived.
    var received = 0
  }

  struct Answer {
    let task: Task<Void, Never>
    let isHead: Bool
    var keepsAlive: Bool
    var isStreaming = false
  }

  let service: HTTPService
  let refused: Bool
  /// Called once, when the client is recognized as known; nil from then on.
  var keepPlace: (() -> Void)?

  weak var intake: HTTPIntake?
  var context: ChannelHandlerContext?
  var state = State.awaitingHead
  var isStopping = false
  var hasAnswered = false
  var inputEnded = false
  var timer: Scheduled<Void>?
  var writeTimer: Scheduled<Void>?
  var sentAhead = CircularBuffer<HTTPServerRequestPart>()
  /// The parser's error after the requests sent ahead: nothing more is parsed.
  var errorAhead: HTTPParserError?
  var readIsHeldBack = false
  /// True if a discarded body arrives faster than it may.
  var isPausing = false
  /// Bytes given to the parser since the last head or end of a request.
  var givenBytes = 0
  var awaitingRoom: [EventLoopPromise<Void>] = []

  /// - Parameters:
  ///   - refused: true to answer every request 503.
  ///   - keepPlace: called once the client is known.
  init(_ service: HTTPService, refused: Bool, keepPlace: @escaping () -> Void) {
    self.service = service
    self.refused = refused
    self.keepPlace = keepPlace
  }

  var limits: HTTPLimits { service.limits }

  // MARK: Events of the channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // After a TLS handshake the channel is already active.
    if context.channel.isActive { awaitFirstHead(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    awaitFirstHead(context)
    context.fireChannelActive()
  }

  func awaitFirstHead(_ context: ChannelHandlerContext) {
    startTimer(context, refused ? limits.lingerTimeout : limits.headerTimeout)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    finish()
    keepPlace = nil
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    if case .body = part {} else { givenBytes = 0 }
    if case .closed = state { return }
    if takesParts && sentAhead.isEmpty { take(part, context) } else { sentAhead.append(part) }
  }

  func read(context: ChannelHandlerContext) {
    if takesParts || intake?.isHandedOver == true { context.read() } else { readIsHeldBack = true }
  }

  /// True if parts are processed now. A client that sends ahead and reads no answers must wait, or memory would fill.
  var takesParts: Bool {
    switch state {
    case .authorizing, .answering, .closed: false
    case .awaitingHead, .readingBody: context?.channel.isWritable == true && !isPausing
    case .lingering: true
    }
  }

  var isAwaitingHead: Bool {
    if case .awaitingHead = state { true } else { false }
  }

  var isAuthorizing: Bool {
    if case .authorizing = state { true } else { false }
  }

  /// Bounds the bytes that the parser was given without making a part of them. The parser does not count white space in
  /// a request's head, nor the framing of a body's chunks.
  func parserWasGiven(_ bytes: Int) {
    guard let context else { return }
    givenBytes += bytes
    switch state {
    case .awaitingHead where givenBytes > limits.headerBytes + limits.framingBytes:
      refuse(headersTooLarge, context)
    case .readingBody(let request, _)
    where givenBytes > limits.headerBytes + limits.framingBytes + limits.chunkOverhead * request.received:
      refuse(HTTPError(400, "the body's chunks are mostly framing", hint: "send larger chunks"), context, request)
    default: break
    }
  }

  func goOn(_ context: ChannelHandlerContext) {
    while takesParts, let part = sentAhead.popFirst() { take(part, context) }
    if takesParts, let error = errorAhead {
      errorAhead = nil
      refuse(error, context)
    }
    intake?.feed()
    if readIsHeldBack && takesParts {
      readIsHeldBack = false
      context.read()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch (state, error as? HTTPParserError) {
    case (.lingering, _), (.closed, _): break
    case (.authorizing, nil), (.authorizing, .invalidEOFState): break
    case (.answering, nil), (.answering, .invalidEOFState): break
    case (_, nil), (_, .invalidEOFState): cut(context)
    case (_, let error?) where takesParts && sentAhead.isEmpty: refuse(error, context)
    case (_, let error?): errorAhead = error
    }
  }

  private func refuse(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
    switch state {
    case .awaitingHead: refuse(refusal(of: error), context)
    case .readingBody(let request, _): refuse(refusal(of: error), context, request)
    case .authorizing, .answering, .lingering, .closed: break
    }
  }

  private func refusal(of error: HTTPParserError) -> HTTPError {
    error == .headerOverflow
      ? headersTooLarge : HTTPError(400, "this is not an HTTP/1.1 request", hint: "\(error)")
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerStops, is ChannelShouldQuiesceEvent:
      isStopping = true
      switch state {
      case .awaitingHead: cut(context)
      case .answering(let answer) where answer.isStreaming: answer.task.cancel()
      case .lingering(let answered): close(after: answered, context)
      default: break
      }
    case ChannelEvent.inputClosed:
      // A client that closes its sending side while it reads a stream counts as disconnected: no client reads an event
      // stream that way, and the producer must not outlive it. A plain answer is still delivered.
      inputEnded = true
      switch state {
      case .answering(let answer) where !answer.isStreaming: break
      case .authorizing: break
      case .lingering(let answered): close(after: answered, context)
      default: cut(context)
      }
    case let work as WorkUnderWay:
      switch state {
      case .authorizing: work.ofServer = true
      case .answering(let answer): work.ofServer = !answer.isStreaming
      case .readingBody: work.ofClient = true
      case .awaitingHead, .lingering, .closed: break
      }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      writeTimer?.cancel()
      writeTimer = nil
      endWait(for: .success(()))
      goOn(context)
    } else if writeTimer == nil {
      writeTimer = schedule(context, limits.writeTimeout) { [self] context in cut(context) }
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: Time, and the end

  func startTimer(_ context: ChannelHandlerContext, _ limit: Duration) {
    timer?.cancel()
    timer = schedule(context, limit) { [self] context in
      switch state {
      case .awaitingHead where !hasAnswered && !refused:
        refuse(HTTPError(408, "no request came within \(limits.headerTimeout)"), context)
      case .readingBody(let request, _):
        refuse(HTTPError(408, "the body did not come within \(limits.bodyTimeout)"), context, request)
      default: cut(context)
      }
    }
  }

  /// Closes the connection, and takes no more input: with TLS it takes a while until the client has closed too.
  func cut(_ context: ChannelHandlerContext) {
    finish()
    context.close(promise: nil)
  }

  func schedule(
    _ context: ChannelHandlerContext, _ limit: Duration, _ body: @escaping (ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { body(context) }
  }

  func finish() {
    switch state {
    case .answering(let answer): answer.task.cancel()
    case .authorizing(_, let task): task.cancel()
    default: break
    }
    state = .closed
    timer?.cancel()
    writeTimer?.cancel()
    endWait(for: .failure(CancellationError()))
  }

  private func endWait(for room: Result<Void, any Error>) {
    let waiting = awaitingRoom
    awaitingRoom = []
    for promise in waiting { promise.completeWith(room) }
  }
}
