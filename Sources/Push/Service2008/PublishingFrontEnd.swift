import Clocks
import HTTP
import HandsetCore
import ServerIdentity

/// The store of publishing nodes, on behalf of the handset.
public protocol PublishingReceiver: Sendable {
  /// Returns true if a handset of this daemon has that device ID. Never blocks.
  func isKnown(_ device: DeviceID) -> Bool

  /// Submits an input to the handset with that device ID. Returns when the input is stored or will never be.
  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished
}

/// The result of reading a node (rule F2).
public enum LastPublished: Hashable, Sendable {
  case propertyList([UInt8])
  case nothing
  case noNode
  case gone(since: WallTime)
  case unavailable
}

/// The 2008 Push Notification Service as announced [2008]: one resource, four calls, over either version of HTTP.
/// Its paths begin with any app's identifier, so it claims every request and is the last of a list.
public struct PublishingFrontEnd: FrontEnd {
  private let receiver: any PublishingReceiver
  private let checker: PasswordChecker
  private let pace = GuessPace(now: SystemClock.uptime)

  public init(_ receiver: any PublishingReceiver, limits: PortLimits) {
    self.receiver = receiver
    checker = PasswordChecker(
      waiting: limits.waitingPasswordChecks, kept: limits.keptPasswordChecks,
      perAddress: limits.waitingPasswordChecksPerAddress)
  }

  public var name: String { "2008" }

  public func claims(_ head: RequestHead) -> Bool { true }

  public func makeSession(for client: Client) -> any FrontEndSession {
    PublishingSession(
      receiver: receiver, port: client.port, refusals: client.refusals,
      passwords: PasswordSession(
        providers: client.port.providers, catchAll: client.port.catchAll, checker: checker, pace: pace,
        address: client.ipAddress, failures: client.port.limits.failedPasswords))
  }
}

/// The password and the calls of one connection.
private struct PublishingSession: FrontEndSession, Sendable {
  let receiver: any PublishingReceiver
  let port: Port
  let refusals: ConnectionRefusals
  let passwords: PasswordSession

  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    do throws(HTTPError) {
      return .read(PublishingExchange(request: try PublishingRequest(head, port.limits), session: self))
    } catch {
      // The path of 414 is too long to be read.
      let path = error.status == 414 ? nil : RequestTarget(head.path)
      return .answer(refuse(error, topic: path?.segments.first.flatMap { AppID($0) }))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse { refuse(error, topic: nil) }

  /// Answers a request that was refused before its call.
  func refuse(_ error: HTTPError, topic: AppID?) -> HTTPResponse {
    let detail = error.description
    switch error.status {
    case 405: return refuse(PublishingRefusal(405, "MethodNotAllowed", detail), topic, isCounted: false)
    case 413:
      let limit = "a property list has at most \(grouped(Int64(port.limits.propertyListBytes))) bytes, tags included"
      return refuse(PublishingRefusal(413, "PayloadTooLarge", limit), topic, isCounted: false)
    default:
      let record = RefusedPush(id: nil, topic: topic, status: error.status, reason: "BadRequest", detail: detail)
      if refusals.note(record, isCounted: false) { return PublishingRefusal.tooManyRefused.response }
      return .plainText(error.status, detail)
    }
  }

  /// Checks the password, before the body is read; returns nil if it is right.
  func denial(of request: PublishingRequest) async -> HTTPResponse? {
    do throws(PublishingRefusal) {
      _ = try await provider(request)
      return nil
    } catch {
      return refuse(error, request.topic, isCounted: false)
    }
  }

  func answer(_ request: PublishingRequest, _ body: [UInt8]) async -> HTTPResponse {
    var isCounted = false
    do throws(PublishingRefusal) {
      // The session remembers the password, which was checked before the body.
      let provider = try await provider(request)
      guard port.admitsRequest(of: provider) else {
        throw PublishingRefusal(429, "TooManyRequests", port.limits.tooManyRequests(of: provider))
      }
      isCounted = true
      return try await call(request, body, provider)
    } catch {
      return refuse(error, request.topic, isCounted: isCounted)
    }
  }

  private func provider(_ request: PublishingRequest) async throws(PublishingRefusal) -> Provider {
    // HTTP/1.1 refuses larger fields when it reads them; a stream of HTTP/2 may have more.
    guard request.headerBytes <= port.limits.headerListBytes else {
      throw PublishingRefusal(
        431, "RequestHeaderFieldsTooLarge",
        "\(request.headerBytes) bytes of header fields; at most \(port.limits.headerListBytes)")
    }
    let provider = try await passwords.provider(of: try BasicCredential(request.authorization))
    refusals.authenticated(as: provider)
    return provider
  }

  private func refuse(_ refusal: PublishingRefusal, _ topic: AppID?, isCounted: Bool) -> HTTPResponse {
    let record = RefusedPush(
      id: nil, topic: topic, status: refusal.status, reason: refusal.reason, detail: refusal.detail)
    return (refusals.note(record, isCounted: isCounted) ? .tooManyRefused : refusal).response
  }

  // MARK: The four calls

  /// Checks publisher, device, call and node, in this order, and makes the call.
  private func call(
    _ request: PublishingRequest, _ body: [UInt8], _ provider: Provider
  ) async throws(PublishingRefusal) -> HTTPResponse {
    guard let app = request.topic, provider.topics.contains(app) else {
      throw PublishingRefusal(
        403, "Forbidden",
        "publisher \(quoted(request.publisher)) is not this user's; the provider's apps: "
          + provider.topics.map(\.text).sorted().prefix(8).joined(separator: ", "))
    }
    guard let device = DeviceID(hex: request.device), receiver.isKnown(device) else {
      throw PublishingRefusal(
        404, "UnknownDevice", "no handset here has device ID \(quoted(request.device)); deskbell state shows it")
    }
    let node = NodeID(app: app, name: request.node)
    switch (request.method, request.action) {
    case ("POST", "create"):
      guard let node else {
        throw PublishingRefusal(
          400, "BadNodeName",
          "node \(quoted(request.node)): a name is 1 to \(Policy.nodeNameLimit) letters, digits, "
            + "dots, dashes and underscores")
      }
      try check(await receiver.submit(.createNode(node), to: device), node)
      return .plainText(200, "\(node) is there")
    case ("POST", let action) where action != "delete":
      throw PublishingRefusal(
        405, "MethodNotAllowed", "POST with action \(quoted(action)); expected ?action=create or ?action=delete")
    default: break
    }
    guard let node else { throw .unknownNode(request.node) }
    switch request.method {
    case "PUT": return try await publish(body, node, device)
    case "GET": return try await readBack(node, device)
    default:
      try check(await receiver.submit(.deleteNode(node), to: device), node)
      return .plainText(200, "\(node) is deleted")
    }
  }

  private func publish(
    _ propertyList: [UInt8], _ node: NodeID, _ device: DeviceID
  ) async throws(PublishingRefusal) -> HTTPResponse {
    var push = try Push(
      propertyList: propertyList, app: node.app, id: .random(), now: port.clock.handset(),
      depth: port.limits.propertyListDepth)
    push.provider = refusals.providerName
    switch await receiver.submit(.publish(push, through: node, propertyList: propertyList), to: device) {
    case .stored(.accepted):
      return HTTPResponse(headers: ["Push-ID": push.id.description, "Content-Length": "0"])
    // The handset has recorded these refusals itself.
    case .stored(.refused(.unknownNode)): return PublishingRefusal.unknownNode(node.name).response
    case .stored(.refused(.goneNode(_, let since))): return PublishingRefusal.gone(node, since: since).response
    case let other:
      try check(other, node)
      return HTTPResponse(headers: ["Content-Length": "0"])
    }
  }

  /// Returns the last property list of a node (rule F2).
  private func readBack(_ node: NodeID, _ device: DeviceID) async throws(PublishingRefusal) -> HTTPResponse {
    switch await receiver.lastPublished(node, on: device) {
    case .propertyList(let bytes):
      return HTTPResponse(contentType: "application/x-plist", bytes: bytes)
    case .nothing:
      throw PublishingRefusal(404, "NothingPublished", "nothing was published through \(node) yet")
    case .noNode: throw .unknownNode(node.name)
    case .gone(let since): throw .gone(node, since: since)
    case .unavailable: throw .unavailable
    }
  }

  private func check(_ outcome: Input.Outcome, _ node: NodeID) throws(PublishingRefusal) {
    switch outcome {
    case .stored(.accepted): break
    case .stored(.refused(.unknownApp)):
      throw PublishingRefusal(404, "UnknownPublisher", "\(node.app) is not installed on that handset")
    case .stored(.refused(.unknownNode)): throw .unknownNode(node.name)
    case .stored(.refused(.goneNode(_, let since))): throw .gone(node, since: since)
    case .stored(.refused(.tooManyNodes)):
      throw PublishingRefusal(
        403, "TooManyNodes", "\(node.app) has \(Policy.nodeLimitPerApp) nodes, the most there can be; delete one first")
    // A node has no other refusal.
    case .stored(.refused), .failed: throw .unavailable
    }
  }
}

/// One call with a valid path and method.
private struct PublishingExchange: HTTPExchange {
  let request: PublishingRequest
  let session: PublishingSession

