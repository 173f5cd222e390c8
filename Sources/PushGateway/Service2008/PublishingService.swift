// The 2008 Push Notification Service as it was announced: one resource, four calls. The same routes serve HTTP/1.1 and
// the streams of HTTP/2, so the two cannot differ.

import HTTPRoutes
import HandsetCore
import NIOCore

/// Create and delete a publishing node, publish through it, and read back what was published last.
final class PublishingService: Sendable {
  static let allowedMethods = "GET, HEAD, POST, PUT"

  private let receiver: any PublishingReceiver
  private let refusals: RefusalMeter
  private let providers: ProviderDirectory
  private let clock: GatewayClock
  private let limits: GatewayLimits
  private let rates: RequestRates
  private let checker: PasswordChecker
  private let executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - refusals: is told of them.
  ///   - executor: where calls are answered; nil for Swift's own.
  init(
    _ receiver: any PublishingReceiver, refusals: RefusalMeter, providers: ProviderDirectory, clock: GatewayClock,
    limits: GatewayLimits, rates: RequestRates, executor: (any TaskExecutor)?
  ) {
    self.receiver = receiver
    self.refusals = refusals
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.rates = rates
    self.executor = executor
    checker = PasswordChecker(
      waiting: limits.waitingPasswordChecks, perAddress: limits.waitingPasswordChecksPerAddress)
  }

  /// Speaks HTTP/1.1 on the channel from now on.
  /// - Parameter whenAuthenticated: called at the first right password.
  func serve(
    _ channel: any Channel, from address: ClientAddress?, whenAuthenticated: @escaping @Sendable () -> Void
  ) throws {
    let session = PasswordSession(
      providers: providers, checker: checker, address: channel.remoteAddress?.ipAddress ?? "",
      failures: limits.failedPasswords, whenAuthenticated: whenAuthenticated)
    let refusals = ConnectionRefusals(refusals, address: address)
    try service(Client(session: session, refusals: refusals)).serve(channel)
  }

