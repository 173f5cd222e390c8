// A provider in its four shapes: as it is asked for, as it is stored, as the gateway knows it, as it is shown.

import ControlAPI
import HandsetCore
import HandsetStore
import PushGateway
import ServerIdentity
import StrictYAML

extension ProviderRecord {
  /// - Throws: `ControlError` 400 that says what is wrong with the request.
  init(_ name: String, _ request: ProviderRequest) throws(ControlError) {
    var apps: [AppID] = []
    for text in request.apps {
      guard let id = AppID(text) else { throw ControlError(400, "'\(text)' is no bundle identifier") }
      apps.append(id)
    }
    do {
      self.init(name: name, apps: apps, credential: try Credential(request))
      self.apps = try Provider(self).topics.sorted { $0.text < $1.text }
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(400, "\(error)")
    }
  }
}

extension ProviderRecord.Credential {
  /// - Throws: `ProviderError`, `ControlError` 400 where there is none, or more than one.
  fileprivate init(_ request: ProviderRequest) throws {
    switch (request.key, request.password, request.certificate) {
    case (let key?, nil, nil):
      self = .token(
        teamID: request.teamID ?? "", keyID: request.keyID ?? "", publicKeyPEM: try ProviderKey(pem: key).pem,
        environment: try ProviderRecord.Environment(named: request.environment))
    case (nil, let password?, nil):
      self = .password(hash: try PasswordHash(password: password).stored)
    case (nil, nil, let certificate?):
      self = .certificate(pem: try ProviderCertificate(pem: certificate).pem)
    default:
      throw ControlError(
        400, "a provider has one credential", hint: "give teamID, keyID and key, or password, or certificate")
    }
  }
}

extension ProviderRecord.Environment {
  fileprivate init(named name: String?) throws(ControlError) {
    guard let name else {
      self = .both
      return
    }
    let names = CredentialEnvironment.allCases.map(\.rawValue)
    guard let environment = Self(rawValue: name) else {
      throw ControlError(
        400, "'\(name)' is no environment: expected \(names.joined(separator: ", "))",
        hint: nearest(name, among: names).map { "did you mean '\($0)'?" })
    }
    self = environment
  }
}

extension Provider {
  init(_ record: ProviderRecord) throws {
    switch record.credential {
    case .token(let teamID, let keyID, let publicKeyPEM, let environment):
      try self.init(
        name: record.name, topics: record.apps, teamID: teamID, keyID: keyID,
        publicKey: ProviderKey(pem: publicKeyPEM), environment: CredentialEnvironment(environment))
    case .password(let stored):
      guard let hash = PasswordHash(stored: stored) else { throw ProviderError.badPasswordHash(record.name) }
      try self.init(name: record.name, topics: record.apps, password: hash)
    case .certificate(let pem):
      try self.init(name: record.name, topics: record.apps, certificate: ProviderCertificate(pem: pem))
    }
  }
}

extension CredentialEnvironment {
  fileprivate init(_ environment: ProviderRecord.Environment) {
    self =
      switch environment {
      case .development: .development
      case .production: .production
      case .both: .both
      }
  }
}

extension ProviderReport {
  init(_ record: ProviderRecord) {
    let apps = record.apps.map(\.text)
    switch record.credential {
    case .token(let teamID, let keyID, _, let environment):
      self.init(
        name: record.name, apps: apps, credential: "token", teamID: teamID, keyID: keyID,
        environment: environment.rawValue)
    case .password:
      self.init(name: record.name, apps: apps, credential: "password")
    case .certificate(let pem):
      let certificate = try? ProviderCertificate(pem: pem)
      self.init(
        name: record.name, apps: apps, credential: "certificate", environment: certificate?.environment.rawValue,
        certificate: certificate.map { certificate in
          Certificate(
            fingerprint: certificate.fingerprint.description, topics: certificate.topics,
            validFromWallMicroseconds: certificate.validFrom.microseconds,
            validUntilWallMicroseconds: certificate.validUntil.microseconds)
        })
    }
  }
}
