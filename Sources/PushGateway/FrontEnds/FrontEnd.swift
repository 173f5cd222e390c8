import HTTPRoutes

/// A protocol by which providers push: it recognises its requests, turns bytes into pushes, and words the answers. Reading
/// requests within limits, TLS and both versions of HTTP are the port's work. A port has a list of front ends: the first
/// that claims a request gets it, and the last gets every request that none claims.
public protocol FrontEnd: Sendable {
  /// Whether a request belongs to this protocol, by its method, path and version of HTTP.
  func claims(_ head: RequestHead) -> Bool

  /// Makes what this protocol keeps of one connection. Called at the protocol's first request there.
  func makeSession(for client: Client) -> any FrontEndSession
}

/// One protocol's part of one connection. Used on the connection's event loop only. It must not keep the client.
public protocol FrontEndSession {
  /// Judges a request by its head, before any of its body is read.
  func open(_ head: RequestHead, from client: Client) -> Opening

  /// Answers what could not be read as a request. Only HTTP/1.1 has that, and there the last front end of the list is
  /// asked.
  ///
  /// - Parameter error: 400, 408, 414, 431 or 503, and what is wrong.
  func refuse(_ error: HTTPError, from client: Client) -> Response
}

/// What becomes of a request whose head is known.
public enum Opening {
  /// It is answered, and its body is discarded.
  case answer(Response)
  /// Its body is read.
  case read(any Exchange)
}

/// One request whose head was accepted. Used on the connection's event loop only.
public protocol Exchange {
  /// Bytes of a body that are accepted.
  var bodyLimit: Int { get }

  /// Asked once, where a body is longer than that: how many bytes are accepted then. Nil refuses it.
  func moreBody() -> Int?

  /// Bytes of a body that are read: what is longer than is accepted, and not than this, is thrown away as a whole.
  var skipLimit: Int { get }

  /// Decides whether the body may be read, where that takes time; nil where it may. It returns the answer of a denial,
  /// and nil where a provider has authenticated.
  var authorization: (@Sendable () async -> Response?)? { get }

  /// Takes the whole body, of at most `bodyLimit` bytes.
  ///
  /// - Parameter respond: to be called once, on any thread.
  func receive(_ body: [UInt8], respond: @escaping @Sendable (Response) -> Void)

  /// The same, for one with a `skipLimit`.
  /// - Parameters:
  ///   - body: empty if it was thrown away.
  ///   - size: bytes that came.
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
