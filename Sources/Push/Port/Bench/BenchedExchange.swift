import HTTP
import HandsetCore
import NIOCore

/// One request of a connection with a test bench. A refused one is read to its end too, so that its body is recorded.
final class BenchedExchange: HTTPExchange {
  private typealias Respond = @Sendable (HTTPResponse) -> Void

  /// The largest body that is kept of a request that was refused by its head, in bytes.
  private static let refusedBodyLimit = 64 * 1_024

  /// The front end's answer to the head; nil if a fault has taken the request.
  var opened: HTTPOpening?
  private var request: RecordedRequest
  private let connection: BenchedConnection
  private let client: Client
  /// True if a refusal closes the connection.
  private let closes: Bool
  /// The actions of a fault that took the request at its head, and wait for its body.
  private var pending: (name: String, actions: ArraySlice<BenchAction>)?
  private var hasEnded = false

  init(_ request: RecordedRequest, on connection: BenchedConnection, from client: Client, closes: Bool) {
    (self.request, self.connection, self.client, self.closes) = (request, connection, client, closes)
  }

  private var inner: (any HTTPExchange)? { if case .read(let inner)? = opened { inner } else { nil } }

  private var provider: String? { client.refusals.providerName }

  var bodyLimit: Int { inner?.bodyLimit ?? Self.refusedBodyLimit }

  func moreBody() -> Int? { inner.map { $0.moreBody() } ?? bodyLimit }

  var skipLimit: Int { inner?.skipLimit ?? 0 }

  var authorization: (@Sendable () async -> HTTPResponse?)? {
    guard let authorization = inner?.authorization else { return nil }
    let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
    let eventLoop = connection.eventLoop
    return {
      let denial = await authorization()
      if let denial { eventLoop.execute { exchange.value.record(denial) } }
      return denial
    }
  }

  func refuse(_ error: HTTPError) -> HTTPResponse {
    let response: HTTPResponse =
      switch opened {
      case .read(let inner): inner.refuse(error)
      case .answer(let response): response
      case nil: .plainText(error.status, error.description)
      }
    record(response, by: inner == nil ? nil : .limit)
    return response
  }

  func cancel() {
    end("cut")
    inner?.cancel()
  }

  // MARK: From its head to its answer

