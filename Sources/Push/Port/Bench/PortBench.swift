import HandsetCore

/// The test bench of a port: it sees all connections and requests, and may act on them. A desk's port has none. Its
/// functions are called on the event loops of the connections, and never block.
public protocol PortBench: Sendable {
  /// The unknown providers that may push; nil for none.
  var catchAll: CatchAll? { get }

  /// A connection was accepted.
  func connectionOpened(from address: String?) -> RecordedConnection

  /// - Parameter why: the reason, such as `client closed`, `GOAWAY NO_ERROR: IdleTimeout` or the name of a fault.
  func connectionClosed(_ connection: RecordedConnection, why: String)

  /// The head of a request has arrived.
  /// - Returns: the request with its number, its times, and what is known of its handset.
  func requestBegan(_ request: RecordedRequest) -> RecordedRequest

  /// The whole body of a request has arrived.
  func bodyReceived(_ body: [UInt8], size: Int, of request: Int, provider: String?)

  /// A request is answered: the last that is recorded of it.
  func answered(_ request: Int, _ answer: RecordedAnswer, provider: String?)

  /// A request ended without an answer.
  /// - Parameter end: as in `RecordedRequest.end`.
  func ended(_ request: Int, _ end: String)

  /// Returns true if the bench was reset since the request began: nothing may come of it any more.
  func isForgotten(_ request: Int) -> Bool

  /// Returns the fault of a connection that was accepted, before TLS; nil for none. Each call counts as a hit.
  func fault(atAcceptOf connection: RecordedConnection) -> BenchFault?

  /// Returns the fault of an HTTP/2 connection that begins, whose settings are not sent yet; nil for none. Each call
  /// counts as a hit.
  func fault(atBeginningOf connection: RecordedConnection) -> BenchFault?

  /// Returns the fault of a request at a point; nil for none. Each call counts as a hit.
  func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault?
}

extension PortBench {
  public var catchAll: CatchAll? { nil }
  public func isForgotten(_ request: Int) -> Bool { false }
  public func fault(atAcceptOf connection: RecordedConnection) -> BenchFault? { nil }
  public func fault(atBeginningOf connection: RecordedConnection) -> BenchFault? { nil }
  public func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault? { nil }
}

/// The points of a request at which a fault may act, in their order.
public enum BenchPoint: String, Sendable, Hashable, CaseIterable {
  /// The header fields have arrived; the request is not judged, and its provider may not be known.
  case head
  /// The first bytes of the body have arrived.
  case body
  /// The whole request has arrived, and its head was judged; nothing is stored yet.
  case beforeCommit
  /// The handset's answer is known, so that a push is stored; the answer is not sent.
  case beforeAnswer
}

/// The actions of a fault at a point.
public struct BenchFault: Sendable, Hashable {
  public var name: String
  /// The names of all faults whose actions these are; the last is `name`.
  public var names: [String]
  /// Done one after the other. After the last one the request goes on, unless an action ended it.
  public var actions: [BenchAction]

  public init(name: String, actions: [BenchAction]) {
    (self.name, names, self.actions) = (name, [name], actions)
  }
}

public enum BenchAction: Sendable, Hashable {
  /// Answers with this, once the body has arrived. Ends the request.
  case answer(status: Int, headers: [RecordedField], body: [UInt8])
  /// Waits, in real time.
  case wait(Duration)
  /// Gives no answer. Ends the request.
  case silence
  /// Resets the stream with an error code of HTTP/2. Ends the request.
  case reset(code: UInt32)
  /// Sends GOAWAY.
  /// - Parameters:
  ///   - lastStream: nil for the last one that was accepted.
  ///   - closes: true to close the connection afterwards.
  case goAway(lastStream: UInt32?, code: UInt32, closes: Bool)
  /// Sends SETTINGS; nil leaves a value as it is.
  case settings(streams: Int?, window: Int?)
  /// Closes the TCP connection without a word. Ends the request.
  case cut
  /// Closes it within the answer, before whose sending it is. An answer without a body ends at its head.
  case cutAnswer(withBody: Bool)
  /// Presents another certificate. At acceptance only.
  case certificate(Fault.CertificateFault)
}

/// The recorded request on whose behalf the current function is called, for the receiver of its push.
public enum BenchContext {
  @TaskLocal public static var request: Int?
}
