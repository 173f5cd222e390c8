// Writing an answer, whole or as a stream, and the end of the connection after it.

import NIOCore
import NIOHTTP1

extension HTTPServerConnection {
  func run(_ pending: PendingRequest, _ body: [UInt8], _ context: ChannelHandlerContext) {
    timer?.cancel()
    let request = request(
      pending.head, pending.target, context, body: body, bodyBytes: pending.received,
      parameters: pending.acceptance.parameters)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let loopContext = NIOLoopBound(context, eventLoop: loop)
    let handler = pending.acceptance.handler
    let report = service.report

    let task = Task(executorPreference: service.executor) {
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

  func keepsAlive(_ request: PendingRequest) -> Bool { request.head.isKeepAlive && !isStopping }

  func request(
    _ head: HTTPRequestHead, _ target: RequestTarget, _ context: ChannelHandlerContext, body: [UInt8] = [],
    bodyBytes: Int = 0, parameters: [String: String] = [:]
  ) -> HTTPRequest {
    var headers = HeaderFields()
    for (name, value) in head.headers { headers.add(value, for: name) }
    return HTTPRequest(
      method: head.method.rawValue, target: target, headers: headers, body: body, bodyBytes: bodyBytes,
      parameters: parameters,
      peer: context.channel.remoteAddress?.ipAddress)
  }

  func write(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
    guard case .answering(var answer) = state, case .bytes(let bytes) = response.body else { return }
    answer.keepsAlive = answer.keepsAlive && !isStopping && !inputEnded && !response.endsConnection
    write(response, bytes, isHead: answer.isHead, keepsAlive: answer.keepsAlive, context)
    end(answer, context)
  }

  /// Writes everything but the end.
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

  /// Begins a stream. Returns false if the producer need not run.
  func beginStream(_ response: HTTPResponse, _ context: ChannelHandlerContext) -> Bool {
    guard case .answering(var answer) = state else { return false }
    answer.keepsAlive = answer.keepsAlive && !isStopping && !inputEnded && response.inputHandlers == nil
    context.write(
      Self.wrapOutboundOut(.head(responseHead(response, keepsAlive: answer.keepsAlive))), promise: nil)
    if answer.isHead || !allowsBody(response.status) && response.inputHandlers == nil || isStopping || inputEnded {
      end(answer, context)
      return false
    }
    context.flush()
    answer.isStreaming = true
    state = .answering(answer)
    if let handlers = response.inputHandlers {
      intake?.hand(to: handlers())
      if readIsHeldBack { context.read() }
      readIsHeldBack = false
    }
    return true
  }

  func writeChunk(_ chunk: [UInt8], _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
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

  /// - Parameter complete: false if the client must see that the body is cut off.
  func endStream(_ context: ChannelHandlerContext, complete: Bool) {
    guard case .answering(let answer) = state else { return }
    if complete { end(answer, context) } else { cut(context) }
  }

  func end(_ answer: Answer, _ context: ChannelHandlerContext) {
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
  func refuse(_ error: HTTPError, _ context: ChannelHandlerContext, _ request: PendingRequest? = nil) {
    let response = request?.acceptance.refusal(error) ?? service.responder.refuse(error)
    close(behind: response, isHead: request?.head.method == .HEAD, context)
  }

  func close(behind response: HTTPResponse, isHead: Bool, _ context: ChannelHandlerContext) {
    guard case .bytes(let bytes) = response.body else { return }
    write(response, bytes, isHead: isHead, keepsAlive: false, context)
    linger(context)
  }

  /// Ends the answer, and closes the connection after it.
  func endAtOnce(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    close(after: written.futureResult, context)
    startTimer(context, limits.writeTimeout)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  /// Ends the answer and waits for the client to close. Closing at once would reset the connection while the client is
  /// still sending, and it might never read the answer. The wait is limited in time and in bytes.
  func linger(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    state = .lingering(answered: written.futureResult)
    sentAhead = []
    intake?.discard(atMost: limits.lingerBytes)
    startTimer(context, limits.writeTimeout)
    let channel = context.channel
    written.futureResult.whenComplete { _ in
      connection.value.lingersFromNowOn()
      channel.close(mode: .output, promise: nil)
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: written)
  }

  func lingersFromNowOn() {
    guard case .lingering = state, let context else { return }
    startTimer(context, limits.lingerTimeout)
  }

  func tooMuchWasDiscarded() {
    guard case .lingering(let answered) = state, let context else { return }
    close(after: answered, context)
  }

  /// Closes the connection after the answer, and takes no more input.
  func close(after answered: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
    state = .closed
    let channel = context.channel
    answered.whenComplete { _ in channel.close(promise: nil) }
  }

  func responseHead(_ response: HTTPResponse, keepsAlive: Bool) -> HTTPResponseHead {
    var headers = HTTPHeaders()
    for field in response.headers.fields { headers.add(name: field.name, value: field.value) }
    for field in service.standingHeaders.fields where !headers.contains(name: field.name) {
      headers.add(name: field.name, value: field.value)
    }
    if !keepsAlive && response.inputHandlers == nil { headers.replaceOrAdd(name: "Connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
  }
}

private func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }
