// Reading a request: its head is checked, its body is read within the limit, then its handler gets it.

import NIOCore
import NIOHTTP1

extension HTTPServerConnection {
  func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head(let head): if case .awaitingHead = state { begin(head, context) }
    case .body(let buffer): append(buffer, context)
    case .end: if case .readingBody(let request, let body) = state { run(request, body, context) }
    }
  }

  private func append(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    guard case .readingBody(var request, var body) = state else { return }
    let before = request.received
    request.received += buffer.readableBytes
    if request.received > request.acceptance.bodyLimit, let moreBody = request.acceptance.moreBody {
      guard let limit = moreBody() else { return refuse(request.tooLarge, context, request) }
      request.acceptance.bodyLimit = limit
      request.acceptance.moreBody = nil
    }
    guard request.received <= request.acceptance.bodyLimit else {
      return skip(request, since: before, context)
    }
    // No other reference to the array may exist while it grows: it would be copied for each part, and a large body
    // would miss its time limit.
    state = .closed
    body.append(contentsOf: buffer.readableBytesView)
    state = .readingBody(request, body)
  }

  /// Discards the body. It may take as long as bytes keep coming, but the pace limits its use of the connection's time.
  private func skip(_ request: PendingRequest, since before: Int, _ context: ChannelHandlerContext) {
    guard request.received <= request.acceptance.skipLimit else { return refuse(request.tooLarge, context, request) }
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

  func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
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
    let opening = request(head, target, context)
    if let keepPlace, service.isKnown?(opening) == true {
      keepPlace()
      self.keepPlace = nil
    }
    switch service.responder.open(opening) {
    case .answer(let response):
      close(behind: response, isHead: head.method == .HEAD, context)
    case .accept(let acceptance):
      let request = PendingRequest(head: head, target: target, acceptance: acceptance)
      // The parser accepts lengths that do not fit into an `Int`.
      let length = head.headers[canonicalForm: "content-length"].first.map { Int($0) ?? .max } ?? 0
      if length > max(acceptance.bodyLimit, acceptance.skipLimit) { return refuse(request.tooLarge, context, request) }
      if let authorization = acceptance.authorization {
        authorize(request, authorization, context)
      } else {
        readBody(of: request, context)
      }
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

  func authorize(
    _ pending: PendingRequest, _ authorization: @escaping @Sendable () async -> HTTPResponse?,
    _ context: ChannelHandlerContext
  ) {
    timer?.cancel()
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let task = Task(executorPreference: service.executor) {
      let denial = await authorization()
      loop.execute { connection.value.authorized(denial) }
    }
    state = .authorizing(pending, task)
  }

  func authorized(_ denial: HTTPResponse?) {
    guard case .authorizing(let pending, let task) = state, let context else { return }
    guard let denial else {
      readBody(of: pending, context)
      goOn(context)
      if inputEnded, case .readingBody = state { cut(context) }
      return
    }
    let answer = Answer(task: task, isHead: pending.head.method == .HEAD, keepsAlive: keepsAlive(pending))
    // A request that has arrived whole leaves nothing to read, so the connection can continue.
    while case .body = sentAhead.first { sentAhead.removeFirst() }
    if case .end = sentAhead.first {
      sentAhead.removeFirst()
      state = .answering(answer)
      write(denial, context)
    } else {
      close(behind: denial, isHead: answer.isHead, context)
    }
  }

  func readBody(of request: PendingRequest, _ context: ChannelHandlerContext) {
    state = .readingBody(request, [])
    startTimer(context, limits.bodyTimeout)
    if request.head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(Self.wrapOutboundOut(.head(goOn)), promise: nil)
    }
  }

  var headersTooLarge: HTTPError {
    let hint = "at most \(limits.headerFields) fields, \(limits.headerFieldBytes) bytes in a name or value, "
    return HTTPError(
      431, "the path or the header fields are too large", hint: hint + "\(limits.headerBytes) bytes together")
  }
}

extension HTTPServerConnection.PendingRequest {
  fileprivate var tooLarge: HTTPError {
    HTTPError(413, "the body is too large", hint: "at most \(acceptance.bodyLimit) bytes")
  }
}
