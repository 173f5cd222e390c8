import HTTP
import HandsetCore

/// Apple's channels and broadcasts [APNs, "Sending channel management requests to APNs", "Sending broadcast push
/// notification requests to APNs"], over HTTP/2: management below `/1/apps/`, broadcasts below `/4/broadcasts/`.
public struct ChannelsFrontEnd: FrontEnd {
  private let keeper: any ChannelKeeper
  private let hasOwnPort: Bool

  /// - Parameter hasOwnPort: true at a port for the management of channels alone: it has every request, and no
  ///   broadcasts.
  public init(_ keeper: any ChannelKeeper, hasOwnPort: Bool = false) {
    (self.keeper, self.hasOwnPort) = (keeper, hasOwnPort)
  }

  public var name: String { "channels" }

  /// The 2008 service has the paths below `/1/apps/` over HTTP/1.1. Over HTTP/2 it lacks them: its second part is a
  /// device, of 40 digits.
  public func claims(_ head: RequestHead) -> Bool {
    if head.version == .http2 && ChannelHead.isManagement(head.path) { return true }
    return head.path.utf8.withContiguousStorageIfAvailable { ChannelHead.isBroadcast(UnsafeRawBufferPointer($0)) }
      ?? false
  }

  public func makeSession(for client: Client) -> any FrontEndSession {
    ChannelsSession(keeper, client, hasOwnPort: hasOwnPort)
  }
}

private final class ChannelsSession: FrontEndSession {
  let keeper: any ChannelKeeper
  let port: Port
  let tokens: ProviderTokenVerifier
  let hasOwnPort: Bool

  init(_ keeper: any ChannelKeeper, _ client: Client, hasOwnPort: Bool) {
    (self.keeper, port, tokens, self.hasOwnPort) = (keeper, client.port, client.tokens, hasOwnPort)
  }

  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    guard head.version == .http2 else { return .answer(.providerAPIOverHTTP1) }
    let request = ChannelHead(head)
    var isCounted = false
    do throws(APNsRefusal) {
      let (app, call) = try request.check(limits: port.limits, publishes: !hasOwnPort) {
        sent throws(APNsRefusal) in
        let provider = try tokens.provider(of: client, authorization: sent)
        isCounted = true
        return provider
      }
      return .read(ChannelExchange(request, app, call, in: self, client))
    } catch {
      let failure = error.reason.isFailedAuthentication ? FailedAuthentication(key: tokens.namedKey) : nil
      return .answer(
        client.refuse(
          request.record(of: error), isCounted: isCounted, failure: failure,
          with: HTTPResponse(error.reason, requestID: request.echoedID),
          tooMany: { HTTPResponse(.tooManyRequests, requestID: request.echoedID) }))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse { .providerAPIOverHTTP1 }
}

/// One request with a valid head.
private final class ChannelExchange: HTTPExchange {
  private let request: ChannelHead
  private let app: AppID
  private let call: ChannelHead.Call
  private let session: ChannelsSession
  private let client: Client
  /// The `apns-unique-id` of a broadcast at the development service, stored with it; nil for other requests.
  private let uniqueID: PushID?

  init(_ request: ChannelHead, _ app: AppID, _ call: ChannelHead.Call, in session: ChannelsSession, _ client: Client) {
    (self.request, self.app, self.call) = (request, app, call)
    (self.session, self.client) = (session, client)
    if case .publish = call, session.port.environment == .development {
      uniqueID = .random()
    } else {
      uniqueID = nil
    }
  }

  private var limits: PortLimits { session.port.limits }

  var bodyLimit: Int { limits.channelBodyBytes }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    let asked: ChannelRequest
    do throws(APNsRefusal) {
      asked = try call(with: body)
    } catch {
      return respond(refuse(error))
    }
    let (request, refusals, uniqueID) = (request, client.refusals, uniqueID)
    session.keeper.handle(asked, of: app, from: refusals.providerName ?? "") { answer in
      switch answer {
      case .refused(let refusal): respond(HTTPResponse(APNsRefusal(refusal), to: request, refusals))
      case .failed(let why):
        respond(HTTPResponse(APNsRefusal(.channelsUnavailable, why), to: request, refusals))
      default: respond(HTTPResponse(answer, id: request.echoedID, uniqueID: uniqueID))
      }
    }
  }

