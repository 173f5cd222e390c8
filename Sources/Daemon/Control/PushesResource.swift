// The outcome of one push, with the rules that decided it; and test pushes, which the daemon sends to its own port.

import HTTP
import HandsetCore
import ProviderClient

public struct TestPushRequest: RequestBody, Sendable {
  static let meaning = "A push that the daemon sends to its own port. Absent fields are left out of it."

  public static let protocols = ["apns", "2008"]

  public var app: String
  public var via = "apns"
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var badge: Int?
  public var sound: String?
  public var level: String?
  public var background: Bool?
  public var threadID: String?
  public var collapseID: String?
  public var payload: String?
  public var showsOpenButton: Bool?
  public var password: String?
  public var send: Bool?

  static let meanings: [String: Meaning] = [
    "via": .words(TestPushRequest.protocols, "The protocol."),
    "background": "True for a background update.",
    "payload": "The payload as JSON text, in place of all fields that make up one.",
    "showsOpenButton": "For the 2008 service: true if the alert has an action button. Absent is true.",
    "password": "For the 2008 service: the password of the app's provider, if it has one.",
    "send": "False only describes the push. Absent is true.",
  ]

  /// The error if a field does not exist in the protocol, or the push is empty.
  var fault: ControlError? {
    let words = [title, subtitle, level, threadID, collapseID, payload].contains { $0 != nil } || background == true
    if via == "2008" && words {
      return ControlError(
        400, "the 2008 service knows no title, level, thread, collapse identifier or background update",
        hint: "it has a message, a badge and a sound")
    }
    let hasParts =
      [title, subtitle, body, sound, level, threadID].contains { $0 != nil } || badge != nil || background == true
    if payload != nil && hasParts {
      return ControlError(400, "the payload says it all", hint: "leave out what would go into it, or the payload")
    }
    if payload == nil && title == nil && body == nil && badge == nil && sound == nil && background != true {
      return ControlError(400, "there is nothing in this push", hint: "give a message, a badge or a sound")
    }
    return nil
  }
}

public struct TestPushReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The result of a test push."

  public var curl: String
  public var status: Int?
  public var push: String?
  public var reason: String?

  static let meanings: [String: Meaning] = [
    "curl": "The same push as a command line; ca.pem is the output of deskbell ca.",
    "status": "The HTTP status; absent if it was not sent.",
    "push": "Its apns-id, for an explanation.",
    "reason": "The reason for its refusal.",
  ]
}

enum PushesResource {
  fileprivate static let searchLimit = 1_024

  /// Returns the push that a path names.
  static func pushID(_ request: HTTPRequest) throws -> PushID {
    let text = try request.parameter("id")
    if let push = PushID(text) { return push }
    throw ControlError(
      400, "'\(shown(text))' is no identifier of a push",
      hint: "it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B")
  }

  static func nothing(of push: PushID) -> ControlError {
    ControlError(
      404, "the journal has nothing of push \(push)",
      hint: "it keeps \(Policy.eventLimit) events, and the newest \(Policy.refusedEventLimit) refusals; "
        + "deskbell events lists them with their pushes")
  }

  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/pushes/{id}/explanation", "explanation", in: .events, "Why a push rang, or did not",
      parameters: ["id": "The push's apns-id or apns-unique-id, a UUID; letters of either case."],
      answer: "The rules that applied to the newest push with that identifier, and its events.",
      refusals: [404: "The journal has nothing of it."]
    ) { handset, request -> ExplanationReport in
      let push = try pushID(request)
      guard let report = try await handset.explanation(of: push) else { throw nothing(of: push) }
      return report
    },
    // Sent over the network, like a provider's. A refused push is answered with 200: the report has the refusal.
    HandsetRoute(
      "POST", "/pushes", "sendTestPush", in: .events, "Send a push to the daemon's own port, as a provider does",
      body: TestPushRequest(app: "com.example.mail", title: "A letter", badge: 1, sound: "default"),
      answer: "The result, also of a push that is refused.", refusals: [409: "", 502: ""]
    ) { handset, request -> TestPushReport in
      let push: TestPushRequest = try request.body()
      let id = try await handset.access.appID(push.app)
      let token = try await handset.access.app(id).token
      guard TestPushRequest.protocols.contains(push.via) else {
        throw ControlError.unknown("protocol", push.via, among: TestPushRequest.protocols)
      }
      if let fault = push.fault { throw fault }
      return try await handset.send(push, to: id, token: token)
    },
  ]
}

extension HandsetParts {
  /// - Parameter app: an app that is installed on the handset.
  fileprivate func send(
    _ request: TestPushRequest, to app: AppID, token: String
  ) async throws(ControlError) -> TestPushReport {
    let providers = daemon.providers
    guard let endpoint = Endpoint(reaching: daemon.pushAddress) else {
      throw ControlError(503, "the push port does not run", hint: "deskbell state says why")
    }
    let push = TestPush(request: request, endpoint: endpoint, identity: try await daemon.certificates.portIdentity())
    do {
      guard request.via == "2008" else {
        try await providers.allowTestPushes(to: app)
        return try await push.throughAPNs(providers.testProvider, deviceToken: token)
      }
      if request.password == nil { try await providers.allowTestPublishing(to: app) }
      return try await push.through2008(
        password: request.password ?? providers.testProvider.password, isShown: request.password == nil,
        device: access.identity.device.hex)
    } catch {
      throw error as? ControlError ?? ControlError(502, "\(error)")
    }
  }

