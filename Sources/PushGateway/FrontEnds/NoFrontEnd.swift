import HandsetCore

/// The last of a port that has a few protocols only: it knows no path.
public struct NoFrontEnd: FrontEnd, FrontEndSession {
  public init() {}

  public func claims(_ head: RequestHead) -> Bool { true }

  public func makeSession(for client: Client) -> any FrontEndSession { self }

  public func open(_ head: RequestHead, from client: Client) -> Opening {
    let refusal = RefusedPush(
      id: nil, topic: nil, status: 404, reason: "NotFound", detail: "there is no such path at the port without TLS")
    return .answer(
      client.refuse(
        refusal, isCounted: false, with: .plainText(404, "no such path; APNs and the 2008 service need TLS"),
        tooMany: { .plainText(429, "too many refused requests") }))
  }
}
