import HTTP

/// A protocol for sending pushes: it recognises its requests, turns bytes into pushes, and formulates the answers. The
/// port itself reads requests within limits, and does TLS and both versions of HTTP. A port has a list of front ends:
/// the first that claims a request gets it, and the last gets every unclaimed request.
public protocol FrontEnd: Sendable {
  /// Returns true if a request belongs to this protocol, by its method, path and version of HTTP.
  func claims(_ head: RequestHead) -> Bool

  /// Makes the state of this protocol for one connection. Called at the protocol's first request there.
  func makeSession(for client: Client) -> any FrontEndSession
}

/// One protocol's part of one connection. Used on the connection's event loop only. It must not keep the client.
public protocol FrontEndSession {
  /// Checks a request by its head, before any of its body is read.
  func open(_ head: RequestHead, from client: Client) -> Opening

  /// Answers bytes that could not be read as a request. Only HTTP/1.1 has such errors, and there the last front end of
  /// the list answers.
  ///
  /// - Parameter error: 400, 408, 414, 431 or 503, and the problem.
  func refuse(_ error: HTTPError, from client: Client) -> Response
}

/// The handling of a request whose head is known.
public enum Opening {
  /// It is answered, and its body is discarded.
  case answer(Response)
  /// Its body is read.
  case read(any Exchange)
}

/// One request whose head was accepted. Used on the connection's event loop only.
public protocol Exchange {
  /// The largest accepted body, in bytes.
  var bodyLimit: Int { get }

  /// Called once, if a body is longer than `bodyLimit`; returns the new limit in bytes. Nil refuses the body.
  func moreBody() -> Int?

  /// The largest body that is read, in bytes: a body above the accepted size and up to this one is discarded as a
  /// whole.
  var skipLimit: Int { get }

  /// Decides if the body may be read, if that takes time; nil if it may. It returns the answer of a denial, and nil if
  /// a provider has authenticated.
  var authorization: (@Sendable () async -> Response?)? { get }

  /// Receives the whole body, of at most `bodyLimit` bytes.
  ///
  /// - Parameter respond: must be called once, on any thread.
  func receive(_ body: [UInt8], respond: @escaping @Sendable (Response) -> Void)

  /// The same, for an exchange with a `skipLimit`.
  /// - Parameters:
  ///   - body: empty if it was discarded.
  ///   - size: the bytes that were received.
  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (Response) -> Void)

  /// Answers a request whose body is too large (413), late (408) or malformed (400).
  func refuse(_ error: HTTPError) -> Response
}

extension FrontEndSession {
  public func refuse(_ error: HTTPError, from client: Client) -> Response {
    .plainText(error.status, error.description)
  }
}

extension Exchange {
  public func moreBody() -> Int? { bodyLimit }

  public var skipLimit: Int { 0 }

  public func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (Response) -> Void) {
    receive(body, respond: respond)
  }

  public var authorization: (@Sendable () async -> Response?)? { nil }

  public func refuse(_ error: HTTPError) -> Response { .plainText(error.status, error.description) }
}
