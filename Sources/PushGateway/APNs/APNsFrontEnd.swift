// Apple's provider API [APNs]: POST /3/device/TOKEN over HTTP/2.

import HTTPRoutes
import HandsetCore

/// The provider API as a front end.
public struct APNsFrontEnd: FrontEnd {
  private let receiver: any PushReceiver

  public init(_ receiver: any PushReceiver) {
    self.receiver = receiver
  }

  public func claims(_ head: RequestHead) -> Bool { APNsPushHead.isProviderAPI(head.path) }

  public func makeSession(for client: Client) -> any FrontEndSession { APNsSession(client.gateway, receiver) }
}

/// The provider tokens of one connection.
final class APNsSession: FrontEndSession {
  let gateway: Gateway
  let receiver: any PushReceiver
  private var tokens: ProviderTokenVerifier
  /// The key that the last request's token named.
  private var namedKey: ProviderDirectory.KeyName?

  init(_ gateway: Gateway, _ receiver: any PushReceiver) {
    self.gateway = gateway
    self.receiver = receiver
    tokens = ProviderTokenVerifier(limits: gateway.limits, environment: gateway.environment)
  }

  func open(_ head: RequestHead, from client: Client) -> Opening {
    guard head.version == .http2 else { return .answer(.providerAPIOverHTTP1) }
    var request = APNsRequest(head, madeID: .random())
    do throws(APNsRefusal) {
      let push = try request.accept(now: gateway.clock.handset(), limits: gateway.limits) {
        (authorization) throws(APNsRefusal) -> Provider in try self.authenticate(authorization, client)
      }
      return .read(APNsExchange(request, push, self, client))
    } catch {
      return .answer(request.refuse(error, from: client, namedKey: namedKey))
    }
  }

  /// Where the token that was verified since the last call differs from Apple's documentation.
  func takeTokenFaults() -> [PayloadFault] { tokens.takeFaults() }

  func refuse(_ error: HTTPError, from client: Client) -> Response { .providerAPIOverHTTP1 }

  /// The provider that sends a request: by the client certificate where there is one, whatever is in `authorization`
  /// [APNs, `authorization`: ignored with certificate-based authentication]; else by its provider token.
  private func authenticate(_ authorization: String?, _ client: Client) throws(APNsRefusal) -> Provider {
    namedKey = nil
    let provider =
      if let certified = try providerByCertificate(client) { certified } else { try providerByToken(authorization) }
    client.noteAuthenticated(as: provider)
    guard gateway.admitsRequest(of: provider) else {
      throw APNsRefusal(.tooManyRequests, gateway.limits.tooManyRequests(of: provider))
    }
    return provider
  }

  private func providerByToken(_ authorization: String?) throws(APNsRefusal) -> Provider {
    let token = try ProviderToken.bearer(authorization)
    defer { namedKey = tokens.namedKey }
    return try tokens.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
  }

  private func providerByCertificate(_ client: Client) throws(APNsRefusal) -> Provider? {
    do throws(CertificateRefusal) {
      return try client.providerByCertificate()
    } catch {
      throw APNsRefusal(error)
    }
  }
}

/// One push whose header fields are good.
private final class APNsExchange: Exchange {
  private let request: APNsRequest
  private let head: APNsPushHead
  private let session: APNsSession
  private let client: Client

  init(_ request: APNsRequest, _ head: APNsPushHead, _ session: APNsSession, _ client: Client) {
    self.request = request
    self.head = head
    self.session = session
    self.client = client
  }

  var bodyLimit: Int { head.payloadLimit }

  func receive(_ body: [UInt8], respond: @escaping @Sendable (Response) -> Void) {
    var push: Push
    do throws(APNsRefusal) {
      push = try request.push(head, body, session.gateway.limits)
    } catch {
      return respond(request.refuse(error, from: client))
    }
    push.faults += session.takeTokenFaults()
    let id = request.echoedID
    let isDevelopment = session.gateway.environment == .development
    session.receiver.receive(push) { outcome in
      var response = Response(APNsAnswer(outcome), id: id)
      if isDevelopment && outcome == .stored(.accepted) {
        response.fields.add(PushID.random().description, for: "apns-unique-id")
      }
      respond(response)
    }
  }

  func refuse(_ error: HTTPError) -> Response {
    request.refuse(APNsRefusal(error, bodyLimit: bodyLimit, session.gateway.limits), from: client)
  }
}

extension APNsRequest {
  fileprivate func refuse(
    _ refusal: APNsRefusal, from client: Client, namedKey: ProviderDirectory.KeyName? = nil
  ) -> Response {
    let answer = APNsAnswer(refusal.reason)
    return client.refuse(
      record(of: refusal), isCounted: isCounted,
      failure: answer.isFailedAuthentication ? FailedAuthentication(key: namedKey) : nil,
      with: Response(answer, id: echoedID), tooMany: { Response(APNsAnswer(.tooManyRequests), id: echoedID) })
  }
}

extension Response {
  fileprivate init(_ answer: APNsAnswer, id: String) {
    self.init(status: answer.status)
    fields.add(id, for: "apns-id")
    guard let body = answer.body else { return }
    self.body = Array(body.utf8)
    fields.add("application/json", for: "content-type")
    fields.add(String(body.utf8.count), for: "content-length")
    if let seconds = answer.retryAfterSeconds { fields.add(String(seconds), for: "retry-after") }
  }

  /// The provider API is HTTP/2 and nothing else [APNs].
  fileprivate static var providerAPIOverHTTP1: Response {
    var response = plainText(505, "the provider API under /3/ and /4/ speaks HTTP/2 only; offer h2, with curl: --http2")
    response.connection = .drain
    return response
  }
}

extension APNsRefusal {
  init(_ refusal: CertificateRefusal) {
    let reason: APNsReason =
      switch refusal.reason {
      case .unknown, .notValidNow: .badCertificate
      case .removed: .forbidden
      case .otherEnvironment: .badCertificateEnvironment
      }
    self.init(reason, refusal.detail)
  }

  /// A body that is too large, or late. The cause of a delay is unknown, so a late push may be tried again.
  fileprivate init(_ error: HTTPError, bodyLimit: Int, _ limits: GatewayLimits) {
    guard error.status != 413 else {
      self = .payloadTooLarge(bodyLimit)
      return
    }
    let seconds = limits.bodyDuration.inMicroseconds / 1_000_000
    self.init(.serviceUnavailable, "the body did not end within \(seconds) s")
  }
}
