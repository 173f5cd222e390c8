import HTTP
import HandsetCore

/// The last front end of a port with only some protocols: no path is valid.
public struct NoFrontEnd: FrontEnd, FrontEndSession {
  public init() {}

  public func claims(_ head: RequestHead) -> Bool { true }

  public func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    let path = PathAdvice(head, RequestTarget(head.path))
    let advice = "\(path). At this port, without TLS, there is no APNs and no 2008 service"
    let refusal = RefusedPush(id: nil, topic: nil, status: 404, reason: "NotFound", detail: advice)
    return .answer(
      client.refuse(
        refusal, isCounted: false, with: .plainText(404, advice),
        tooMany: { .plainText(429, "too many refused requests") }))
  }
}

/// The front end that answers every request 503 while the system behind the port is not ready. It is the first one, so
/// that no credential is refused before the providers are known.
public struct UnavailableFrontEnd: FrontEnd, FrontEndSession {
  private let isReady: @Sendable () -> Bool

  public init(until isReady: @escaping @Sendable () -> Bool) {
    self.isReady = isReady
  }

  public func claims(_ head: RequestHead) -> Bool { !isReady() }

  public func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    .answer(HTTPResponse(.serviceUnavailable, id: nil))
  }
}
