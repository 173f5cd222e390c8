// A test push takes the way of every push: the daemon connects to its own port as a provider, with a key and a password
// that it made at its start and keeps in memory. What works here works for everybody.

import ControlAPI
import Crypto
import FoundationEssentials
import HandsetCore
import HandsetStore
import ProviderClient
import PushGateway
import ServerIdentity

/// The provider that the daemon is itself. It is never stored: its key and password end with the process.
struct TestProvider: Sendable {
  /// What it is called among the providers; the second has the password of the 2008 service.
  static let name = PanelProvider.name
  static let nameIn2008 = PanelProvider.nameIn2008
  static let teamID = "DESKBELLUI"
  static let node = "Inbox"

  /// The apps that it may send to.
  struct Grants: Equatable {
    var byToken: Set<AppID> = []
    /// By the password of the 2008 service.
    var byPassword: Set<AppID> = []
    /// Of `password`; nil until it is needed, since hashing takes its time.
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
    var generator = SystemRandomNumberGenerator()
    password = Data((0..<24).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    token = try ProviderTokenSigner(privateKeyPEM: key.pemRepresentation, keyID: keyID, teamID: TestProvider.teamID)
  }

  /// As the gateway knows it.
  func providers(_ grants: Grants) throws -> [Provider] {
    var providers: [Provider] = []
    if !grants.byToken.isEmpty {
      providers.append(
        try Provider(
          name: TestProvider.name, topics: grants.byToken,
          credential: .token(teamID: TestProvider.teamID, keyID: keyID, publicKey: publicKey, environment: .both)))
    }
    if let hash = grants.passwordHash, !grants.byPassword.isEmpty {
      providers.append(
        try Provider(name: TestProvider.nameIn2008, topics: grants.byPassword, credential: .password(hash)))
    }
    return providers
  }

  /// Removes what earlier versions stored of it.
  static func removeStored(from store: HandsetStore) throws(StoreError) {
    for provider in try store.providers(Provider.self).providers {
      let isOwn =
        switch provider.credential {
        case .token(let teamID, _, _, _): provider.name.hasPrefix(name) && teamID == TestProvider.teamID
        case .password: provider.name == nameIn2008
        case .certificate: false
        }
      if isOwn { _ = try store.removeProvider(named: provider.name) }
    }
  }
}

/// One test push, to be sent or shown.
struct TestPush {
  /// How the authority's file is called in command lines.
  static let authorityFile = "ca.pem"

  /// How the push port identifies itself.
  enum Identity {
    /// By a certificate of the daemon's own authority, whose PEM this is.
    case authority(pem: String)
    /// By one that the person gave it.
    case certificate(ServerCertificate)
  }

  let request: TestPushRequest
  /// Where the port is reached from here.
  let endpoint: Endpoint
  let identity: Identity

  /// - Parameter deviceToken: the app's.
  func throughAPNs(_ provider: TestProvider, deviceToken: String) async throws -> TestPushReport {
    var push = PushRequest(
      deviceToken: deviceToken, topic: request.app, collapseID: request.collapseID, payload: try payload())
    if request.payload == nil {
      // A push that shows nothing has low priority [APNs: one with priority 10 is refused].
      let showsNothing = request.background == true && request.title ?? request.body ?? request.sound == nil
      push.pushType = showsNothing && request.badge == nil ? "background" : "alert"
      if push.pushType == "background" { push.priority = 5 }
    }
    let curl = CurlLine.text(
      of: push, to: named, connectingTo: server, authorityFile: authorityFile, bearer: try provider.token.bearer())
    guard request.send != false else { return TestPushReport(curl: curl) }
    let connection = try await connect(token: provider.token)
    let answer: PushAnswer
    do {
      answer = try await connection.send(push)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    return TestPushReport(answer, curl: curl)
  }

  /// - Parameters:
  ///   - device: the handset's device ID.
  ///   - password: whose it is may be seen; nil where it is the person's, which no command line repeats.
  func through2008(password: String, isShown: Bool, device: String) async throws -> TestPushReport {
    let node = PublishingCall.Node(publisher: request.app, device: device, name: TestProvider.node)
    let list = PropertyList(
      body: request.body, showsOpenButton: request.showsOpenButton == false ? false : nil, badge: request.badge,
      sound: request.sound)
    let calls = [PublishingCall.create(node), .publish(list.encoded(), through: node)]
    let curl = calls.map { call in
      CurlLine.text(
        of: call, to: named, connectingTo: server, authorityFile: authorityFile, user: request.app,
        password: isShown ? password : nil)
    }.joined(separator: " &&\n")
    guard request.send != false else { return TestPushReport(curl: curl) }
    let connection = try await connect(token: nil)
    let user = PublishingUser(name: request.app, password: password)
    var answer = PushAnswer(status: 0)
    do {
      for call in calls {
        answer = try await connection.send(call, as: user)
        guard answer.isAccepted else { break }
      }
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    return TestPushReport(answer, curl: curl)
  }

  private func connect(token: ProviderTokenSigner?) async throws -> ProviderConnection {
    try await ProviderConnection.connect(to: endpoint, trust: trust, token: token)
  }

  /// A certificate of the person's own need not name this machine as it names itself, and need not be signed by anybody
  /// whom the system trusts; so it has to be the very one that the port shows.
  private var trust: ProviderConnection.Trust {
    switch identity {
    case .authority(let pem): .authorities(pem: pem)
    case .certificate(let certificate): .certificate(pem: certificate.pem)
    }
  }

  /// The port as everybody has to name it: by what its certificate is good for.
  private var named: Endpoint {
    guard case .certificate(let certificate) = identity, let host = certificate.host else { return endpoint }
    return Endpoint(host: host, port: endpoint.port)
  }

  /// For command lines: nil where the port's name leads there.
  private var server: Endpoint? { named == endpoint ? nil : endpoint }

  /// For command lines. `curl` takes any certificate of a chain as one to trust.
  private var authorityFile: String? {
    switch identity {
    case .authority: TestPush.authorityFile
    case .certificate(let certificate): certificate.file
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

extension TestPushReport {
  fileprivate init(_ answer: PushAnswer, curl: String) {
    self.init(curl: curl, status: answer.status, push: answer.apnsID, reason: answer.reason)
  }
}
