// One connection: requests one after the other, each read whole within its limits, then given to its handler in a
// task of its own, whose answer is written here. The client's leaving cancels that task at once.

import NIOCore
import NIOHTTP1

/// Lives on its channel's event loop. Requests sent ahead (pipelined) wait in the kernel's buffers, but for the one
/// read that they came with, of which one slice is parsed.
final class HTTPServerConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case awaitingHead
    /// The service decides whether the request's body may be read.
    case authorizing(PendingRequest, Task<Void, Never>)
    case readingBody(PendingRequest, [UInt8])
    case answering(Answer)
    /// The answer that closes the connection is written. Further input is discarded; of a stream's request at most `bytes`.
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
  private let executor: (any TaskExecutor)?
  private let report: @Sendable (any Error, HTTPRequest) -> Void
  private let refusal: HTTPService.Refusal
  private let admission: HTTPService.Admission?
  private let authorization: HTTPService.Authorization?
  private let standingHeaders: HeaderFields
  /// Nil on a stream of HTTP/2, whose frames are counted where they are read.
  private let intake: HTTPIntake?

  private var context: ChannelHandlerContext?
  private var state = State.awaitingHead
  private var isStopping = false
  private var hasAnswered = false
  private var inputEnded = false
  private var timer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var sentAhead = CircularBuffer<HTTPServerRequestPart>()
  private var readIsHeldBack = false
  /// Bytes that the parser was given since the last head or end of a request.
  private var givenBytes = 0
  private var awaitingRoom: [EventLoopPromise<Void>] = []

  /// - Parameter intake: what feeds the parser before it; nil where the channel is one request's, a stream of HTTP/2, and
  ///   ends with both of its sides.
  init(
    table: RouteTable, limits: HTTPLimits, refused: Bool, intake: HTTPIntake?, executor: (any TaskExecutor)?,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void, refusal: @escaping HTTPService.Refusal,
    admission: HTTPService.Admission?, authorization: HTTPService.Authorization?, standingHeaders: HeaderFields
  ) {
    self.table = table
    self.limits = limits
    self.refused = refused
    self.intake = intake
    self.executor = executor
    self.report = report
    self.refusal = refusal
    self.admission = admission
    self.authorization = authorization
    self.standingHeaders = standingHeaders
  }

  private var isStream: Bool { intake == nil }

  // MARK: Events of the channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
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

  func handlerRemoved(context: ChannelHandlerContext) {
    finish()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    switch part {
    case .head, .end: givenBytes = 0
    case .body: break
    }
    if case .closed = state { return }
    if takesParts && sentAhead.isEmpty { take(part, context) } else { sentAhead.append(part) }
  }

  func read(context: ChannelHandlerContext) {
    if takesParts { context.read() } else { readIsHeldBack = true }
  }

  /// Who asks ahead and does not read the answers is asked to wait, or they would pile up here. A stream of HTTP/2 has one
  /// answer, and no room for it as long as its client grants none.
  var takesParts: Bool {
    switch state {
    case .authorizing, .answering, .closed: false
    case .awaitingHead, .readingBody: isStream || context?.channel.isWritable == true
    case .lingering: true
    }
  }

  var isAuthorizing: Bool {
    if case .authorizing = state { true } else { false }
  }

  /// Bounds the bytes that the parser was given and made no part of. The parser does not count white space in a request's
  /// head, nor the framing of a body's chunks.
  func parserWasGiven(_ bytes: Int) {
    guard let context else { return }
    givenBytes += bytes
    switch state {
    case .awaitingHead where givenBytes > limits.headerBytes + limits.framingBytes:
      refuse(headersTooLarge, context)
    case .readingBody(let request, let body)
    where givenBytes > limits.headerBytes + limits.framingBytes + limits.chunkOverhead * body.count:
      refuse(
        HTTPError(400, "the body's chunks are mostly framing", hint: "send larger chunks"), context, request.head,
        request.target)
    default: break
    }
  }

  private func goOn(_ context: ChannelHandlerContext) {
    while takesParts, let part = sentAhead.popFirst() { take(part, context) }
    intake?.feed()
    if readIsHeldBack && takesParts {
      readIsHeldBack = false
      context.read()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch state {
    case .lingering, .closed, .authorizing, .answering: return
    case .awaitingHead, .readingBody:
      guard let error = error as? HTTPParserError else { return cut(context) }
      if error == .headerOverflow {
        refuse(headersTooLarge, context)
      } else if error == .invalidEOFState {
        cut(context)
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
      case .awaitingHead: cut(context)
      case .answering(let answer) where answer.isStreaming: answer.task.cancel()
      case .lingering(_, let answered): close(after: answered, context)
      default: break
      }
    case ChannelEvent.inputClosed:
      // A client that shuts its sending side down is taken for gone, as far as a stream is concerned: nobody
      // reads an event stream that way, and its producer must not outlive it. A plain answer is still delivered.
      inputEnded = true
      switch state {
      case .answering(let answer) where !answer.isStreaming: break
      case .authorizing: break
      case .lingering(_, let answered): close(after: answered, context)
      default: cut(context)
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
      writeTimer = schedule(context, limits.writeTimeout) { [self] context in cut(context) }
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
    case (.lingering(let bytes, let answered), .body(let buffer)) where isStream:
      if bytes < buffer.readableBytes { return cut(context) }
      state = .lingering(bytes: bytes - buffer.readableBytes, answered: answered)
    case (.lingering(_, let answered), .end) where isStream:
      // A stream of HTTP/2 that closes before its answer is out takes that with it.
      close(after: answered, context)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if refused {
      let hint = "at most \(limits.connections); close one, or try again"
      return refuse(HTTPError(503, "too many connections are open", hint: hint), context)
    }
    let hosts = head.headers["host"].count
    guard isStream || hosts == 1 || hosts == 0 && head.version == .http1_0 else {
      return refuse(HTTPError(400, "a request of HTTP/1.1 has one Host field", hint: "this one has \(hosts)"), context)
    }
    guard head.uri.utf8.count <= limits.headerFieldBytes else {
      return refuse(HTTPError(414, "the path is longer than \(limits.headerFieldBytes) bytes"), context)
    }
    guard let target = RequestTarget(head.uri) else {
      let hint = "escape it as RFC 3986 says; no segment is . or .."
      return refuse(HTTPError(400, "the path is malformed", hint: hint), context)
    }
    if let admission, let error = admission(request(head, target, context)) {
      return refuse(error, context, head, target)
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
      let request = PendingRequest(head: head, target: target, route: route, parameters: parameters)
      if let authorization { authorize(request, authorization, context) } else { readBody(of: request, context) }
    }
  }

  private func authorize(
    _ pending: PendingRequest, _ authorization: @escaping HTTPService.Authorization, _ context: ChannelHandlerContext
  ) {
    timer?.cancel()
    let request = request(pending.head, pending.target, context, parameters: pending.parameters)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let task = Task(executorPreference: executor) {
      let denial = await authorization(request)
      loop.execute { connection.value.authorized(denial) }
    }
    state = .authorizing(pending, task)
  }

  private func authorized(_ denial: HTTPResponse?) {
    guard case .authorizing(let pending, let task) = state, let context else { return }
    guard let denial else {
      readBody(of: pending, context)
      goOn(context)
      if inputEnded, case .readingBody = state { cut(context) }
      return
    }
    let answer = Answer(task: task, isHead: pending.head.method == .HEAD, keepsAlive: keepsAlive(pending))
    // A request that is here as a whole leaves nothing to read, and the connection can go on.
    while case .body = sentAhead.first { sentAhead.removeFirst() }
    if case .end = sentAhead.first {
      sentAhead.removeFirst()
      state = .answering(answer)
      write(denial, context)
    } else {
      close(behind: denial, isHead: answer.isHead, context)
    }
  }

  private func readBody(of request: PendingRequest, _ context: ChannelHandlerContext) {
    state = .readingBody(request, [])
    startTimer(context, limits.bodyTimeout)
    if request.head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(Self.wrapOutboundOut(.head(goOn)), promise: nil)
    }
  }

  private var headersTooLarge: HTTPError {
    let hint = "at most \(limits.headerFields) fields, \(limits.headerFieldBytes) bytes in a name or value, "
    return HTTPError(
      431, "the path or the header fields are too large", hint: hint + "\(limits.headerBytes) bytes together")
  }

  private func tooLarge(_ route: Route) -> HTTPError {
    HTTPError(413, "the body is too large", hint: "\(route.method) \(route.pattern) takes \(route.bodyLimit) bytes")
  }

  // MARK: It is answered

  private func run(_ pending: PendingRequest, _ body: [UInt8], _ context: ChannelHandlerContext) {
    timer?.cancel()
    let request = request(pending.head, pending.target, context, body: body, parameters: pending.parameters)
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
    state = .answering(
      Answer(task: task, isHead: pending.head.method == .HEAD, keepsAlive: keepsAlive(pending)))
  }

  private func keepsAlive(_ request: PendingRequest) -> Bool { request.head.isKeepAlive && !isStopping }

  private func request(
    _ head: HTTPRequestHead, _ target: RequestTarget, _ context: ChannelHandlerContext, body: [UInt8] = [],
    parameters: [String: String] = [:]
  ) -> HTTPRequest {
    var headers = HeaderFields()
    for (name, value) in head.headers { headers.add(value, for: name) }
    return HTTPRequest(
      method: head.method.rawValue, target: target, headers: headers, body: body, parameters: parameters,
      peer: context.channel.remoteAddress?.ipAddress)
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
    if complete { end(answer, context) } else { cut(context) }
  }

  private func end(_ answer: Answer, _ context: ChannelHandlerContext) {
    hasAnswered = true
    guard answer.keepsAlive, !isStopping else {
      // A stream and a client that closed its side send nothing more; a server that stops waits for nobody.
      if isStream || inputEnded || isStopping {
        endAtOnce(context)
      } else {
        linger(context)
      }
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
    close(behind: refusal(error, head?.method.rawValue, target), isHead: head?.method == .HEAD, context)
  }

  private func close(behind response: HTTPResponse, isHead: Bool, _ context: ChannelHandlerContext) {
    guard case .bytes(let bytes) = response.body else { return }
    var head = responseHead(response, keepsAlive: false)
    head.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)")
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    if !isHead {
      context.write(
        Self.wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
    }
    linger(context)
  }

  /// Ends the answer, and closes behind it.
  private func endAtOnce(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    close(after: written.futureResult, context)
    // A stream of HTTP/2 may wait for ever for a window that its client never grants.
    startTimer(context, limits.writeTimeout)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  /// Ends the answer and waits for the client to close. Closing at once would reset the connection while the client is
  /// still sending, and it might never read the answer. The wait is limited in time and in bytes.
  private func linger(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    state = .lingering(bytes: limits.lingerBytes, answered: written.futureResult)
    if let intake {
      sentAhead = []
      intake.discard(atMost: limits.lingerBytes)
    }
    startTimer(context, limits.writeTimeout)
    let channel = context.channel
    let isStream = isStream
    written.futureResult.whenComplete { _ in
      connection.value.lingersFromNowOn()
      if !isStream { channel.close(mode: .output, promise: nil) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  private func lingersFromNowOn() {
    guard case .lingering = state, let context else { return }
    startTimer(context, limits.lingerTimeout)
  }

  func tooMuchWasDiscarded() {
    guard case .lingering(_, let answered) = state, let context else { return }
    close(after: answered, context)
  }

  /// Takes nothing more.
  private func close(after answered: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
    state = .closed
    let channel = context.channel
    answered.whenComplete { _ in channel.close(promise: nil) }
  }

  private func responseHead(_ response: HTTPResponse, keepsAlive: Bool) -> HTTPResponseHead {
    var headers = HTTPHeaders()
    for field in response.headers.fields { headers.add(name: field.name, value: field.value) }
    for field in standingHeaders.fields where !headers.contains(name: field.name) {
      headers.add(name: field.name, value: field.value)
    }
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
      default: cut(context)
      }
    }
  }

  /// Closes, and takes nothing more: behind TLS it is a while until the client has closed too.
  private func cut(_ context: ChannelHandlerContext) {
    finish()
    context.close(promise: nil)
  }

  private func schedule(
    _ context: ChannelHandlerContext, _ limit: Duration, _ body: @escaping (ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { body(context) }
  }

  private func finish() {
    switch state {
    case .answering(let answer): answer.task.cancel()
    case .authorizing(_, let task): task.cancel()
    default: break
    }
    state = .closed
    timer?.cancel()
    writeTimer?.cancel()
    let waiting = awaitingRoom
    awaitingRoom = []
    for promise in waiting { promise.fail(CancellationError()) }
  }
}

private func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }
