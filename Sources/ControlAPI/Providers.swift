import HTTPRoutes

/// The providers of the installation.
public protocol ProvidersBackend: Sendable {
  func providers() async throws(ControlError) -> [ProviderReport]
  /// Adds the provider or replaces the one of that name.
  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport
  /// - Throws: `ControlError` 404 where there is none of that name.
  func removeProvider(_ name: String) async throws(ControlError)
}

/// A provider that may push.
public struct ProviderReport: Codable, Sendable, Equatable {
  public var name: String
  /// The bundle identifiers it may send to.
  public var apps: [String]
  /// `token`: signs provider tokens with an ES256 key. `password`: uses the 2008 service. `certificate`: shows a client
  /// certificate. `topic` and `hook`: has an access key.
  public var credential: String
  public var teamID: String?
  public var keyID: String?
  /// Which of Apple's two services the credential is good for: `development`, `production` or `both`.
  public var environment: String?
  public var certificate: Certificate?

  /// A client certificate.
  public struct Certificate: Codable, Sendable, Equatable {
    /// SHA-256 of the whole of it, in hexadecimal digits.
    public var fingerprint: String
    /// What it may name in `apns-topic`.
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
  /// What belongs to the credential is set afterwards.
  public init(name: String, apps: [String], credential: String) {
    self.init(name: name, apps: apps, credential: credential, teamID: nil)
  }
}

/// The names of the provider that sends the panel's test pushes. No other provider may have them.
public enum PanelProvider {
  /// With the daemon's own key.
  public static let name = "panel"
  /// With its password of the 2008 service.
  public static let nameIn2008 = "panel-2008"

  /// - Throws: `ControlError` 409 for a name that is the panel's.
  public static func refuse(_ name: String) throws(ControlError) {
    guard name == PanelProvider.name || name == nameIn2008 else { return }
    throw ControlError(
      409, "the name '\(name)' is kept for the web panel's test pushes", hint: "call the provider something else")
  }
}

/// A provider and its credential: tokens signed with a key, by the password of the 2008 service, or by a client
/// certificate.
public struct ProviderRequest: RequestBody, Sendable {
  /// May be empty with a certificate, whose topics then say it.
  public var apps: [String]
  /// Of a provider that signs tokens, as are `keyID`, `key` and `environment`.
  public var teamID: String?
  public var keyID: String?
  /// An EC P-256 key as PEM, private or public; of a private one only the public half is kept.
  public var key: String?
  /// Which of Apple's two services the key is good for: `development`, `production`, or, where this is absent, `both`.
  public var environment: String?
  /// A client certificate as PEM.
  public var certificate: String?
  /// Of a provider that uses the 2008 service; only a hash of it is kept.
  public var password: String?

  enum CodingKeys: CodingKey, CaseIterable { case apps, teamID, keyID, key, environment, certificate, password }
}

extension ProviderRequest {
  /// Its credential is set afterwards.
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
