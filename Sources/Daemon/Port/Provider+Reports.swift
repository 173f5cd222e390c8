import ControlAPI
import HandsetCore
import PushPort
import ServerIdentity
import StrictYAML

extension Provider {
  /// - Throws: `ControlError` 400 with the error in the request.
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
            environment: CredentialEnvironment(named: request.environment)))
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

extension CredentialEnvironment {
  fileprivate init(named name: String?) throws(ControlError) {
    let name = name ?? Self.both.rawValue
    guard let environment = Self(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue)
      throw ControlError(
        400, "'\(name)' is no environment: expected \(names.joined(separator: ", "))",
        hint: nearest(name, among: names).map { "did you mean '\($0)'?" })
    }
    self = environment
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
