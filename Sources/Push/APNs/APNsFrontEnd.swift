import HTTP
import HandsetCore

/// Apple's provider API [APNs]: POST /3/device/TOKEN over HTTP/2.
public struct APNsFrontEnd: FrontEnd {
  private let receiver: any PushReceiver

  public init(_ receiver: any PushReceiver) {
    self.receiver = receiver
  }

  public var name: String { "apns" }

  public func claims(_ head: RequestHead) -> Bool { APNsPushHead.isProviderAPI(head.path) }

  public func makeSession(for client: Client) -> any FrontEndSession { APNsSession(client, receiver) }
}

/// The provider tokens of one connection.
final class APNsSession: FrontEndSession {
  let port: Port
  let receiver: any PushReceiver
  fileprivate let tokens: ProviderTokenVerifier
  /// The last accepted request that did not repeat the fields of the one before, as most do.
  private var last: Accepted?

  /// An accepted request, its values, and the list of providers that it was checked with.
  private final class Accepted {
    let request: APNsRequest
    let push: APNsPushHead
    let generation: UInt64

    init(_ request: APNsRequest, _ push: APNsPushHead, generation: UInt64) {
      (self.request, self.push, self.generation) = (request, push, generation)
    }
  }

  init(_ client: Client, _ receiver: any PushReceiver) {
    port = client.port
    self.receiver = receiver
    tokens = client.tokens
  }

  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    guard head.version == .http2 else { return .answer(.providerAPIOverHTTP1) }
    let (madeID, generation) = (PushID.random(), port.providers.generation)
    let last = last?.generation == generation ? last : nil
    let repeated = last?.request.repeated(as: head, madeID: madeID)
    let request = repeated ?? APNsRequest(head, madeID: madeID)
    var isCounted = false
    func authenticate(_ request: APNsRequest) throws(APNsRefusal) -> Provider {
      let provider = try tokens.provider(of: client, authorization: request.bytes(.authorization))
      isCounted = true
      return provider
    }
    do throws(APNsRefusal) {
      let push: APNsPushHead
      if let last, repeated != nil {
        push = try last.push.repeated(
          as: request, path: head.path, now: port.clock.handset(), authenticate: authenticate)
      } else {
        push = try APNsPushHead(request, now: port.clock.handset(), limits: port.limits, authenticate: authenticate)
        self.last = Accepted(request, push, generation: generation)
      }
      return .read(APNsExchange(request: request, head: push, session: self, client: client))
    } catch {
      return .answer(request.refuse(error, from: client, isCounted: isCounted, namedKey: tokens.namedKey))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse { .providerAPIOverHTTP1 }
}

/// One push with valid header fields.
private final class APNsExchange: HTTPExchange {
  let request: APNsRequest
  let head: APNsPushHead
  let session: APNsSession
  let client: Client

  init(request: APNsRequest, head: APNsPushHead, session: APNsSession, client: Client) {
    self.request = request
    self.head = head
    self.session = session
    self.client = client
  }

  var bodyLimit: Int { head.payloadLimit }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    var push: Push
    do throws(APNsRefusal) {
      push = try request.push(
        head, body, session.port.limits, faults: session.tokens.takeFaults(), provider: client.refusals.providerName)
    } catch {
      return respond(request.refuse(error, from: client))
    }
    let id = request.echoedID
    let uniqueID = session.port.environment == .development ? PushID.random() : nil
    if let uniqueID { push.uniqueID = uniqueID }
    session.receiver.receive(consume push) { outcome in
      var response = HTTPResponse(outcome, id: id)
      if let uniqueID, outcome == .stored(.accepted) {
        response.headers.add(uniqueID.description, for: "apns-unique-id")
      }
      respond(response)
    }
  }

  /// Answers a request whose body is too large, or late. The cause of a delay is unknown, so the provider may retry a
  /// late push.
  func refuse(_ error: HTTPError) -> HTTPResponse {
    let seconds = session.port.limits.bodyDuration.inMicroseconds / 1_000_000
    let late = APNsRefusal(.serviceUnavailable, "the body did not end within \(seconds) s")
    return request.refuse(error.status == 413 ? .payloadTooLarge(bodyLimit) : late, from: client)
  }
}

extension HTTPResponse {
  init(_ outcome: Input.Outcome, id: String) {
    switch outcome {
    case .stored(.accepted):
      self.init(headers: HTTPResponse.acceptedHeaders.withValue(id))
    case .failed: self.init(.serviceUnavailable, id: id)
    case .stored(.refused(.badDeviceToken)): self.init(.badDeviceToken, id: id)
    case .stored(.refused(.deviceTokenNotForTopic)), .stored(.refused(.tokenOfAnotherUse)):
      self.init(.deviceTokenNotForTopic, id: id)
    case .stored(.refused(.expiredToken(let since))): self.init(.expiredDeviceToken, id: id, since: since)
    case .stored(.refused(.unregistered(let since))): self.init(.unregistered, id: id, since: since)
    // A push has no other refusal. If it had one, the fault would be ours, and the provider should keep its token.
    case .stored(.refused): self.init(.internalServerError, id: id)
    }
  }

  private static let acceptedHeaders: HeaderFields = ["apns-id": "00000000-0000-0000-0000-000000000000"]

  /// - Parameter since: the time at which the token became invalid.
  init(_ reason: APNsReason, id: String?, since: WallTime? = nil) {
    let timestamp = since.map { ",\"timestamp\":\($0.microseconds / 1_000)" } ?? ""
    let body = Array("{\"reason\":\"\(reason.rawValue)\"\(timestamp)}".utf8)
    self.init(status: reason.status, body: .bytes(body))
    if let id { headers.add(id, for: "apns-id") }
    headers.add("application/json", for: "content-type")
    headers.add(String(body.count), for: "content-length")
    if reason == .tooManyRequests || reason == .serviceUnavailable { headers.add("1", for: "retry-after") }
  }

  /// The answer to HTTP/1.1: the provider API is HTTP/2 only [APNs].
  static var providerAPIOverHTTP1: HTTPResponse {
    var response = plainText(505, "the provider API under /3/ and /4/ speaks HTTP/2 only; offer h2, with curl: --http2")
    response.connection = .drain
    return response
  }
}