  /// - Returns: true if a fault has taken the request, so that no front end sees it.
  func takeFaultOfHead() -> Bool {
    guard let fault = connection.bench.fault(at: .head, of: request) else { return false }
    // Answers and pauses wait for the body; actions on the connection do not.
    let actions = fault.actions.drop { action in
      switch action {
      case .answer, .wait, .silence: false
      case .reset, .goAway, .settings, .cut, .cutAnswer, .certificate: true
      }
    }
    for action in fault.actions.prefix(actions.startIndex) {
      connection.act(action, request.stream)
      if action.ends {
        end(action.name)
        return true
      }
    }
    if !actions.isEmpty { pending = (fault.name, actions) }
    return actions.contains { $0.ends }
  }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    request.provider = provider ?? request.provider
    (request.payload, request.payloadBytes) = (body, size)
    connection.bench.bodyReceived(body, size: size, of: request.number, provider: request.provider)
    let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
    let first = pending ?? connection.bench.fault(at: .beforeCommit, of: request).map { ($0.name, $0.actions[...]) }
    perform(first, respond) {
      exchange.value.judge(body, size, respond)
    }
  }

  private func judge(_ body: [UInt8], _ size: Int, _ respond: @escaping Respond) {
    switch opened {
    case .answer(var response):
      if closes && response.connection == .keep { response.connection = .close }
      deliver(response, respond)
    case .read(let inner):
      let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
      let eventLoop = connection.eventLoop
      BenchContext.$request.withValue(request.number) {
        inner.receive(body, of: size) { response in
          eventLoop.execute { exchange.value.deliver(response, respond) }
        }
      }
    case nil: end("silence")
    }
  }

  private func deliver(_ response: HTTPResponse, _ respond: @escaping Respond) {
    request.provider = provider ?? request.provider
    // A fault's answer is about the same push as the one that it replaces.
    request.push = response.headers["apns-id"] ?? response.headers["apns-request-id"] ?? request.push
    let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
    countRefusal(response)
    if request.refusals != nil { connection.examineRefusals() }
    let fault = connection.bench.fault(at: .beforeAnswer, of: request).map { ($0.name, $0.actions[...]) }
    perform(fault, respond) {
      for case .cutAnswer(let withBody) in fault?.1 ?? [] {
        return exchange.value.cut(response, withBody: withBody, by: fault?.0, respond)
      }
      exchange.value.record(response)
      respond(response)
    }
  }

  /// Sends the head of an answer, and half of its body, and cuts the connection.
  private func cut(_ whole: HTTPResponse, withBody: Bool, by fault: String?, _ respond: @escaping Respond) {
    record(whole, by: .fault, fault: fault)
    var response = whole
    let part = withBody ? Array(whole.bytes.prefix(whole.bytes.count / 2)) : []
    if !whole.bytes.isEmpty && whole.headers["content-length"] == nil {
      response.headers.add("\(whole.bytes.count)", for: "content-length")
    }
    guard request.stream != nil else {
      response.body = .stream { write in
        try await write(part)
        throw CutAnswer()
      }
      return respond(response)
    }
    response.body = .live(ResponseStream(first: part, limit: part.count) {})
    respond(response)
    // In a later turn of the event loop, after the connection has written the part above.
    let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
    connection.eventLoop.execute {
      let exchange = exchange.value
      exchange.connection.act(.cut, exchange.request.stream)
    }
  }

  /// Does the actions of a fault, and then `next`, unless one of them ends the request.
  private func perform(
    _ fault: (name: String, actions: ArraySlice<BenchAction>)?, _ respond: @escaping Respond,
    then next: @escaping @Sendable () -> Void
  ) {
    guard let fault, let action = fault.actions.first else { return next() }
    let rest = (name: fault.name, actions: fault.actions.dropFirst())
    switch action {
    case .answer(let status, let fields, let body):
      var headers = HeaderFields()
      for field in fields { headers.add(field.value, for: field.name) }
      let response = HTTPResponse(status: status, headers: headers, body: .bytes(body))
      record(response, by: .fault, fault: fault.name)
      return respond(response)
    case .wait(let duration):
      let exchange = NIOLoopBound(self, eventLoop: connection.eventLoop)
      connection.eventLoop.scheduleTask(in: TimeAmount(duration)) {
        guard exchange.value.isWanted(respond) else { return }
        exchange.value.perform(rest, respond, then: next)
      }
      return
    case .silence, .reset, .goAway, .settings, .cut:
      connection.act(action, request.stream)
      // A stream that GOAWAY leaves out gets no answer.
      if case .goAway(let last?, _, _) = action, last < request.stream ?? 0 { return end(action.name) }
      if action.ends { return end(action.name) }
    case .cutAnswer, .certificate: break
    }
    perform(rest, respond, then: next)
  }

  /// Returns false if the client left during a pause, or the bench was reset: then the request ends here.
  private func isWanted(_ respond: @escaping Respond) -> Bool {
    guard connection.isUnderWay(request) else {
      // The connection has recorded the end of its streams.
      if request.stream == nil { end("cut") } else { hasEnded = true }
      // Nobody gets it: the connection counts the request as done.
      respond(HTTPResponse(status: 503, headers: HeaderFields(), body: .bytes([])))
      return false
    }
    guard connection.bench.isForgotten(request.number) else { return true }
    // 8 is CANCEL [RFC 9113, 7].
    connection.act(request.stream == nil ? .cut : .reset(code: 8), request.stream)
    end(request.stream == nil ? "cut" : "reset")
    return false
  }

  // MARK: The end

  func record(_ response: HTTPResponse, by source: RecordedAnswer.Source? = nil, fault: String? = nil) {
    guard !exchange(&hasEnded, with: true) else { return }
    countRefusal(response)
    connection.answered(request, RecordedAnswer(response, by: source, fault: fault), provider: provider)
  }

  /// Counts the request among the refused ones of its connection, once.
  private func countRefusal(_ response: HTTPResponse) {
    if request.refusals == nil { request.refusals = connection.count(response) }
  }

  private func end(_ end: String) {
    guard !exchange(&hasEnded, with: true) else { return }
    connection.ended(request, end)
  }
}

/// The error that ends a body within its bytes.
private struct CutAnswer: Error {}

extension BenchAction {
  /// True if the request gets no other answer.
  var ends: Bool {
    switch self {
    case .answer, .silence, .reset, .cut: true
    case .wait, .goAway, .settings, .cutAnswer, .certificate: false
    }
  }

  /// The word in `RecordedRequest.end`.
  fileprivate var name: String {
    switch self {
    case .answer: "answer"
    case .wait: "wait"
    case .silence: "silence"
    case .reset: "reset"
    case .goAway: "goaway"
    case .settings: "settings"
    case .cut, .cutAnswer: "cut"
    case .certificate: "certificate"
    }
  }
}