  var bodyLimit: Int { session.port.limits.propertyListBytes }

  var authorization: (@Sendable () async -> HTTPResponse?)? {
    { [request, session] in await session.denial(of: request) }
  }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    Task(executorPreference: session.port.executor) { [request, session] in
      respond(await session.answer(request, body))
    }
  }

  func refuse(_ error: HTTPError) -> HTTPResponse { session.refuse(error, topic: request.topic) }
}

/// A call of the 2008 service before its body: the method, and the three parts of a node's path.
private struct PublishingRequest: Sendable {
  /// GET, also for HEAD; POST or PUT.
  let method: String
  /// The parts of the path, in its order: `/publisher/device/node`.
  let publisher: String
  let device: String
  let node: String
  let action: String?
  /// The values of all `Authorization` fields.
  let authorization: [String]
  /// Bytes of all header fields, names and values.
  let headerBytes: Int

  /// The publisher as an app; nil if it is no app's identifier.
  var topic: AppID? { AppID(publisher) }

  /// - Throws: 414, 400, 404, 405 or 413, checked in this order.
  init(_ head: RequestHead, _ limits: PortLimits) throws(HTTPError) {
    guard head.path.utf8.count <= limits.headerListBytes else {
      throw HTTPError(414, "the path is longer than \(limits.headerListBytes) bytes")
    }
    guard let target = RequestTarget(head.path) else { throw .malformedPath }
    guard target.segments.count == 3, !target.segments.contains("") else {
      throw HTTPError(404, PathAdvice(head, target).description)
    }
    method = head.method == "HEAD" ? "GET" : head.method
    guard ["GET", "POST", "PUT"].contains(method) else {
      throw HTTPError(405, "no such call; there are POST ?action=create, POST ?action=delete, PUT and GET")
    }
    if let length = head.headers["content-length"].flatMap(Int.init), length > limits.propertyListBytes {
      throw HTTPError(413, "the body is too large")
    }
    (publisher, device, node) = (target.segments[0], target.segments[1], target.segments[2])
    action = target.queryValue("action")
    authorization = head.headers.values(of: "Authorization")
    headerBytes = head.headers.bytes
  }
}
