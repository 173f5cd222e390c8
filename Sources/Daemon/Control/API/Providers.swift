import HTTP

/// The providers of the installation.
public protocol ProvidersBackend: Sendable {
  func providers() async throws(ControlError) -> [ProviderReport]
  /// Adds the provider or replaces the one with that name.
  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport
  /// - Throws: `ControlError` 404 if there is none with that name.
  func removeProvider(_ name: String) async throws(ControlError)
}

/// A provider that may push.
public struct ProviderReport: Codable, Sendable, Equatable {
  public var name: String
  /// The bundle identifiers of the apps that it may send to.
  public var apps: [String]
  /// The kind of credential. `token`: provider tokens signed with an ES256 key. `password`: the 2008 service.
  /// `certificate`: a client certificate. `topic` and `hook`: an access key.
  public var credential: String
  public var teamID: String?
  public var keyID: String?
  /// The one of Apple's two services for which the credential is valid: `development`, `production` or `both`.
  public var environment: String?
  public var certificate: Certificate?

  /// A client certificate.
  public struct Certificate: Codable, Sendable, Equatable {
    /// The SHA-256 of the whole certificate, in hexadecimal digits.
    public var fingerprint: String
    /// The topics that are allowed in `apns-topic`.
    public var topics: [String]
    public var validFromWallMicroseconds: Int64
    public var validUntilWallMicroseconds: Int64

    public init(
      fingerprint: String, topics: [String], validFromWallMicroseconds: Int64, validUntilWallMicroseconds: Int64
    ) {
      self.fingerprint = fingerprint
      self.topics = topics
      self.validFromWallMicroseconds = validFromWallMicroseconds
      self.validUntilWallMicroseconds = validUntilWallMicroseconds
    }
  }
}

extension ProviderReport {
  /// Makes a report; the fields of the credential are set afterwards.
  public init(name: String, apps: [String], credential: String) {
    self.init(name: name, apps: apps, credential: credential, teamID: nil)
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

/// A provider and its credential: a key that signs tokens, a password of the 2008 service, or a client certificate.
public struct ProviderRequest: RequestBody, Sendable {
  /// May be empty with a certificate, which then names the topics.
  public var apps: [String]
  /// The team of a provider that signs tokens, to which `keyID`, `key` and `environment` also apply.
  public var teamID: String?
  public var keyID: String?
  /// An EC P-256 key as PEM, private or public; only the public half of a private key is stored.
  public var key: String?
  /// The service of Apple's two for which the key is valid: `development`, `production`, or, if absent, `both`.
  public var environment: String?
  /// A client certificate as PEM.
  public var certificate: String?
  /// The password of a provider that uses the 2008 service; only a hash of it is stored.
  public var password: String?

  enum CodingKeys: CodingKey, CaseIterable { case apps, teamID, keyID, key, environment, certificate, password }
}

extension ProviderRequest {
  /// Makes a request; its credential is set afterwards.
  public init(apps: [String]) {
    self.init(apps: apps, teamID: nil)
  }
}

enum ProvidersResource {
  static func routes(_ providers: any ProvidersBackend) -> [Route] {
    [
      .control("GET", "/v1/providers") { _ in try .json(await providers.providers()) },
      .control("PUT", "/v1/providers/{name}") { request in
        let name = try request.parameter("name")
        guard isProviderName(name) else { throw ControlError.badProviderName(name, for: "a provider") }
        try PanelProvider.refuse(name)
        return try .json(await providers.setProvider(name, request.body()))
      },
      .control("DELETE", "/v1/providers/{name}") { request in
        let name = try request.parameter("name")
        do throws(ControlError) {
          try await providers.removeProvider(name)
        } catch {
          guard error.status == 404 else { throw error }
          let names = (try? await providers.providers().map(\.name)) ?? []
          throw ControlError(
            404, "there is no provider '\(shown(name))'",
            hint: names.isEmpty ? "no provider has been added" : hint(for: name, among: names))
        }
        return .noContent
      },
    ]
  }
}

extension ControlError {
  static func badProviderName(_ name: String, for what: String) -> ControlError {
    ControlError(
      400, "'\(shown(name))' is no name for \(what)",
      hint: "expected 1 to \(ControlLimits.providerNameBytes) letters, digits, dots, dashes and underscores")
  }
}

func isProviderName(_ name: String) -> Bool {
  (1...ControlLimits.providerNameBytes).contains(name.utf8.count)
    && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || ".-_".contains($0) }
}
