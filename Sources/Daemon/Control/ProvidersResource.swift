import Clocks
import Crypto
import FoundationEssentials
import HTTP
import HandsetCore
import HandsetStore
import Host
import ProviderClient
import PushPort
import ServerIdentity
import Synchronization
import SystemThreads

public struct ProviderReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A provider and the apps that it may push to."

  public var name: String
  public var apps: [String]
  public var credential: String
  public var teamID: String?
  public var keyID: String?
  public var environment: String?
  public var certificate: Certificate?

  static let meanings: [String: Meaning] = [
    "apps": "The bundle identifiers of the apps that it may send to.",
    "credential": .words(
      ["token", "password", "certificate", "topic", "hook"],
      "token: provider tokens signed with an ES256 key. password: the 2008 service. certificate: a client "
        + "certificate. topic and hook: an access key."),
    "certificate": "The client certificate; absent for other credentials.",
  ]

  public struct Certificate: Codable, Sendable, Equatable, WireType {
    static var schemaName: String { "ProviderCertificate" }
    static let meaning = "A provider's client certificate."

    public var fingerprint: String
    public var topics: [String]
    public var validFromWallMicroseconds: Int64
    public var validUntilWallMicroseconds: Int64

    static let meanings: [String: Meaning] = [
      "fingerprint": "The SHA-256 of the whole certificate: 64 hexadecimal digits.",
      "topics": "The topics that are allowed in apns-topic.",
      "validFromWallMicroseconds": "Microseconds since 1970-01-01T00:00:00Z.",
      "validUntilWallMicroseconds": "Microseconds since 1970-01-01T00:00:00Z.",
    ]
  }
}

/// The names of the provider that sends the panel's test pushes. No other provider may have them.
public enum PanelProvider {
  /// The name with the daemon's own key.
  public static let name = "panel"
  /// The name with its password of the 2008 service.
  public static let nameIn2008 = "panel-2008"

  /// - Throws: `ControlError` 409 if the name is the panel's.
  public static func refuse(_ name: String) throws(ControlError) {
    guard name == PanelProvider.name || name == nameIn2008 else { return }
    throw ControlError(
      409, "the name '\(name)' is kept for the web panel's test pushes", hint: "call the provider something else")
  }
}

public struct ProviderRequest: RequestBody, Sendable {
  static let meaning =
    "A provider and its one credential: team, key identifier and key; or a password; or a client certificate."

  public var apps: [String]
  public var teamID: String?
  public var keyID: String?
  public var key: String?
  public var environment: String?
  public var certificate: String?
  public var password: String?

  static let meanings: [String: Meaning] = [
    "apps": Meaning(
      "The apps that it may push to; at least one with a key. Without any, a certificate's provider may push to "
        + "all apps in it."),
    "key": "An EC P-256 key as PEM, private or public; only the public half of a private key is stored.",
    "environment": .one(
      of: CredentialEnvironment.self,
      "The one of Apple's two services for which the key is valid; absent is both."),
    "certificate": "A client certificate as PEM; the first of several. It is pinned as a whole.",
    "password": "8 to 256 bytes, for the 2008 service; only a hash is stored.",
  ]
}

extension ProviderRequest {
  /// Makes a request; its credential is set afterwards.
  public init(apps: [String]) {
    self.init(apps: apps, teamID: nil)
  }
}

/// The stored providers, and the daemon's own, which exists only in memory: its key ends with the process.
final class ProvidersResource: Sendable {
  private static let limit = 1_000

  private let host: Host
  let directory: ProviderDirectory
  let testProvider: TestProvider
  private let listeners = Mutex<[Signal<Void>.Sender]>([])
  /// The rights of the daemon's own provider. Changed on the host's thread only, together with the directory.
  private let granted = Mutex(TestProvider.Grants())

  /// - Parameter now: the clock by which tokens are judged; nil for the machine's.
  init(host: Host, directory: ProviderDirectory, now: (@Sendable () -> WallTime)? = nil) throws {
    (self.host, self.directory) = (host, directory)
    testProvider = try TestProvider(now: now)
  }

  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/providers", "providers", in: .providers, "The providers", answer: "By name."
    ) { daemon, _ -> [ProviderReport] in try await daemon.providers.stored().map { ProviderReport($0) } },
    DaemonRoute(
      "PUT", "/v1/providers/{name}", "setProvider", in: .providers, "Add a provider, or replace the one with that name",
      body: ProviderRequest(
        apps: ["com.example.mail"], teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0",
        key: """
          -----BEGIN PUBLIC KEY-----
          MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMCg2aUXN6l9scZDnAKZhNo9TqNST
          R5pvyhoSzvGuY/kFZkilQ+EfcN4e14tXH9ZjHvsWdPaP40+QGDW1mHinKA==
          -----END PUBLIC KEY-----

          """), answer: "Added.", refusals: [409: ""]
    ) { daemon, request -> ProviderReport in
      let name = try request.providerName(of: "provider")
      return try await daemon.providers.setProvider(name, request.body())
    },
    DaemonRoute(
      "DELETE", "/v1/providers/{name}", "removeProvider", in: .providers, "Remove a provider", refusals: [404: ""]
    ) { daemon, request in try await daemon.providers.removeProvider(request.parameter("name")) },
  ]

  /// Returns a stream with an element for each change of the providers; unread elements are merged into one.
  func changes() -> AsyncStream<Void> {
    let signal = Signal<Void>()
    listeners.withLock { $0.append(signal.sender) }
    return signal.values
  }

  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport {
    let provider = try Provider(name, request)
    try await set(name) { _ in provider }
    return ProviderReport(provider)
  }

  /// - Parameter make: receives the provider that has the name already.
  /// - Throws: errors of `make`; then nothing changes.
  @discardableResult
  func set(
    _ name: String, _ make: @escaping @Sendable (Provider?) throws -> Provider
  ) async throws(ControlError) -> Provider {
    try await host.change { [self] store in
      var providers = try store.providers(Provider.self).providers
      do {
        let provider = try make(providers.first { $0.name == name })
        providers.removeAll { $0.name == name }
        let limit = ProvidersResource.limit
        guard providers.count < limit else {
          throw ControlError(409, "there are \(limit) providers, which is the most there can be")
        }
        providers.append(provider)
        // Refuses two providers with the same key before anything is stored.
        _ = try ProviderDirectory(providers)
        try store.setProvider(provider, named: name)
        try replace(stored: providers)
        return provider
      } catch let error where error is ProviderError || error is KeyFileError {
        throw ControlError(400, "\(error)")
      }
    }
  }

  func stored() async throws(ControlError) -> [Provider] {
    try await host.change { store in try store.providers(Provider.self).providers }
  }

  /// - Throws: `ControlError` 404 with the nearest name if there is none with that name.
  func removeProvider(_ name: String) async throws(ControlError) {
    try await host.change { [self] store in
      guard try store.removeProvider(named: name) else {
        let names = try store.providers(Provider.self).providers.map(\.name)
        throw ControlError(
          404, "there is no provider '\(shown(name))'",
          hint: names.isEmpty ? "no provider has been added" : hint(for: name, among: names))
      }
      try replace(stored: store.providers(Provider.self).providers)
    }
  }

  /// Lets the daemon's own provider send to the app with provider tokens. The port's directory is updated on return.
  func allowTestPushes(to app: AppID) async throws(ControlError) {
    try await grant { grants, _ in grants.byToken.insert(app) }
  }

  /// Does the same with the password of the 2008 service.
  /// - Throws: `ControlError` 409 if another provider has the app's password.
  func allowTestPublishing(to app: AppID) async throws(ControlError) {
    try await grant { [testProvider] grants, stored in
      if let other = stored.first(where: { $0.hasPassword && $0.topics.contains(app) }) {
        throw ControlError(
          409, "provider '\(other.name)' has the 2008 service's password for \(app)", hint: "give that password")
      }
      if grants.passwordHash == nil { grants.passwordHash = try PasswordHash(password: testProvider.password) }
      grants.byPassword.insert(app)
    }
  }

  private func grant(
    _ change: @escaping @Sendable (inout TestProvider.Grants, _ stored: [Provider]) throws -> Void
  ) async throws(ControlError) {
    try await host.change { [self] store in
      let stored = try store.providers(Provider.self).providers
      let before = granted.withLock(\.self)
      var after = before
      try change(&after, stored)
      guard after != before else { return }
      granted.withLock { [after] in $0 = after }
      try replace(stored: stored)
    }
  }

  /// Gives a user's provider the app's password, which the daemon's own provider loses.
  private func replace(stored: [Provider]) throws {
    let taken = Set(stored.filter(\.hasPassword).flatMap(\.topics))
    let own = try granted.withLock { grants in
      grants.byPassword.subtract(taken)
      return try testProvider.providers(grants)
    }
    try directory.replace(with: stored + own)
    for listener in listeners.withLock(\.self) { listener.yield() }
  }
}

/// The daemon's own provider, by which a test push takes the path of every push. It is never stored: its key and password
/// end with the process.
struct TestProvider: Sendable {
  static let teamID = "DESKBELLUI"
  static let node = "Inbox"

  struct Grants: Equatable {
    var byToken: Set<AppID> = []
    var byPassword: Set<AppID> = []
    /// The hash of `password`; nil until it is needed, since hashing takes time.
    var passwordHash: PasswordHash?
  }

  let keyID: String
  private let publicKey: ProviderKey
  let password: String
  let token: ProviderTokenSigner

  /// - Parameter now: the clock by which tokens are judged; nil for the machine's.
  init(now: (@Sendable () -> WallTime)?) throws {
    let key = P256.Signing.PrivateKey()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    keyID = String((0..<10).map { _ in alphabet.randomElement() ?? "A" })
    publicKey = try ProviderKey(pem: key.publicKey.pemRepresentation)
    password = Data(randomBytes(24)).base64EncodedString()
    let clock = now ?? SystemClock.wallTime
    token = try ProviderTokenSigner(
      privateKeyPEM: key.pemRepresentation, keyID: keyID, teamID: TestProvider.teamID,
      now: { clock().microseconds / 1_000_000 })
  }

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

extension Provider {
  fileprivate var hasPassword: Bool { if case .password = credential { true } else { false } }

  init(_ name: String, _ request: ProviderRequest) throws(ControlError) {
    var apps: [AppID] = []
    for text in request.apps {
      guard let id = AppID(text) else { throw ControlError(400, "'\(text)' is no bundle identifier") }
      apps.append(id)
    }
    do {
      switch (request.key, request.password, request.certificate) {
      case (let key?, nil, nil):
        try self.init(
          name: name, topics: apps,
          credential: .token(
            teamID: request.teamID ?? "", keyID: request.keyID ?? "", publicKey: ProviderKey(pem: key),
            environment: known(request.environment ?? CredentialEnvironment.both.rawValue, of: "environment")))
      case (nil, let password?, nil):
        try self.init(name: name, topics: apps, credential: .password(PasswordHash(password: password)))
      case (nil, nil, let certificate?):
        try self.init(name: name, topics: apps, credential: .certificate(ProviderCertificate(pem: certificate)))
      default:
        throw ControlError(
          400, "a provider has one credential", hint: "give teamID, keyID and key, or password, or certificate")
      }
    } catch {
      throw error as? ControlError ?? ControlError(400, "\(error)")
    }
  }
}

extension ProviderReport {
  init(_ provider: Provider) {
    self.init(name: provider.name, apps: provider.topics.map(\.text).sorted(), credential: "password")
    switch provider.credential {
    case .token(let team, let key, _, let environment):
      (credential, teamID, keyID, self.environment) = ("token", team, key, environment.rawValue)
    case .password: break
    case .topic: credential = "topic"
    case .hook: credential = "hook"
    case .certificate(let shown):
      (credential, environment) = ("certificate", shown.environment.rawValue)
      certificate = Certificate(
        fingerprint: shown.fingerprint.description, topics: shown.topics,
        validFromWallMicroseconds: shown.validFrom.microseconds,
        validUntilWallMicroseconds: shown.validUntil.microseconds)
    }
  }
}

extension HTTPRequest {
  /// Returns the name in the path, for a provider, a topic or a hook.
  /// - Throws: `ControlError` 400 if it is not valid, 409 if it is the panel's.
  func providerName(of kind: String) throws -> String {
    let name = try parameter("name")
    guard (1...ControlLimits.providerNameBytes).contains(name.utf8.count),
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || ".-_".contains($0) })
    else {
      throw ControlError(
        400, "'\(shown(name))' is no name for a \(kind)",
        hint: "expected 1 to \(ControlLimits.providerNameBytes) letters, digits, dots, dashes and underscores")
    }
    try PanelProvider.refuse(name)
    return name
  }
}

extension ControlClient {
  public func providers() async throws -> [ProviderReport] { try await get("/v1/providers") }

  public func setProvider(_ name: String, _ request: ProviderRequest) async throws -> ProviderReport {
    try await send("PUT", daemonPath("providers", name), request)
  }

  public func removeProvider(_ name: String) async throws {
    try await send("DELETE", daemonPath("providers", name))
  }
}
