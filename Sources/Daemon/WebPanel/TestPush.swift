// A test push takes the path of every push: the daemon connects to its own port as a provider, with a key and a
// password that it made at its start and keeps in memory. So a test that works here works for other providers.

import Crypto
import FoundationEssentials
import HandsetCore
import ProviderClient
import PushPort
import ServerIdentity

/// The daemon's own provider. It is never stored: its key and password end with the process.
struct TestProvider: Sendable {
  static let teamID = "DESKBELLUI"
  static let node = "Inbox"

  /// The apps that it may send to.
  struct Grants: Equatable {
    var byToken: Set<AppID> = []
    /// The apps that it may send to with the password of the 2008 service.
    var byPassword: Set<AppID> = []
    /// The hash of `password`; nil until it is needed, since hashing takes time.
    var passwordHash: PasswordHash?
  }

  let keyID: String
  private let publicKey: ProviderKey
  let password: String
  let token: ProviderTokenSigner

  init() throws {
    let key = P256.Signing.PrivateKey()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    keyID = String((0..<10).map { _ in alphabet.randomElement() ?? "A" })
    publicKey = try ProviderKey(pem: key.publicKey.pemRepresentation)
    password = Data(randomBytes(24)).base64EncodedString()
    token = try ProviderTokenSigner(privateKeyPEM: key.pemRepresentation, keyID: keyID, teamID: TestProvider.teamID)
  }

  /// Returns the providers for the push port.
  func providers(_ grants: Grants) throws -> [Provider] {
    var providers: [Provider] = []
    if !grants.byToken.isEmpty {
      providers.append(
        try Provider(
          name: PanelProvider.name, topics: grants.byToken,
          credential: .token(teamID: TestProvider.teamID, keyID: keyID, publicKey: publicKey, environment: .both)))
    }
    if let hash = grants.passwordHash, !grants.byPassword.isEmpty {
      providers.append(
        try Provider(name: PanelProvider.nameIn2008, topics: grants.byPassword, credential: .password(hash)))
    }
    return providers
  }
}

/// One test push, to be sent or shown.
struct TestPush {
  /// The name of the authority's file in command lines.
  static let authorityFile = "ca.pem"

  let request: TestPushRequest
  /// The address of the port for this machine.
  let endpoint: Endpoint
  let identity: PortIdentity

  /// - Parameter deviceToken: the app's device token.
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
    let curl = CurlLine.text(
      of: push, to: named, connectingTo: server, authorityFile: file ?? TestPush.authorityFile,
      bearer: try provider.token.bearer())
    return try await report(curl, token: provider.token) { [push] in try await $0.send(push) }
  }

  /// - Parameters:
  ///   - device: the handset's device ID.
  ///   - isShown: false for the user's own password, which command lines must not contain.
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
    return try await report(curl, token: nil) { connection in
      let created = try await connection.send(create, as: user)
      return created.isAccepted ? try await connection.send(publish, as: user) : created
    }
  }

  /// - Parameter send: not called if the push is only shown.
  private func report(
    _ curl: String, token: ProviderTokenSigner?, _ send: (ProviderConnection) async throws -> PushAnswer
  ) async throws -> TestPushReport {
    guard request.send != false else { return TestPushReport(curl: curl) }
    let connection = try await ProviderConnection.connect(to: endpoint, trust: identity.trust, token: token)
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
