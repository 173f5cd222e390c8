import NIOCore
import NIOHTTP1

/// The handler of one connection, on its channel's event loop: requests one after the other, each read whole within its
/// limits. Requests sent ahead (pipelined) wait in the kernel's buffers, except for the one read that they came with,
/// of which one slice is parsed. An exchange or a stream is cancelled as soon as the client disconnects.
final class HTTPServerConnection: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case awaitingHead
    /// The exchange decides whether the request's body may be read.
    case authorizing(PendingRequest, Task<Void, Never>)
    case readingBody(PendingRequest, [UInt8])
    case answering(Answer)
    /// The answer that closes the connection is written; further input is discarded.
    case lingering(answered: EventLoopFuture<Void>)
    case closed
  }

  private struct PendingRequest {
    let head: HTTPRequestHead
    let exchange: any HTTPExchange
    var bodyLimit: Int
    /// True if the exchange has set another limit, because the body is longer.
    var isExtended = false
    var received = 0

    init(_ head: HTTPRequestHead, _ exchange: any HTTPExchange) {
      self.head = head
      self.exchange = exchange
      bodyLimit = exchange.bodyLimit
    }

    var isHead: Bool { head.method == .HEAD }

    var tooLarge: HTTPError { HTTPError(413, "the body is too large", hint: "at most \(bodyLimit) bytes") }
  }

  private struct Answer {
    let exchange: any HTTPExchange
    let isHead: Bool
    var keepsAlive: Bool
    /// The writer of a stream; nil until the answer begins with one.
    var stream: Task<Void, Never>?
  }

  private let responder: any HTTPResponder
  private let limits: HTTPLimits
  private let executor: (any TaskExecutor)?
  private let standingHeaders: HeaderFields
  private let refused: Bool
  private var recognizes: ((HTTPRequest) -> Bool)?

  weak var intake: HTTPIntake?
  private var context: ChannelHandlerContext?
  private var state = State.awaitingHead
  private var isStopping = false
  private var hasAnswered = false
  private var inputEnded = false
  private var timer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var sentAhead = CircularBuffer<HTTPServerRequestPart>()
  /// The parser's error after the requests sent ahead: nothing more is parsed.
  private var errorAhead: HTTPParserError?
  private var readIsHeldBack = false
  /// True if a discarded body arrives faster than it may.
  private var isPausing = false
  /// Bytes given to the parser since the last head or end of a request.
  private var givenBytes = 0
  private var awaitingRoom: [EventLoopPromise<Void>] = []

  /// The other parameters are those of `HTTPService`.
  /// - Parameters:
  ///   - refused: true to answer every request 503.
  ///   - recognizes: called with each request, without its body, until it returns true.
  init(
    _ responder: any HTTPResponder, limits: HTTPLimits, executor: (any TaskExecutor)? = nil,
    standingHeaders: HeaderFields = [:], refused: Bool = false, recognizes: ((HTTPRequest) -> Bool)? = nil
  ) {
    self.responder = responder
    self.limits = limits
    self.executor = executor
    self.standingHeaders = standingHeaders
    self.refused = refused
    self.recognizes = recognizes
  }

  func serve(_ channel: any Channel) throws {
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerFieldBytes
    decoding.maxHeaderListSize = limits.headerBytes
    decoding.maxHeaderFieldCount = limits.headerFields
    try channel.pipeline.syncOperations.addHandler(HTTPIntake(to: self))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: decoding)
    try channel.pipeline.syncOperations.addHandler(self)
  }

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

  private func awaitFirstHead(_ context: ChannelHandlerContext) {
    startTimer(context, refused ? limits.lingerTimeout : limits.headerTimeout)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    finish()
    recognizes = nil
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

  private func goOn(_ context: ChannelHandlerContext) {
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
    let refusal =
      error == .headerOverflow
      ? headersTooLarge : HTTPError(400, "this is not an HTTP/1.1 request", hint: "\(error)")
    switch state {
    case .awaitingHead: refuse(refusal, context)
    case .readingBody(let request, _): refuse(refusal, context, request)
    case .authorizing, .answering, .lingering, .closed: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerStops, is ChannelShouldQuiesceEvent:
      isStopping = true
      switch state {
      case .awaitingHead: cut(context)
      case .answering(let answer): answer.stream?.cancel()
      case .lingering(let answered): close(after: answered, context)
      default: break
      }
    case ChannelEvent.inputClosed:
      // A client that closes its sending side while it reads a stream counts as disconnected: no client reads an event
      // stream that way, and the producer must not outlive it. A plain answer is still delivered.
      inputEnded = true
      switch state {
      case .answering(let answer) where answer.stream == nil: break
      case .authorizing: break
      case .lingering(let answered): close(after: answered, context)
      default: cut(context)
      }
    case let work as WorkUnderWay:
      switch state {
      case .authorizing: work.ofServer = true
      case .answering(let answer): work.ofServer = answer.stream == nil
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

  // MARK: Requests

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head(let head): if case .awaitingHead = state { begin(head, context) }
    case .body(let buffer): append(buffer, context)
    case .end: if case .readingBody(let request, let body) = state { run(request, body, context) }
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if refused {
      return refuse(HTTPError(503, "too many connections are open", hint: "close one, or try again"), context)
    }
    let hosts = head.headers["host"].count
    guard hosts == 1 || hosts == 0 && head.version == .http1_0 else {
      return refuse(HTTPError(400, "a request of HTTP/1.1 has one Host field", hint: "this one has \(hosts)"), context)
    }
    if let error = unreadableBody(head) { return refuse(error, context) }
    guard head.uri.utf8.count <= limits.headerFieldBytes else {
      return refuse(HTTPError(414, "the path is longer than \(limits.headerFieldBytes) bytes"), context)
    }
    guard let target = RequestTarget(head.uri) else { return refuse(.malformedPath, context) }
    var headers = HeaderFields()
    for (name, value) in head.headers { headers.add(value, for: name) }
    let request = HTTPRequest(
      method: head.method.rawValue, target: target, headers: headers, peer: context.channel.remoteAddress?.ipAddress)
    if let recognizes, recognizes(request) { self.recognizes = nil }
    switch responder.open(request) {
    case .read(let exchange): accept(PendingRequest(head, exchange), context)
    case .answer(let response):
      let request = PendingRequest(head, AnsweredExchange(response: response))
      if response.status < 400 {
        accept(request, context)
      } else if response.delay != .zero {
        authorize(request, { response }, context)
      } else {
        close(behind: response, isHead: request.isHead, context)
      }
    }
  }

  private func accept(_ request: PendingRequest, _ context: ChannelHandlerContext) {
    // The parser accepts lengths that do not fit into an `Int`.
    let length = request.head.headers[canonicalForm: "content-length"].first.map { Int($0) ?? .max } ?? 0
    if length > max(request.bodyLimit, request.exchange.skipLimit) { return refuse(request.tooLarge, context, request) }
    if let authorization = request.exchange.authorization {
      authorize(request, authorization, context)
    } else {
      readBody(of: request, context)
    }
  }

  /// Refuses bodies in codings other than chunks: the parser would read them as chunks [RFC 9112, section 6.1].
  private func unreadableBody(_ head: HTTPRequestHead) -> HTTPError? {
    let fields = head.headers["transfer-encoding"]
    guard !fields.isEmpty else { return nil }
    guard head.version == .http1_1 else {
      return HTTPError(400, "a request of HTTP/1.0 has no Transfer-Encoding", hint: "send Content-Length")
    }
    // The values without the white space around them.
    let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
    guard codings == ["chunked"], fields.count == 1, !fields[0].contains(",") else {
      return HTTPError(501, "the body's transfer coding is not read", hint: "send it as it is, or chunked alone")
    }
    return nil
  }

  private func authorize(
    _ pending: PendingRequest, _ authorization: @escaping @Sendable () async -> HTTPResponse?,
    _ context: ChannelHandlerContext
  ) {
    timer?.cancel()
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let task = Task(executorPreference: executor) {
      let denial = await authorization()
      if let denial, denial.delay != .zero {
        try? await loop.scheduleTask(in: TimeAmount(denial.delay)) {}.futureResult.get()
      }
      loop.execute { connection.value.authorized(denial) }
    }
    state = .authorizing(pending, task)
  }

  private func authorized(_ denial: HTTPResponse?) {
    if denial == nil { responder.authorized() }
    guard case .authorizing(let pending, _) = state, let context else { return }
    guard let denial else {
      readBody(of: pending, context)
      goOn(context)
      if inputEnded, case .readingBody = state { cut(context) }
      return
    }
    // A request that has arrived whole leaves nothing to read, so the connection can continue.
    while case .body = sentAhead.first { sentAhead.removeFirst() }
    if case .end = sentAhead.first {
      sentAhead.removeFirst()
      state = .answering(
        Answer(exchange: pending.exchange, isHead: pending.isHead, keepsAlive: keepsAlive(pending)))
      write(denial, context)
    } else {
      close(behind: denial, isHead: pending.isHead, context)
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

  private func append(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    guard case .readingBody(var request, var body) = state else { return }
    let before = request.received
    request.received += buffer.readableBytes
    if request.received > request.bodyLimit, !request.isExtended {
      guard let limit = request.exchange.moreBody() else { return refuse(request.tooLarge, context, request) }
      request.bodyLimit = limit
      request.isExtended = true
    }
    guard request.received <= request.bodyLimit else { return skip(request, since: before, context) }
    // No other reference to the array may exist while it grows: it would be copied for each part, and a large body
    // would miss its time limit.
    state = .closed
    body.append(contentsOf: buffer.readableBytesView)
    state = .readingBody(request, body)
  }

  /// Discards the body. It may take as long as bytes keep coming, but the pace limits its use of the connection's time.
  private func skip(_ request: PendingRequest, since before: Int, _ context: ChannelHandlerContext) {
    guard request.received <= request.exchange.skipLimit else { return refuse(request.tooLarge, context, request) }
    state = .readingBody(request, [])
    let step = max(1, limits.skippedBytesPerSecond / 16)
    guard before / step < request.received / step else { return }
    startTimer(context, limits.bodyTimeout)
    isPausing = true
    _ = schedule(context, .seconds(1) / 16) { [self] context in
      isPausing = false
      goOn(context)
    }
  }

  private func run(_ request: PendingRequest, _ body: [UInt8], _ context: ChannelHandlerContext) {
    timer?.cancel()
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    state = .answering(
      Answer(exchange: request.exchange, isHead: request.isHead, keepsAlive: keepsAlive(request)))
    request.exchange.receive(body, of: request.received) { response in
      loop.execute { connection.value.answer(response) }
    }
  }

  private func keepsAlive(_ request: PendingRequest) -> Bool { request.head.isKeepAlive && !isStopping }

  private var headersTooLarge: HTTPError {
    let hint = "at most \(limits.headerFields) fields, \(limits.headerFieldBytes) bytes in a name or value, "
    return HTTPError(
      431, "the path or the header fields are too large", hint: hint + "\(limits.headerBytes) bytes together")
  }

  // MARK: Answers

  private func answer(_ response: HTTPResponse) {
    guard let context else {
      response.live?.end()
      return
    }
    if response.delay == .zero { return write(response, context) }
    _ = schedule(context, response.delay) { [self] context in write(response, context) }
  }

  private func write(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
    guard case .answering(var answer) = state, answer.stream == nil else {
      response.live?.end()
      return
    }
    answer.keepsAlive = answer.keepsAlive && !isStopping && !inputEnded && response.connection == .keep
    guard case .bytes(let bytes) = response.body else { return beginStream(response, answer, context) }
    write(response, bytes, isHead: answer.isHead, keepsAlive: answer.keepsAlive, context)
    end(answer, context)
  }

  private func write(
    _ response: HTTPResponse, _ bytes: [UInt8], isHead: Bool, keepsAlive: Bool, _ context: ChannelHandlerContext
  ) {
    var head = responseHead(response, keepsAlive: keepsAlive)
    if allowsBody(response.status) { head.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)") }
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    if !bytes.isEmpty, !isHead, allowsBody(response.status) {
      context.write(
        Self.wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
    }
  }

  private func beginStream(_ response: HTTPResponse, _ begun: Answer, _ context: ChannelHandlerContext) {
    var answer = begun
    let newProtocol = response.status == 101 ? response.live : nil
    if newProtocol != nil { answer.keepsAlive = false }
    context.write(
      Self.wrapOutboundOut(.head(responseHead(response, keepsAlive: answer.keepsAlive))), promise: nil)
    guard !answer.isHead, allowsBody(response.status) || newProtocol != nil, !isStopping, !inputEnded else {
      response.live?.end()
      return end(answer, context)
    }
    context.flush()
    answer.stream = stream(response.body, context)
    state = .answering(answer)
    if let newProtocol {
      intake?.hand(to: newProtocol.inputHandlers?() ?? [])
      if readIsHeldBack { context.read() }
      readIsHeldBack = false
    }
  }

  /// Writes the body in a task, at the client's pace.
  private func stream(_ body: HTTPResponse.Body, _ context: ChannelHandlerContext) -> Task<Void, Never> {
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    return Task(executorPreference: executor) {
      do {
        try await body.produce { chunk in
          try Task.checkCancellation()
          try await loop.flatSubmit { connection.value.writeChunk(chunk, on: loop) }.get()
          try Task.checkCancellation()
        }
        loop.execute { connection.value.endStream(complete: true) }
      } catch {
        let stopped = error is CancellationError || Task.isCancelled
        loop.execute { connection.value.endStream(complete: stopped) }
      }
    }
  }

  private func writeChunk(_ chunk: [UInt8], on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard case .answering = state, let context else { return loop.makeFailedFuture(CancellationError()) }
    if !chunk.isEmpty {
      let buffer = context.channel.allocator.buffer(bytes: chunk)
      context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
    if context.channel.isWritable { return loop.makeSucceededVoidFuture() }
    let promise = loop.makePromise(of: Void.self)
    awaitingRoom.append(promise)
    return promise.futureResult
  }

  /// - Parameter complete: false if the client must see that the body is cut off.
  private func endStream(complete: Bool) {
    guard case .answering(let answer) = state, let context else { return }
    if complete { end(answer, context) } else { cut(context) }
  }

  private func end(_ answer: Answer, _ context: ChannelHandlerContext) {
    hasAnswered = true
    guard answer.keepsAlive, !isStopping else {
      // A client that closed its side sends nothing more, and a stopping server does not wait.
      return inputEnded || isStopping ? endAtOnce(context) : linger(context)
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    state = .awaitingHead
    startTimer(context, limits.idleTimeout)
    goOn(context)
  }

  /// Answers a request that is not read, or not completely. The connection closes.
  private func refuse(_ error: HTTPError, _ context: ChannelHandlerContext, _ request: PendingRequest? = nil) {
    let response = request?.exchange.refuse(error) ?? responder.refuse(error)
    close(behind: response, isHead: request?.isHead ?? false, context)
  }

  private func close(behind response: HTTPResponse, isHead: Bool, _ context: ChannelHandlerContext) {
    write(response, response.bytes, isHead: isHead, keepsAlive: false, context)
    linger(context)
  }

  private func endAtOnce(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    close(after: written.futureResult, context)
    startTimer(context, limits.writeTimeout)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  /// Ends the answer and waits for the client to close. Closing at once would reset the connection while the client is
  /// still sending, and it might never read the answer. The wait is limited in time and in bytes.
  private func linger(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    state = .lingering(answered: written.futureResult)
    sentAhead = []
    intake?.discard(atMost: limits.lingerBytes)
    startTimer(context, limits.writeTimeout)
    let channel = context.channel
    written.futureResult.whenComplete { _ in
      let connection = connection.value
      if case .lingering = connection.state, let context = connection.context {
        connection.startTimer(context, connection.limits.lingerTimeout)
      }
      channel.close(mode: .output, promise: nil)
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  func tooMuchWasDiscarded() {
    guard case .lingering(let answered) = state, let context else { return }
    close(after: answered, context)
  }

  /// Closes the connection after the answer, and takes no more input.
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
    if !keepsAlive && response.status != 101 { headers.replaceOrAdd(name: "Connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
  }

  // MARK: Time, and the end

  private func startTimer(_ context: ChannelHandlerContext, _ limit: Duration) {
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
    case .answering(let answer):
      answer.stream?.cancel()
      answer.exchange.cancel()
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

private struct AnsweredExchange: HTTPExchange {
  let response: HTTPResponse
  let bodyLimit = 0

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) { respond(response) }

  func refuse(_ error: HTTPError) -> HTTPResponse { error.response }
}

private func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }
