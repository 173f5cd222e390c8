import HTTP
import HandsetCore

/// A protocol for sending pushes: it recognises its requests, turns bytes into pushes, and formulates the answers. The
/// port itself reads requests within limits, and does TLS and both versions of HTTP. A port has a list of front ends:
/// the first that claims a request gets it, and the last gets every unclaimed request.
public protocol FrontEnd: Sendable {
  /// Its name among recorded requests: `apns`.
  var name: String { get }

  /// Returns true if a request belongs to this protocol, by its method, path and version of HTTP.
  func claims(_ head: RequestHead) -> Bool

  /// Makes the state of this protocol for one connection. Called at the protocol's first request there.
  func makeSession(for client: Client) -> any FrontEndSession
}

extension FrontEnd {
  public var name: String { "none" }
}

/// A protocol that keeps nothing of a connection.
extension FrontEnd where Self: FrontEndSession {
  public func makeSession(for client: Client) -> any FrontEndSession { self }
}

/// One protocol's part of one connection. Used on the connection's event loop only. It must not keep the client.
public protocol FrontEndSession {
  /// Checks a request by its head, before any of its body is read.
  func open(_ head: RequestHead, from client: Client) -> HTTPOpening

  /// Answers bytes that could not be read as a request. Only HTTP/1.1 has such errors, and there the last front end of
  /// the list answers.
  ///
  /// - Parameter error: 400, 408, 414, 431 or 503, and the problem.
  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse
}

extension FrontEndSession {
  public func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse {
    .plainText(error.status, error.description)
  }
}

public protocol RefusalRecorder: Sendable {
  /// Records that a request was refused before it became a push. Never blocks, and limits its records. Refusals that
  /// any client can cause without end arrive summed up. `PushReceiver.receive` does not report its own refusals here.
  func note(_ refusal: RefusedPush)
}

/// The receiver of pushes, on behalf of the handset.
public protocol PushReceiver: RefusalRecorder {
  /// Receives a push. Never blocks: it is called on an event loop. Owned: a push is large, and is moved into its input.
  ///
  /// - Parameter completion: must be called exactly once, on any thread, when the push is stored or will never be. The
  ///   provider is answered only then.
  func receive(_ push: __owned Push, completion: @escaping @Sendable (Input.Outcome) -> Void)
}