  /// Explains why the newest push with that identifier rang, or did not; nil if the journal has no event of it.
  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport? {
    let id = try await providersID(of: push)
    var explanation = Explanation(of: id)
    try await eachEvent(naming: id) { explanation.read($0, rulings: $1) }
    let gathered = explanation
    return try await access.read { handset, _, _, now in gathered.report(handset, at: now) }
  }

  /// Returns the `apns-id` of the push that the development service named so; else the identifier itself.
  func providersID(of push: PushID) async throws(ControlError) -> PushID {
    var id = push
    try await eachEvent(naming: push) { event, _ in
      guard event.text("uniqueID").flatMap({ PushID($0) }) == push else { return }
      id = event.push.flatMap { PushID($0) } ?? push
    }
    return id
  }

  /// Calls the body with each event of the journal that names the push or may concern it, oldest first, and with its
  /// rulings. The search runs in short spans, so that pushes can be processed in between.
  func eachEvent(naming push: PushID, _ body: (EventReport, [String]) -> Void) async throws(ControlError) {
    var searched: UInt64 = 0
    while true {
      let after = searched
      let span = try await access.read { _, store, number, _ in
        try store.events(of: number, naming: push, after: after, limit: PushesResource.searchLimit)
      }
      guard let span else { return }
      searched = span.last
      for event in span.found { body(event.report, event.rulings) }
    }
  }
}

struct TestPush {
  static let authorityFile = "ca.pem"

  let request: TestPushRequest
  let endpoint: Endpoint
  let identity: PortIdentity

  func throughAPNs(_ provider: TestProvider, deviceToken: String) async throws -> TestPushReport {
    var push = PushRequest(
      deviceToken: deviceToken, topic: request.app, collapseID: request.collapseID, payload: try payload())
    if request.payload == nil {
      // A push that shows nothing has low priority [APNs: priority 10 would be refused].
      let showsNothing = request.background == true && request.title ?? request.body ?? request.sound == nil
      push.pushType = showsNothing && request.badge == nil ? "background" : "alert"
      if push.pushType == "background" { push.priority = 5 }
    }
    let (named, server, file) = identity.named(endpoint)
    let bearer = try provider.token.bearer()
    let curl = CurlLine.text(
      of: push, to: named, connectingTo: server, authorityFile: file ?? TestPush.authorityFile, bearer: bearer)
    return try await report(curl) { [push] in try await $0.send(push, bearer: bearer) }
  }

  /// - Parameter isShown: false for the user's own password, which command lines must not contain.
  func through2008(password: String, isShown: Bool, device: String) async throws -> TestPushReport {
    let node = PublishingCall.Node(publisher: request.app, device: device, name: TestProvider.node)
    let list = PropertyList(
      body: request.body, showsOpenButton: request.showsOpenButton == false ? false : nil, badge: request.badge,
      sound: request.sound)
    let (create, publish) = (PublishingCall.create(node), PublishingCall.publish(list.encoded(), through: node))
    let (named, server, file) = identity.named(endpoint)
    let curl = [create, publish].map { call in
      CurlLine.text(
        of: call, to: named, connectingTo: server, authorityFile: file ?? TestPush.authorityFile, user: request.app,
        password: isShown ? password : nil)
    }.joined(separator: " &&\n")
    let user = PublishingUser(name: request.app, password: password)
    return try await report(curl) { connection in
      let created = try await connection.send(create, as: user)
      return created.isAccepted ? try await connection.send(publish, as: user) : created
    }
  }

  /// - Parameter send: not called if the push is only shown.
  private func report(
    _ curl: String, _ send: (ProviderConnection) async throws -> PushAnswer
  ) async throws -> TestPushReport {
    guard request.send != false else { return TestPushReport(curl: curl) }
    let connection = try await ProviderConnection.connect(to: endpoint, trust: identity.trust)
    do {
      let answer = try await send(connection)
      await connection.close()
      return TestPushReport(curl: curl, status: answer.status, push: answer.apnsID, reason: answer.reason)
    } catch {
      await connection.close()
      throw error
    }
  }

  private func payload() throws -> [UInt8] {
    if let text = request.payload { return Array(text.utf8) }
    var payload = Payload()
    payload.title = request.title
    payload.subtitle = request.subtitle
    payload.body = request.body
    payload.badge = request.badge
    payload.sound = request.sound
    payload.interruptionLevel = request.level
    payload.threadID = request.threadID
    payload.contentAvailable = request.background == true
    return try payload.encoded()
  }
}

extension ControlClient {
  public func explanation(of push: String) async throws -> ExplanationReport {
    try await get(path("pushes", push, "explanation"))
  }
}
