import HTTP
import NIOCore

/// The responder for HTTP/1.1 on the port: passes the requests of one connection to the front ends.
struct HTTP1Responder: HTTPResponder {
  private let client: NIOLoopBound<Client>
  private let eventLoop: any EventLoop

  init(_ client: Client, on eventLoop: any EventLoop) {
    self.client = NIOLoopBound(client, eventLoop: eventLoop)
    self.eventLoop = eventLoop
  }

  func open(_ request: HTTPRequest) -> HTTPOpening {
    let head = RequestHead(request)
    switch client.value.session(claiming: head).open(head, from: client.value) {
    case .answer(let response):
      if response.status < 400 {
        return .accept(HTTPAcceptance(bodyLimit: 0, handler: { _ in HTTPResponse(response) }))
      }
      guard response.delay != .zero else { return .answer(HTTPResponse(response)) }
      return .accept(HTTPAcceptance(bodyLimit: .max, authorization: { await delayed(response) }, handler: unreachable))
    case .read(let exchange):
      let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
      var acceptance = HTTPAcceptance(
        bodyLimit: exchange.bodyLimit, refusal: { HTTPResponse(bound.value.refuse($0)) },
        handler: { await answer($0, bound) })
      acceptance.moreBody = { bound.value.moreBody() }
      acceptance.skipLimit = exchange.skipLimit
      if let decide = exchange.authorization { acceptance.authorization = { await denial(decide) } }
      return .accept(acceptance)
    }
  }

  func refuse(_ error: HTTPError) -> HTTPResponse {
    HTTPResponse(client.value.lastSession.refuse(error, from: client.value))
  }

  private func denial(_ decide: @Sendable () async -> Response?) async -> HTTPResponse? {
    if let response = await decide() { return await delayed(response) }
    eventLoop.execute { client.value.noteAuthenticated() }
    return nil
  }

  private func answer(_ request: HTTPRequest, _ exchange: NIOLoopBound<any Exchange>) async -> HTTPResponse {
    let response = await withCheckedContinuation { continuation in
      eventLoop.execute {
        exchange.value.receive(request.body, of: request.bodyBytes) { continuation.resume(returning: $0) }
      }
    }
    return await delayed(response)
  }

  private func delayed(_ response: Response) async -> HTTPResponse {
    if response.delay != .zero {
      try? await eventLoop.scheduleTask(in: TimeAmount(response.delay)) {}.futureResult.get()
    }
    return HTTPResponse(response)
  }

  /// Never called: the authorization has denied the request.
  private func unreachable(_ request: HTTPRequest) -> HTTPResponse { HTTPResponse(status: 500) }
}

extension HTTPResponse {
  fileprivate init(_ response: Response) {
    let body: Body =
      if let stream = response.stream {
        .stream { write in
          defer { stream.end() }
          while let bytes = await stream.next() { try await write(bytes) }
        }
      } else {
        .bytes(response.body)
      }
    self.init(status: response.status, headers: response.fields, body: body)
    if response.status == 101 { inputHandlers = response.stream?.inputHandlers }
    if response.connection != .keep { headers["Connection"] = "close" }
  }
}

extension HTTPLimits {
  /// Creates the limits from those of HTTP/2, as far as HTTP/1.1 has them too.
  init(_ limits: PortLimits) {
    self.init()
    headerFieldBytes = limits.headerListBytes
    headerBytes = limits.headerListBytes
    headerTimeout = limits.handshakeDuration
    bodyTimeout = limits.bodyDuration
    idleTimeout = limits.idleDuration
    writeTimeout = limits.answerDuration
    lingerTimeout = limits.discardDuration
    lingerBytes = limits.discardedBytes
    skippedBytesPerSecond = limits.skippedBytesPerSecond
  }
}