  private func call(with body: [UInt8]) throws(APNsRefusal) -> ChannelRequest {
    switch call {
    case .list: return .list
    case .read(let channel): return .read(channel)
    case .delete(let channel): return .delete(channel)
    case .create: return .create(try StoragePolicy(ofChannel: body, limits: limits))
    case .publish(let channel, let priority, let expiration):
      let head = APNsPushHead(
        id: request.id ?? .random(), token: nil, topic: app, type: .liveactivity, priority: priority,
        expiration: expiration, collapseID: nil, payloadLimit: bodyLimit)
      var push = try Push(
        broadcast: head, body, hasProviderID: request.hasID, limits: limits, provider: client.refusals.providerName)
      if let uniqueID { push.uniqueID = uniqueID }
      return .publish(push, on: channel)
    }
  }

  private func refuse(_ error: APNsRefusal) -> HTTPResponse {
    client.refuse(
      request.record(of: error), isCounted: true, with: HTTPResponse(error.reason, requestID: request.echoedID),
      tooMany: { HTTPResponse(.tooManyRequests, requestID: request.echoedID) })
  }

  func refuse(_ error: HTTPError) -> HTTPResponse {
    let seconds = limits.bodyDuration.inMicroseconds / 1_000_000
    let late = APNsRefusal(.channelsUnavailable, "the body did not end within \(seconds) s")
    return refuse(error.status == 413 ? .payloadTooLarge(bodyLimit) : late)
  }
}

extension HTTPResponse {
  /// Answers a request that the registry of channels refused, and records that. For any thread.
  fileprivate init(_ refusal: APNsRefusal, to request: ChannelHead, _ refusals: ConnectionRefusals) {
    _ = refusals.note(request.record(of: refusal), isCounted: true)
    self.init(refusal.reason, requestID: request.echoedID)
  }

  fileprivate init(_ reason: APNsReason, requestID: String) {
    self.init(reason, id: nil)
    headers.add(requestID, for: "apns-request-id")
    if reason == .channelsUnavailable { headers.add("1", for: "retry-after") }
  }

  /// Answers a request that was done.
  fileprivate init(_ answer: ChannelAnswer, id: String, uniqueID: PushID?) {
    switch answer {
    case .created(let channel):
      self.init(status: 201)
      headers.add(channel.text, for: "apns-channel-id")
    case .found(let policy):
      self.init(json: #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#)
    case .deleted: self.init(status: 204)
    case .listed(let channels):
      // No digit of Base64 is escaped in JSON.
      self.init(json: #"{"channels":[\#(channels.map { "\"\($0)\"" }.joined(separator: ","))]}"#)
    case .published, .refused, .failed:
      self.init()
      if let uniqueID { headers.add(uniqueID.description, for: "apns-unique-id") }
    }
    headers.add(id, for: "apns-request-id")
  }

  private init(json: String) {
    self.init(contentType: "application/json", bytes: Array(json.utf8))
    headers.add(String(json.utf8.count), for: "content-length")
  }
}

extension APNsRefusal {
  fileprivate init(_ refusal: ChannelRefusal) {
    switch refusal {
    case .featureNotEnabled:
      self.init(
        .featureNotEnabled, "no installed app of that identifier has 'broadcast: true' in its app.yaml")
    case .notRegistered:
      self.init(
        .channelNotRegistered,
        "the app has no such channel in this environment; it was deleted, or made somewhere else")
    case .tooMany:
      self.init(
        .cannotCreateChannel,
        "an app has at most \(grouped(Int64(ChannelLimits.ofApp))) channels, and all apps together "
          + grouped(Int64(ChannelLimits.ofAll)))
    case .mustNotBeStored:
      self.init(
        .badExpirationDate, "the channel has message-storage-policy 0 and stores nothing; apns-expiration must be 0")
    }
  }
}