  /// Answers the one request of a stream whose frames become parts of HTTP. On its event loop.
  func serveStream(_ stream: any Channel, of connection: Connection) throws {
    if connection.publishing == nil {
      // What the connection keeps must not keep the connection.
      let owner = NIOLoopBound(WeakConnection(connection), eventLoop: stream.eventLoop)
      let (eventLoop, parent) = (stream.eventLoop, stream.parent)
      let session = PasswordSession(
        providers: providers, checker: checker, address: parent?.remoteAddress?.ipAddress ?? "",
        failures: limits.failedPasswords,
        whenAuthenticated: { eventLoop.execute { owner.value.connection?.noteAuthenticated() } },
        whenFailed: { parent?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) })
      connection.publishing = try service(
        Client(
          session: session, refusals: connection.refusals, isHTTP2: true,
          whenUnwelcome: { eventLoop.execute { owner.value.connection?.whenUnwelcome?() } }))
    }
    try connection.publishing?.serveParts(stream)
  }

  private struct WeakConnection {
    weak var connection: Connection?

    init(_ connection: Connection) {
      self.connection = connection
    }
  }

  /// What the calls of one connection share.
  private struct Client {
    let session: PasswordSession
    let refusals: ConnectionRefusals
    var isHTTP2 = false
    /// Ends the connection where the answer does not: that of HTTP/2.
    var whenUnwelcome: @Sendable () -> Void = {}
  }

  private func service(_ client: Client) throws -> HTTPService {
    let pattern = "/{publisher}/{device}/{node}"
    let table = try RouteTable([
      Route("PUT", pattern, bodyLimit: limits.propertyListBytes) { await self.answer($0, client, self.publish) },
      Route("GET", pattern, bodyLimit: limits.propertyListBytes) { await self.answer($0, client, self.readBack) },
      Route("POST", pattern, bodyLimit: limits.propertyListBytes) { await self.answer($0, client, self.manage) },
    ])
    return HTTPService(
      table, limits: HTTPLimits(limits), executor: executor,
      refusal: { error, _, target in
        if !client.isHTTP2, let target, APNsPushHead.isProviderAPI(target.path) { return .providerAPIOverHTTP1 }
        return self.response(to: error, target, client)
      }, authorization: { await self.denial(of: $0, client) })
  }

  // MARK: A call

  private typealias Call = @Sendable (HTTPRequest, NodeAddress) async throws(PublishingRefusal) -> HTTPResponse

  /// What a path names, of a publisher that may.
  private struct NodeAddress {
    var publisher: AppID
    var device: DeviceID
    var nodeName: String
    /// Nil where no node can be called so.
    var node: NodeID?

    func existing() throws(PublishingRefusal) -> NodeID {
      guard let node else { throw .unknownNode(nodeName) }
      return node
    }
  }

  /// Before the body is read: the answer to a request without a right password.
  private func denial(of request: HTTPRequest, _ client: Client) async -> HTTPResponse? {
    // Only HTTP/1.1 comes here with such a path: streams of HTTP/2 are routed before.
    if APNsPushHead.isProviderAPI(request.target.path) { return .providerAPIOverHTTP1 }
    do throws(PublishingRefusal) {
      _ = try await provider(request, client)
      return nil
    } catch {
      return refuse(error, request, client, isCounted: false)
    }
  }

  private func answer(_ request: HTTPRequest, _ client: Client, _ call: Call) async -> HTTPResponse {
    var isCounted = false
    do throws(PublishingRefusal) {
      // The session remembers the password from before the body.
      let provider = try await provider(request, client)
      guard rates.admitRequest(of: provider) else {
        throw PublishingRefusal(.tooManyRequests, limits.tooManyRequests(of: provider))
      }
      isCounted = true
      return try await call(request, address(request, provider))
    } catch {
      return refuse(error, request, client, isCounted: isCounted)
    }
  }

  /// Who asks.
  private func provider(_ request: HTTPRequest, _ client: Client) async throws(PublishingRefusal) -> Provider {
    // HTTP/1.1 has seen to that where it read them; a stream of HTTP/2 may have more.
    let headerBytes = request.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard headerBytes <= limits.headerListBytes else {
      throw PublishingRefusal(
        .headersTooLarge, "\(headerBytes) bytes of header fields; at most \(limits.headerListBytes)")
    }
    let credential = try BasicCredential(request.headers.values(of: "Authorization"))
    let provider = try await client.session.provider(of: credential)
    client.refusals.authenticated(as: provider)
    return provider
  }

  /// Of what: judged in this order.
  private func address(_ request: HTTPRequest, _ provider: Provider) throws(PublishingRefusal) -> NodeAddress {
    let publisher = request.parameters["publisher"] ?? ""
    guard let app = AppID(publisher), provider.topics.contains(app) else {
      throw PublishingRefusal(
        .forbidden,
        "publisher \(quoted(publisher)) is not this user's; the provider's apps: "
          + provider.topics.map(\.text).sorted().prefix(8).joined(separator: ", "))
    }
    let device = request.parameters["device"] ?? ""
    guard let id = DeviceID(hex: device), receiver.isKnown(id) else {
      throw PublishingRefusal(
        .unknownDevice, "no handset here has device ID \(quoted(device)); deskbell state shows it")
    }
    let name = request.parameters["node"] ?? ""
    return NodeAddress(publisher: app, device: id, nodeName: name, node: NodeID(app: app, name: name))
  }

  /// `POST …?action=create`, `POST …?action=delete`.
  @Sendable private func manage(
    _ request: HTTPRequest, _ address: NodeAddress
  ) async throws(PublishingRefusal) -> HTTPResponse {
    switch request.target.queryValue("action") {
    case "create":
      guard let node = address.node else {
        throw PublishingRefusal(
          .badNodeName,
          "node \(quoted(address.nodeName)): a name is 1 to \(Policy.nodeNameLimit) letters, digits, "
            + "dots, dashes and underscores")
      }
      try check(await receiver.create(node, on: address.device), node)
      return .plainText(200, "\(node) is there")
    case "delete":
      let node = try address.existing()
      try check(await receiver.delete(node, on: address.device), node)
      return .plainText(200, "\(node) is deleted")
    case let action:
      throw PublishingRefusal(
        .methodNotAllowed, "POST with action \(quoted(action)); expected ?action=create or ?action=delete")
    }
  }

  @Sendable private func publish(
    _ request: HTTPRequest, _ address: NodeAddress
  ) async throws(PublishingRefusal) -> HTTPResponse {
    let node = try address.existing()
    let push = try Push(
      propertyList: request.body, node: node, id: .random(), now: clock.handset(), depth: limits.propertyListDepth)
    switch await receiver.publish(push, propertyList: request.body, on: address.device) {
    case .done:
      var response = HTTPResponse(status: 200)
      response.headers["Push-ID"] = push.id.description
      return response
    // The handset has written these down itself.
    case .noNode: return PublishingRefusal.unknownNode(node.name).response
    case .gone(let since): return PublishingRefusal.gone(node, since: since).response
    case let other:
      try check(other, node)
      return HTTPResponse(status: 200)
    }
  }

  /// Rule F2.
  @Sendable private func readBack(
    _ request: HTTPRequest, _ address: NodeAddress
  ) async throws(PublishingRefusal) -> HTTPResponse {
    let node = try address.existing()
    switch await receiver.lastPublished(node, on: address.device) {
    case .propertyList(let bytes):
      return HTTPResponse(contentType: "application/x-plist", bytes: bytes)
    case .nothing:
      throw PublishingRefusal(.nothingPublished, "nothing was published through \(node) yet")
    case .noNode: throw .unknownNode(node.name)
    case .gone(let since): throw .gone(node, since: since)
    case .unavailable: throw .unavailable
    }
  }

  private func check(_ outcome: NodeOutcome, _ node: NodeID) throws(PublishingRefusal) {
    switch outcome {
    case .done: break
    case .noApp: throw PublishingRefusal(.unknownPublisher, "\(node.app) is not installed on that handset")
    case .noNode: throw .unknownNode(node.name)
    case .gone(let since): throw .gone(node, since: since)
    case .tooManyNodes:
      throw PublishingRefusal(
        .tooManyNodes, "\(node.app) has \(Policy.nodeLimitPerApp) nodes, the most there can be; delete one first")
    case .unavailable: throw .unavailable
    }
  }

  // MARK: What never reached a call

  private func response(to error: HTTPError, _ target: RequestTarget?, _ client: Client) -> HTTPResponse {
    let reason: PublishingReason? =
      switch error.status {
      case 405: .methodNotAllowed
      case 413: .payloadTooLarge
      default: nil
      }
    let detail =
      switch error.status {
      case 404: "no such path; a node is /publisher/device/node"
      case 405: "no such call; there are POST ?action=create, POST ?action=delete, PUT and GET"
      case 413: "a property list has at most \(grouped(Int64(limits.propertyListBytes))) bytes, tags included"
      default: error.description
      }
    let record = RefusedPush(
      id: nil, topic: target?.segments.first.flatMap { AppID($0) }, status: error.status,
      reason: reason?.rawValue ?? "BadRequest", detail: detail)
    if note(record, client, isCounted: false) { return PublishingRefusal.tooManyRefused.response }
    if let reason { return PublishingRefusal(reason, detail).response }
    return .plainText(error.status, detail)
  }

  // MARK: Refusals

  private func refuse(
    _ refusal: PublishingRefusal, _ request: HTTPRequest, _ client: Client, isCounted: Bool
  ) -> HTTPResponse {
    let record = RefusedPush(
      id: nil, topic: request.parameters["publisher"].flatMap { AppID($0) }, status: refusal.reason.status,
      reason: refusal.reason.rawValue, detail: refusal.detail)
    return (note(record, client, isCounted: isCounted) ? .tooManyRefused : refusal).response
  }

  /// Whether it was one too many: the connection ends.
  private func note(_ refusal: RefusedPush, _ client: Client, isCounted: Bool) -> Bool {
    let isOneTooMany = client.refusals.note(refusal, isCounted: isCounted)
    if isOneTooMany { client.whenUnwelcome() }
    return isOneTooMany
  }
}

