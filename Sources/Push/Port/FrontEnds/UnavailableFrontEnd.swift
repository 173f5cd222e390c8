import HTTP
import HandsetCore

/// The front end that answers every request 503 while the system behind the port is not ready. It is the first one, so
/// that no credential is refused before the providers are known.
public struct UnavailableFrontEnd: FrontEnd, FrontEndSession {
  private let isReady: @Sendable () -> Bool

  public init(until isReady: @escaping @Sendable () -> Bool) {
    self.isReady = isReady
  }

  public func claims(_ head: RequestHead) -> Bool { !isReady() }

  public func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    let body = Array("{\"reason\":\"\(APNsReason.serviceUnavailable.rawValue)\"}".utf8)
    return .answer(
      HTTPResponse(
        status: APNsReason.serviceUnavailable.status,
        headers: ["content-type": "application/json", "content-length": String(body.count), "retry-after": "1"],
        body: .bytes(body)))
  }
}
