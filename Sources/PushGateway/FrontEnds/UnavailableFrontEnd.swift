import HandsetCore

/// Answers every request that it can be tried again, while what is behind the port is not ready. It stands before the
/// others, so that nobody is told that a credential is wrong which is only not known yet.
public struct UnavailableFrontEnd: FrontEnd, FrontEndSession {
  private let isReady: @Sendable () -> Bool

  public init(until isReady: @escaping @Sendable () -> Bool) {
    self.isReady = isReady
  }

  public func claims(_ head: RequestHead) -> Bool { !isReady() }

  public func makeSession(for client: Client) -> any FrontEndSession { self }

  public func open(_ head: RequestHead, from client: Client) -> Opening {
    let body = Array("{\"reason\":\"\(APNsReason.serviceUnavailable.rawValue)\"}".utf8)
    return .answer(
      Response(
        status: APNsReason.serviceUnavailable.status,
        fields: ["content-type": "application/json", "content-length": String(body.count), "retry-after": "1"],
        body: body))
  }
}
