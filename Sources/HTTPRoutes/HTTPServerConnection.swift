// One connection: requests one after the other, each read whole within its limits, then given to its handler in a
// task of its own, whose answer is written here. The client's leaving cancels that task at once.

import NIOCore
import NIOHTTP1

/// Lives on its channel's event loop. Requests sent ahead (pipelined) wait in the kernel's buffers, but for the one
/// read that they came with.
final class HTTPServerConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case awaitingHead
    case readingBody(PendingRequest, [UInt8])
    case answering(Answer)
    /// Answered, but the request is still coming in: it is thrown away until it ends or `bytes` have come.
    case lingering(bytes: Int, answered: EventLoopFuture<Void>)
    case closed
  }

  private struct PendingRequest {
    let head: HTTPRequestHead
    let target: RequestTarget
    let route: Route
    let parameters: [String: String]
  }

  private struct Answer {
    let task: Task<Void, Never>
    let isHead: Bool
    var keepsAlive: Bool
    var isStreaming = false
  }

  private let table: RouteTable
  private let limits: HTTPLimits
  private let refused: Bool
  private let isStream: Bool
  private let executor: (any TaskExecutor)?
  private let report: @Sendable (any Error, HTTPRequest) -> Void
  private let refusal: HTTPService.Refusal

  private var state = State.awaitingHead
  private var isStopping = false
  private var hasAnswered = false
  private var inputEnded = false
  private var timer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var sentAhead = CircularBuffer<HTTPServerRequestPart>()
  private var readIsHeldBack = false
  private var awaitingRoom: [EventLoopPromise<Void>] = []

  /// - Parameter isStream: whether the channel is one request's, and ends with both of its sides.
  init(
    table: RouteTable, limits: HTTPLimits, refused: Bool, isStream: Bool, executor: (any TaskExecutor)?,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void,
    refusal: @escaping HTTPService.Refusal = { error, _, _ in error.response }
  ) {
    self.table = table
    self.limits = limits
    self.refused = refused
    self.isStream = isStream
    self.executor = executor
    self.report = report
    self.refusal = refusal
  }

  // MARK: Events of the channel

  func handlerAdded(context: ChannelHandlerContext) {
    // Where another protocol went before, a handshake, the channel has been active for a while.
    if context.channel.isActive { awaitFirstHead(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    awaitFirstHead(context)
    context.fireChannelActive()
  }

  private func awaitFirstHead(_ context: ChannelHandlerContext) {
    startTimer(context, refused ? limits.lingerTimeout : limits.headerTimeout)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { finish() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    if takesParts(context) && sentAhead.isEmpty { take(part, context) } else { sentAhead.append(part) }
  }

  func read(context: ChannelHandlerContext) {
    if takesParts(context) { context.read() } else { readIsHeldBack = true }
  }

  /// Who asks ahead and does not read the answers is asked to wait, or they would pile up here. A stream of HTTP/2 has one
  /// answer, and no room for it as long as its client grants none.
  private func takesParts(_ context: ChannelHandlerContext) -> Bool {
    switch state {
    case .answering: false
    case .awaitingHead, .readingBody: isStream || context.channel.isWritable
    case .lingering, .closed: true
    }
  }

  private func goOn(_ context: ChannelHandlerContext) {
    while takesParts(context), let part = sentAhead.popFirst() { take(part, context) }
    if readIsHeldBack && takesParts(context) {
      readIsHeldBack = false
      context.read()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch state {
    case .lingering, .closed, .answering: return
    case .awaitingHead, .readingBody:
      guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
      if error == .headerOverflow {
        let hint = "at most \(limits.headerFields) fields, \(limits.headerFieldBytes) bytes in a name or value, "
        refuse(
          HTTPError(
            431, "the path or the header fields are too large", hint: hint + "\(limits.headerBytes) bytes together"),
          context)
      } else if error == .invalidEOFState {
        context.close(promise: nil)
      } else {
        refuse(HTTPError(400, "this is not an HTTP/1.1 request", hint: "\(error)"), context)
      }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerStops, is ChannelShouldQuiesceEvent:
      isStopping = true
      switch state {
      case .awaitingHead: context.close(promise: nil)
      case .answering(let answer) where answer.isStreaming: answer.task.cancel()
      default: break
      }
    case ChannelEvent.inputClosed:
      // A client that shuts its sending side down is taken for gone, as far as a stream is concerned: nobody
      // reads an event stream that way, and its producer must not outlive it. A plain answer is still delivered.
      inputEnded = true
      switch state {
      case .answering(let answer) where !answer.isStreaming: break
      default: context.close(promise: nil)
      }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      writeTimer?.cancel()
      writeTimer = nil
      let waiting = awaitingRoom
      awaitingRoom = []
      for promise in waiting { promise.succeed() }
      goOn(context)
    } else if writeTimer == nil {
      writeTimer = schedule(context, limits.writeTimeout) { $0.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: A request comes in

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch (state, part) {
    case (.awaitingHead, .head(let head)): begin(head, context)
    case (.readingBody(let request, var body), .body(let buffer)):
      guard body.count + buffer.readableBytes <= request.route.bodyLimit else {
        return refuse(tooLarge(request.route), context, request.head, request.target)
      }
      // The array leaves the state while it grows, so that it is not copied for each part.
      state = .closed
      body.append(contentsOf: buffer.readableBytesView)
      state = .readingBody(request, body)
    case (.readingBody(let request, let body), .end): run(request, body, context)
    case (.lingering(let bytes, let answered), .body(let buffer)):
      if bytes < buffer.readableBytes { return context.close(promise: nil) }
      state = .lingering(bytes: bytes - buffer.readableBytes, answered: answered)
    case (.lingering(_, let answered), .end):
      // A stream of HTTP/2 that closes before its answer is out takes that with it.
      let channel = context.channel
      answered.whenComplete { _ in channel.close(promise: nil) }
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if refused {
      let hint = "at most \(limits.connections); close one, or try again"
      return refuse(HTTPError(503, "too many connections are open", hint: hint), context)
    }
    guard head.uri.utf8.count <= limits.headerFieldBytes else {
      return refuse(HTTPError(414, "the path is longer than \(limits.headerFieldBytes) bytes"), context)
    }
    guard let target = RequestTarget(head.uri) else {
      return refuse(HTTPError(400, "the path is malformed", hint: "escape it as RFC 3986 says"), context)
    }
    switch table.match(method: head.method.rawValue, segments: target.segments) {
    case .notFound:
      refuse(HTTPError(404, "there is no \(target.path)", hint: "see the API's description"), context, head, target)
    case .methodNotAllowed(let methods):
      let allowed = methods.joined(separator: ", ")
      refuse(
        HTTPError(
          405, "\(target.path) has no \(head.method.rawValue)", hint: "it has \(allowed)", headers: ["Allow": allowed]),
        context, head, target)
    case .found(let route, let parameters):
      if let length = head.headers.first(name: "content-length").flatMap(Int.init), length > route.bodyLimit {
        return refuse(tooLarge(route), context, head, target)
      }
      state = .readingBody(PendingRequest(head: head, target: target, route: route, parameters: parameters), [])
      startTimer(context, limits.bodyTimeout)
      if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
        let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(Self.wrapOutboundOut(.head(goOn)), promise: nil)
      }
    }
  }

  private func tooLarge(_ route: Route) -> HTTPError {
    HTTPError(413, "the body is too large", hint: "\(route.method) \(route.pattern) takes \(route.bodyLimit) bytes")
  }

  // MARK: It is answered

  private func run(_ pending: PendingRequest, _ body: [UInt8], _ context: ChannelHandlerContext) {
    timer?.cancel()
    var headers = HeaderFields()
    for (name, value) in pending.head.headers { headers.add(value, for: name) }
    let request = HTTPRequest(
      method: pending.head.method.rawValue, target: pending.target, headers: headers, body: body,
      parameters: pending.parameters)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let loopContext = NIOLoopBound(context, eventLoop: loop)
    let handler = pending.route.handler
    let report = report

    let task = Task(executorPreference: executor) {
      var response: HTTPResponse
      do {
        response = try await handler(request)
      } catch let error as HTTPError {
        response = error.response
      } catch {
        if !(error is CancellationError) { report(error, request) }
        response = HTTPError(500, "the server failed to answer this", hint: "its log says why").response
      }
      guard case .stream(let produce) = response.body else {
        let whole = response
        loop.execute { connection.value.write(whole, loopContext.value) }
        return
      }
      let head = response
      do {
        let wantsBody = try await loop.submit { connection.value.beginStream(head, loopContext.value) }.get()
        guard wantsBody else { return }
        try await produce { chunk in
          try Task.checkCancellation()
          try await loop.flatSubmit { connection.value.writeChunk(chunk, loopContext.value) }.get()
          try Task.checkCancellation()
        }
        loop.execute { connection.value.endStream(loopContext.value, complete: true) }
      } catch {
        let stopped = error is CancellationError || Task.isCancelled
        if !stopped { report(error, request) }
        loop.execute { connection.value.endStream(loopContext.value, complete: stopped) }
      }
    }
    let keepsAlive = pending.head.isKeepAlive && !isStopping
    state = .answering(Answer(task: task, isHead: pending.head.method == .HEAD, keepsAlive: keepsAlive))
  }

  private func write(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
    guard case .answering(var answer) = state, case .bytes(let bytes) = response.body else { return }
    answer.keepsAlive = answer.keepsAlive && !isStopping && !inputEnded && !response.endsConnection
    var head = responseHead(response, keepsAlive: answer.keepsAlive)
    if allowsBody(response.status) { head.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)") }
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    if !bytes.isEmpty, !answer.isHead, allowsBody(response.status) {
      context.write(
        Self.wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
    }
    end(answer, context)
  }

  /// False where the producer need not run.
  private func beginStream(_ response: HTTPResponse, _ context: ChannelHandlerContext) -> Bool {
    guard case .answering(var answer) = state else { return false }
    answer.keepsAlive = answer.keepsAlive && !isStopping && !inputEnded
    context.write(
      Self.wrapOutboundOut(.head(responseHead(response, keepsAlive: answer.keepsAlive))), promise: nil)
    if answer.isHead || !allowsBody(response.status) || isStopping || inputEnded {
      end(answer, context)
      return false
    }
    context.flush()
    answer.isStreaming = true
    state = .answering(answer)
    return true
  }

  private func writeChunk(_ chunk: [UInt8], _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
    guard case .answering = state else { return context.eventLoop.makeFailedFuture(CancellationError()) }
    if !chunk.isEmpty {
      let buffer = context.channel.allocator.buffer(bytes: chunk)
      context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
    if context.channel.isWritable { return context.eventLoop.makeSucceededVoidFuture() }
    let promise = context.eventLoop.makePromise(of: Void.self)
    awaitingRoom.append(promise)
    return promise.futureResult
  }

  /// - Parameter complete: false where the client must see that the body is cut off.
  private func endStream(_ context: ChannelHandlerContext, complete: Bool) {
    guard case .answering(let answer) = state else { return }
    if complete { end(answer, context) } else { context.close(promise: nil) }
  }

  private func end(_ answer: Answer, _ context: ChannelHandlerContext) {
    hasAnswered = true
    guard answer.keepsAlive, !isStopping else {
      state = .closed
      let channel = context.channel
      let written = context.eventLoop.makePromise(of: Void.self)
      written.futureResult.whenComplete { _ in channel.close(promise: nil) }
      // A stream of HTTP/2 may wait for ever for a window that its client never grants.
      startTimer(context, limits.writeTimeout)
      context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
      return
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    state = .awaitingHead
    startTimer(context, limits.idleTimeout)
    goOn(context)
  }

  /// Answers a request that is not, or not wholly, read. The connection ends with it.
  private func refuse(
    _ error: HTTPError, _ context: ChannelHandlerContext, _ head: HTTPRequestHead? = nil, _ target: RequestTarget? = nil
  ) {
    let response = refusal(error, head?.method.rawValue, target)
    guard case .bytes(let bytes) = response.body else { return }
    var answer = responseHead(response, keepsAlive: false)
    answer.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)")
    context.write(Self.wrapOutboundOut(.head(answer)), promise: nil)
    if head?.method != .HEAD {
      context.write(
        Self.wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
    }
    // Closing at once would reset the connection under a client that is still sending, and it might never read
    // the answer.
    let written = context.eventLoop.makePromise(of: Void.self)
    state = .lingering(bytes: limits.lingerBytes, answered: written.futureResult)
    startTimer(context, limits.lingerTimeout)
    if !isStream {
      let channel = context.channel
      written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  private func responseHead(_ response: HTTPResponse, keepsAlive: Bool) -> HTTPResponseHead {
    var headers = HTTPHeaders()
    for field in response.headers.fields { headers.add(name: field.name, value: field.value) }
    if !keepsAlive { headers.replaceOrAdd(name: "Connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
  }

  // MARK: Time, and the end

  private func startTimer(_ context: ChannelHandlerContext, _ limit: Duration) {
    timer?.cancel()
    timer = schedule(context, limit) { [self] context in
      switch state {
      case .awaitingHead where !hasAnswered && !refused:
        refuse(HTTPError(408, "no request came within \(limits.headerTimeout)"), context)
      case .readingBody:
        refuse(HTTPError(408, "the body did not come within \(limits.bodyTimeout)"), context)
      default: context.close(promise: nil)
      }
    }
  }

  private func schedule(
    _ context: ChannelHandlerContext, _ limit: Duration, _ body: @escaping (ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { body(context) }
  }

  private func finish() {
    if case .answering(let answer) = state { answer.task.cancel() }
    state = .closed
    timer?.cancel()
    writeTimer?.cancel()
    let waiting = awaitingRoom
    awaitingRoom = []
    for promise in waiting { promise.fail(CancellationError()) }
  }
}

private func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }
