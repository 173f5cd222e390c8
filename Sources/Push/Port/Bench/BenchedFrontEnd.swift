import HTTP
import HandsetCore
import NIOCore

/// The only front end of a connection with a test bench: it records all requests, and passes them to the others. A
/// desk's connections do not have it, so the path of a desk's requests has no branch for the bench.
struct BenchedFrontEnd: FrontEnd {
  let frontEnds: [any FrontEnd]
  let connection: NIOLoopBound<BenchedConnection>

  init(_ frontEnds: [any FrontEnd], on connection: BenchedConnection) {
    self.frontEnds = frontEnds
    self.connection = NIOLoopBound(connection, eventLoop: connection.eventLoop)
  }

  var name: String { "bench" }

  func claims(_ head: RequestHead) -> Bool { true }

  func makeSession(for client: Client) -> any FrontEndSession {
    BenchedSession(frontEnds: frontEnds, connection: connection.value)
  }
}

private final class BenchedSession: FrontEndSession {
  private let frontEnds: [any FrontEnd]
  private let connection: BenchedConnection
  private var sessions: [Int: any FrontEndSession] = [:]

  init(frontEnds: [any FrontEnd], connection: BenchedConnection) {
    (self.frontEnds, self.connection) = (frontEnds, connection)
  }

  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    let index = frontEnds.firstIndex { $0.claims(head) } ?? frontEnds.count - 1
    let stream = head.version == .http2 ? connection.openedStream() : nil
    var recorded = RecordedRequest(head, on: connection, stream: stream, frontEnd: frontEnds[index].name)
    // The connection's provider so far: a fault may end the request before it authenticates.
    recorded.provider = client.refusals.providerName
    let request = connection.began(recorded)
    let exchange = BenchedExchange(
      request, on: connection, from: client, closes: head.version == .http1)
    guard !exchange.takeFaultOfHead() else { return .read(exchange) }
    switch session(at: index, for: client).open(head, from: client) {
    case .answer(let response) where response.status < 400:
      exchange.record(response)
      return .answer(response)
    case .answer(let response): exchange.opened = .answer(response)
    case .read(let opened): exchange.opened = .read(opened)
    }
    return .read(exchange)
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse {
    let response = session(at: frontEnds.count - 1, for: client).refuse(error, from: client)
    let request = connection.began(
      RecordedRequest(
        connection: connection.recorded.number, stream: nil, frontEnd: "none", method: "", path: "", headers: []))
    connection.answered(request, RecordedAnswer(response, by: .limit), provider: client.refusals.providerName)
    return response
  }

  private func session(at index: Int, for client: Client) -> any FrontEndSession {
    if let session = sessions[index] { return session }
    let session = frontEnds[index].makeSession(for: client)
    sessions[index] = session
    return session
  }
}
