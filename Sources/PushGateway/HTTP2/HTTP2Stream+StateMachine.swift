// How far one request has come, without a socket: it is given what arrives and returns what to do. What the request means
// is its front end's.

import HTTPRoutes

extension HTTP2Stream {
  struct StateMachine {
    private enum State {
      case waitingForHead
      /// Whether the body may be read is being decided. What arrives is kept, up to the limit.
      case authorizing
      case collecting
      /// The front end has the whole request.
      case submitted
      /// The response is sent; the rest of the body is discarded.
      case answered
      case ended
    }

    enum Action: Hashable {
      case nothing
      case sendContinue
      case submit([UInt8])
      /// Why the body is not read to its end.
      case refuse(HTTPError)
      /// Reset the stream.
      case reset
    }

    private var state = State.waitingForHead
    private let discardLimit: Int
    private var bodyLimit = 0
    private var skipLimit = 0
    /// Asked once for a larger `bodyLimit`.
    private var moreBody: (() -> Int?)?
    /// Bytes of the body that have come.
    private(set) var received = 0
    private var body: [UInt8] = []
    private var discardedBytes = 0
    /// Whether the client waits for 100 Continue.
    private var isExpectant = false
    /// The client sends nothing more.
    private(set) var hasEnded = false

    /// - Parameter discardLimit: bytes of a body that are discarded; then the stream is reset.
    init(discardLimit: Int) {
      self.discardLimit = discardLimit
    }

    var isWaitingForHead: Bool { state == .waitingForHead }

    /// Whether more of the request is awaited.
    var isReceiving: Bool { state == .collecting || state == .answered }

    /// True if the body is thrown away, and read to its end.
    var isSkipping: Bool { state == .collecting && received > bodyLimit && received <= skipLimit }

    /// True if the rest of the body is awaited.
    var isCollecting: Bool { state == .collecting }

    /// The front end accepts the request by its head.
    mutating func accept(
      bodyLimit: Int, moreBody: (() -> Int?)? = nil, skipLimit: Int = 0, needsAuthorization: Bool, continues: Bool
    ) -> Action {
      (self.bodyLimit, self.moreBody, self.skipLimit) = (bodyLimit, moreBody, skipLimit)
      isExpectant = continues && !hasEnded
      state = .authorizing
      return needsAuthorization ? .nothing : authorized()
    }

    mutating func authorized() -> Action {
      guard state == .authorizing else { return .nothing }
      guard discardedBytes == 0 else { return refuse(tooLarge) }
      state = .collecting
      return hasEnded ? receiveEnd() : isExpectant ? .sendContinue : .nothing
    }

    /// The front end has answered the request before its body.
    mutating func refuse() {
      body = []
      moreBody = nil
      state = hasEnded ? .ended : .answered
    }

    private mutating func refuse(_ error: HTTPError) -> Action {
      refuse()
      return .refuse(error)
    }

    private var tooLarge: HTTPError {
      HTTPError(413, "the body is too large", hint: "at most \(bodyLimit) bytes")
    }

    mutating func receiveBody(_ bytes: some Collection<UInt8>) -> Action {
      received += bytes.count
      if state == .collecting, received > bodyLimit, let moreBody {
        guard let limit = moreBody() else { return refuse(tooLarge) }
        bodyLimit = limit
        self.moreBody = nil
      }
      let fits = received <= bodyLimit
      switch state {
      case .collecting where isSkipping: body = []
      case .collecting where !fits: return refuse(tooLarge)
      case .collecting: body.append(contentsOf: bytes)
      case .authorizing where fits && discardedBytes == 0: body.append(contentsOf: bytes)
      case .authorizing, .answered:
        body = []
        discardedBytes += bytes.count
        guard discardedBytes <= discardLimit else {
          state = .ended
          return .reset
        }
      case .waitingForHead, .submitted, .ended: break
      }
      return .nothing
    }

    /// The client sends nothing more.
    mutating func receiveEnd() -> Action {
      hasEnded = true
      switch state {
      case .collecting:
        state = .submitted
        moreBody = nil
        defer { body = [] }
        return .submit(body)
      case .answered: state = .ended
      case .waitingForHead, .authorizing, .submitted, .ended: break
      }
      return .nothing
    }

    /// - Returns: whether the response is sent: only the first is, and only while there is a client.
    mutating func receiveResponse() -> Bool {
      defer { state = .ended }
      return state == .submitted
    }

    /// The rest of the request did not come in time.
    mutating func receiveTimeout() -> Action {
      switch state {
      case .collecting: return refuse(HTTPError(408, "the body did not come in time"))
      case .answered:
        state = .ended
        return .reset
      case .waitingForHead, .authorizing, .submitted, .ended: return .nothing
      }
    }

    /// The stream is gone: a response that comes later is dropped.
    mutating func close() {
      state = .ended
    }
  }
}
