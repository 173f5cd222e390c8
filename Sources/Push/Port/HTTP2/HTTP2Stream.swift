import HTTP
import NIOCore

/// An HTTP/2 request and its answer, as its connection keeps them.
final class HTTP2Stream {
  let number: UInt32
  @exclusivity(unchecked) var machine: StateMachine
  /// The fields that arrived of a head that libnghttp2 does not accept, if another header block followed.
  var malformedHead: RequestHead?
  @exclusivity(unchecked) var exchange: (any HTTPExchange)?
  var isHead = false
  @exclusivity(unchecked) var authorization: Task<Void, Never>?
  @exclusivity(unchecked) var answer: ArraySlice<UInt8> = []
  /// The source of the rest of the body; nil once it has ended.
  @exclusivity(unchecked) var source: ResponseStream?
  /// The deadline for the rest of the request, or for the client to receive the answer.
  @exclusivity(unchecked) var deadline: ClientDeadline?
  var isAnswered = false
  /// If true, a fault of the test bench has taken its answer.
  var isLeft = false

  init(_ number: UInt32, discardLimit: Int) {
    self.number = number
    machine = StateMachine(discardLimit: discardLimit)
  }

  /// True if the rest of the request is awaited, or part of the answer is unsent.
  var isUnfinished: Bool { machine.isReceiving || !answer.isEmpty }

  var state: HTTP2Connection.StreamState { machine.hasEnded ? .received : isAnswered ? .answered : .receiving }

  func close() {
    machine.close()
    answer = []
    source?.end()
    source = nil
    authorization?.cancel()
    cancelDeadline()
  }

  func cancelDeadline() {
    guard let pending = deadline else { return }
    deadline = nil
    pending.cancel()
  }

  /// The progress of one request, without a socket: takes the input and returns the next action. The front end interprets
  /// the request.
  struct StateMachine {
    private enum State {
      case waitingForHead
      /// The authorization to read the body is pending. Received bytes are kept, up to the limit.
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
      /// Answer with an error: the body is not read to its end.
      case refuse(HTTPError)
      case reset
    }

    private var state = State.waitingForHead
    private let discardLimit: Int
    private var bodyLimit = 0
    private var skipLimit = 0
    /// True if the exchange was asked for a larger `bodyLimit`.
    private var hasAskedForMore = false
    private(set) var received = 0
    private var body: [UInt8] = []
    private var discardedBytes = 0
    /// True if the client waits for 100 Continue.
    private var isExpectant = false
    private(set) var hasEnded = false

    /// - Parameter discardLimit: the bytes of a body to discard before the stream is reset.
    init(discardLimit: Int) {
      self.discardLimit = discardLimit
    }

    var isWaitingForHead: Bool { state == .waitingForHead }

    /// True if more of the request is awaited.
    var isReceiving: Bool { state == .collecting || state == .answered }

    /// True if the front end has the whole request, and has not answered it.
    var isSubmitted: Bool { state == .submitted }

    /// True if the body is discarded, but read to its end.
    var isSkipping: Bool { state == .collecting && received > bodyLimit && received <= skipLimit }

    /// True if the rest of the body is awaited.
    var isCollecting: Bool { state == .collecting }

    /// Accepts the request by its head, as its front end decided.
    mutating func accept(
      bodyLimit: Int, skipLimit: Int = 0, needsAuthorization: Bool, continues: Bool
    ) -> Action {
      (self.bodyLimit, self.skipLimit) = (bodyLimit, skipLimit)
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

    /// Drops the body: the front end has answered the request without it.
    mutating func refuse() {
      body = []
      state = hasEnded ? .ended : .answered
    }

    private mutating func refuse(_ error: HTTPError) -> Action {
      refuse()
      return .refuse(error)
    }

    private var tooLarge: HTTPError {
      HTTPError(413, "the body is too large", hint: "at most \(bodyLimit) bytes")
    }

    /// - Parameter exchange: the request's, for a larger limit.
    mutating func receiveBody(
      _ bytes: some Collection<UInt8>, of exchange: @autoclosure () -> (any HTTPExchange)? = nil
    ) -> Action {
      received += bytes.count
      if state == .collecting, received > bodyLimit, !hasAskedForMore, let exchange = exchange() {
        hasAskedForMore = true
        guard let limit = exchange.moreBody() else { return refuse(tooLarge) }
        bodyLimit = limit
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

    mutating func receiveEnd() -> Action {
      hasEnded = true
      switch state {
      case .collecting:
        state = .submitted
        defer { body = [] }
        return .submit(body)
      case .answered: state = .ended
      case .waitingForHead, .authorizing, .submitted, .ended: break
      }
      return .nothing
    }

    /// - Returns: true if the response is to be sent: it is the first, and the client is there.
    mutating func receiveResponse() -> Bool {
      defer { state = .ended }
      return state == .submitted
    }

    /// Handles a request whose rest did not arrive in time.
    mutating func receiveTimeout() -> Action {
      switch state {
      case .collecting: return refuse(HTTPError(408, "the body did not come in time"))
      case .answered:
        state = .ended
        return .reset
      case .waitingForHead, .authorizing, .submitted, .ended: return .nothing
      }
    }

    /// Records that the stream is gone: a later response is dropped.
    mutating func close() {
      state = .ended
    }
  }
}
