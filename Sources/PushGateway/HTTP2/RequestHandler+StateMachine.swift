// How far one request has come, without a socket: it is given what arrives and returns what to do. What the request means
// is its front end's.

import HTTPRoutes

extension RequestHandler {
  struct StateMachine {
    private enum State {
      case waitingForHead
      /// Whether the body may be read is being decided. What has arrived is kept, up to the limit.
      case authorizing(limit: Int, body: [UInt8], end: End?, continues: Bool)
      case collecting(limit: Int, body: [UInt8])
      /// The front end has the whole request.
      case submitted
      /// The response is sent; the rest of the body is discarded.
      case answered(discardedBytes: Int)
      case ended
    }

    /// How a body ended while its request was being authorized.
    private enum End { case whole, tooLarge }

    enum Action: Hashable {
      case nothing
      case sendContinue
      case submit([UInt8])
      case refuse(Fault)
      /// Reset the stream.
      case reset
    }

    /// Why a body is not read to its end.
    enum Fault: Hashable { case tooLarge, late }

    private var state = State.waitingForHead
    private let discardLimit: Int

    /// - Parameter discardLimit: bytes of a body that are discarded after the response; then the stream is reset.
    init(discardLimit: Int) {
      self.discardLimit = discardLimit
    }

    var isWaitingForHead: Bool {
      if case .waitingForHead = state { true } else { false }
    }

    var isAuthorizing: Bool {
      if case .authorizing = state { true } else { false }
    }

    /// Whether more of the request is awaited.
    var isReceiving: Bool {
      switch state {
      case .collecting, .answered: true
      case .waitingForHead, .authorizing, .submitted, .ended: false
      }
    }

    /// Whether the rest of the body is discarded.
    var isAnswered: Bool {
      if case .answered = state { true } else { false }
    }

    /// The front end accepts the request by its head.
    mutating func accept(bodyLimit: Int, needsAuthorization: Bool, continues: Bool, endOfStream: Bool) -> Action {
      if needsAuthorization {
        state = .authorizing(limit: bodyLimit, body: [], end: endOfStream ? .whole : nil, continues: continues)
        return .nothing
      }
      state = .collecting(limit: bodyLimit, body: [])
      return endOfStream ? receiveEnd() : continues ? .sendContinue : .nothing
    }

    /// The front end has answered the request by its head.
    mutating func refuse(endOfStream: Bool) {
      state = endOfStream ? .ended : .answered(discardedBytes: 0)
    }

    mutating func authorized() -> Action {
      guard case .authorizing(let limit, let body, let end, let continues) = state else { return .nothing }
      switch end {
      case .whole:
        state = .submitted
        return .submit(body)
      case .tooLarge:
        state = .answered(discardedBytes: 0)
        return .refuse(.tooLarge)
      case nil:
        state = .collecting(limit: limit, body: body)
        return continues ? .sendContinue : .nothing
      }
    }

    mutating func refuseAuthorization() {
      guard case .authorizing(_, _, let end, _) = state else { return }
      refuse(endOfStream: end == .whole)
    }

    mutating func receiveBody(_ bytes: some Collection<UInt8>, endOfStream: Bool) -> Action {
      switch state {
      case .collecting(let limit, var body):
        state = .ended  // So that `body` is the only reference, and grows in place.
        guard body.count + bytes.count <= limit else {
          refuse(endOfStream: endOfStream)
          return .refuse(.tooLarge)
        }
        body.append(contentsOf: bytes)
        state = .collecting(limit: limit, body: body)
        return endOfStream ? receiveEnd() : .nothing
      case .authorizing(let limit, var body, let end, let continues):
        guard end == nil, body.count + bytes.count <= limit else {
          state = .authorizing(limit: limit, body: [], end: .tooLarge, continues: false)
          return .nothing
        }
        body.append(contentsOf: bytes)
        state = .authorizing(limit: limit, body: body, end: endOfStream ? .whole : nil, continues: continues)
        return .nothing
      case .answered(let discardedBytes):
        if endOfStream {
          state = .ended
          return .nothing
        }
        guard discardedBytes + bytes.count <= discardLimit else {
          state = .ended
          return .reset
        }
        state = .answered(discardedBytes: discardedBytes + bytes.count)
        return .nothing
      case .waitingForHead, .submitted, .ended:
        return .nothing
      }
    }

    /// The client sends nothing more.
    mutating func receiveEnd() -> Action {
      switch state {
      case .collecting(_, let body):
        state = .submitted
        return .submit(body)
      case .authorizing(let limit, let body, nil, _):
        state = .authorizing(limit: limit, body: body, end: .whole, continues: false)
        return .nothing
      case .answered:
        state = .ended
        return .nothing
      case .waitingForHead, .authorizing, .submitted, .ended:
        return .nothing
      }
    }

    /// - Returns: whether the response is sent: only the first is, and only while there is a client.
    mutating func receiveResponse() -> Bool {
      guard case .submitted = state else { return false }
      state = .ended
      return true
    }

    /// The rest of the request did not come in time.
    mutating func receiveTimeout() -> Action {
      switch state {
      case .collecting:
        state = .answered(discardedBytes: 0)
        return .refuse(.late)
      case .answered:
        state = .ended
        return .reset
      case .waitingForHead, .authorizing, .submitted, .ended:
        return .nothing
      }
    }

    /// The stream is gone: a response that comes later is dropped.
    mutating func close() {
      state = .ended
    }
  }
}

extension RequestHandler.StateMachine.Fault {
  func error(_ limits: GatewayLimits, bodyLimit: Int) -> HTTPError {
    switch self {
    case .tooLarge: HTTPError(413, "the body is too large", hint: "at most \(bodyLimit) bytes")
    case .late: HTTPError(408, "the body did not come within \(limits.bodyDuration)")
    }
  }
}