extension PublishingRefusal {
  static func unknownNode(_ name: String) -> PublishingRefusal {
    PublishingRefusal(.unknownNode, "there is no node \(quoted(name)); POST to it with ?action=create makes it")
  }

  static func gone(_ node: NodeID, since: WallTime) -> PublishingRefusal {
    PublishingRefusal(
      .gone, "\(node.app) is uninstalled or unregistered since \(since.microseconds / 1_000_000) (seconds since 1970)")
  }

  static var tooManyRefused: PublishingRefusal {
    var refusal = PublishingRefusal(.tooManyRequests, "too many requests of this address were refused")
    refusal.endsConnection = true
    return refusal
  }

  static var unavailable: PublishingRefusal {
    PublishingRefusal(.serviceUnavailable, "it cannot be stored just now; try again")
  }
}

extension HTTPResponse {
  /// The provider API is HTTP/2 and nothing else [APNs].
  fileprivate static var providerAPIOverHTTP1: HTTPResponse {
    var response = plainText(505, "the provider API under /3/ and /4/ speaks HTTP/2 only; offer h2, with curl: --http2")
    response.headers["Connection"] = "close"
    return response
  }
}

extension HTTPLimits {
  /// As for HTTP/2, as far as there is the same thing.
  fileprivate init(_ limits: GatewayLimits) {
    self.init()
    headerFieldBytes = limits.headerListBytes
    headerBytes = limits.headerListBytes
    headerTimeout = limits.handshakeDuration
    bodyTimeout = limits.bodyDuration
    idleTimeout = limits.idleDuration
    writeTimeout = limits.answerDuration
    lingerTimeout = limits.discardDuration
    lingerBytes = limits.discardedBytes
  }
}
