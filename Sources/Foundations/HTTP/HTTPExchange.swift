public enum HTTPOpening {
  /// It is answered, and its body is discarded. In HTTP/1.1 an answer of 400 and above closes the connection.
  case answer(HTTPResponse)
  case read(any HTTPExchange)
}

/// One request whose head was accepted. Used on the connection's event loop only.
public protocol HTTPExchange {
  /// The largest accepted body, in bytes; a longer one is refused with 413.
  var bodyLimit: Int { get }

  /// Called once, if a body is longer than `bodyLimit`; returns the new limit in bytes. Nil refuses the body.
  func moreBody() -> Int?

  /// The largest body that is read, in bytes: a body above the accepted size and up to this one is discarded as a
  /// whole.
  var skipLimit: Int { get }

  /// Decides if the body may be read, if that takes time; nil if it may. It returns the answer of a denial, and nil if
  /// the client has authenticated. In HTTP/1.1 a denial closes the connection, unless the whole body was there already.
  var authorization: (@Sendable () async -> HTTPResponse?)? { get }

  /// Receives the whole body, of at most `bodyLimit` bytes.
  /// - Parameters:
  ///   - body: empty if it was discarded, which needs a `skipLimit`.
  ///   - size: the bytes that were received.
  ///   - respond: must be called once, on any thread.
  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void)

  /// Answers a request whose body is too large (413), late (408) or malformed (400).
  func refuse(_ error: HTTPError) -> HTTPResponse

  /// Called if an HTTP/1.1 client leaves before it is answered.
  func cancel()
}

extension HTTPExchange {
  public func moreBody() -> Int? { bodyLimit }

  public var skipLimit: Int { 0 }

  public var authorization: (@Sendable () async -> HTTPResponse?)? { nil }

  public func refuse(_ error: HTTPError) -> HTTPResponse { .plainText(error.status, error.description) }

  public func cancel() {}
}

/// The part that answers the requests of an HTTP/1.1 connection. Used on the connection's event loop only.
package protocol HTTPResponder {
  /// Decides on a request by its head, before its body is read.
  func open(_ request: HTTPRequest) -> HTTPOpening

  /// Called when an exchange's `authorization` has admitted its client.
  func authorized()

  /// Answers a request that could not be read: 400, 408, 414, 431, 501 or 503.
  func refuse(_ error: HTTPError) -> HTTPResponse
}

extension HTTPResponder {
  package func authorized() {}

  package func refuse(_ error: HTTPError) -> HTTPResponse { error.response }
}
