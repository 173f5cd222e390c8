// What makes a provider, and what is refused as one.

import Crypto
import Foundation
import HandsetCore
import ServerIdentity
import Testing

@testable import PushGateway

@Suite("Providers")
struct ProviderTests {
  private let key = P256.Signing.PrivateKey()

  @Test("The key is read from its private and its public half")
  func keys() throws {
    let expected = ProviderKey(key.publicKey)
    #expect(try ProviderKey(pem: key.pemRepresentation) == expected)
    #expect(try ProviderKey(pem: "\n" + key.publicKey.pemRepresentation + "\n") == expected)
    #expect(try ProviderKey(pem: expected.pem) == expected)
  }

  @Test("OpenSSL's EC PRIVATE KEY, with its parameters before it, is read too")
  func sec1() throws {
    let pem = """
      -----BEGIN EC PARAMETERS-----
      BggqhkjOPQMBBw==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      \(sec1Body(key))
      -----END EC PRIVATE KEY-----
      """
    #expect(try ProviderKey(pem: pem) == ProviderKey(key.publicKey))
  }

  /// SEC 1: version 1, the key, the curve, the public key.
  private func sec1Body(_ key: P256.Signing.PrivateKey) -> String {
    let point = [0x00] + Array(key.publicKey.x963Representation)
    let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    let content: [UInt8] =
      [0x02, 0x01, 0x01, 0x04, 0x20] + Array(key.rawRepresentation) + curve
      + [0xA1, 0x44, 0x03, 0x42] + point
    return Data([0x30, UInt8(content.count)] + content).base64EncodedString(options: .lineLength64Characters)
  }

  @Test("What is no such key is named")
  func wrongKeys() {
    let other = P384.Signing.PrivateKey()
    #expect(throws: ProviderError.notP256("PRIVATE KEY")) { try ProviderKey(pem: other.pemRepresentation) }
    #expect(throws: ProviderError.notP256("PUBLIC KEY")) { try ProviderKey(pem: other.publicKey.pemRepresentation) }
    #expect(throws: ProviderError.notPEM) { try ProviderKey(pem: "") }
    #expect(throws: ProviderError.notPEM) { try ProviderKey(pem: "MIGHAgEAMBMGByqGSM49") }
    #expect(throws: ProviderError.encrypted) {
      try ProviderKey(pem: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----")
    }
    #expect(throws: ProviderError.otherPEM("CERTIFICATE")) {
      try ProviderKey(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")
    }
  }

  @Test("What is quoted of a text that is none of these is short and on one line")
  func quotations() {
    let long = String(repeating: "A\u{1B}", count: 1_000)
    let label = String(repeating: "A", count: 40) + "…"
    #expect(throws: ProviderError.otherPEM(label)) {
      try ProviderKey(pem: "-----BEGIN \(String(repeating: "A", count: 1_000))-----\n")
    }
    for error in [
      .badTeamID(long), .badKeyID(long), .appNotInCertificate(bell, topics: [long, long]),
    ] as [ProviderError] {
      #expect(error.description.utf8.count < 400)
      #expect(!error.description.contains("\u{1B}"))
    }
  }

  @Test("Team and key id have 10 letters and digits, and there is an app")
  func names() {
    let publicKey = ProviderKey(key.publicKey)
    #expect(throws: ProviderError.badTeamID("TEAM")) {
      try Provider(
        name: "p", topics: [bell],
        credential: .token(teamID: "TEAM", keyID: "KEY0123456", publicKey: publicKey, environment: .both))
    }
    #expect(throws: ProviderError.badKeyID("KEY-123456")) {
      try Provider(
        name: "p", topics: [bell],
        credential: .token(teamID: "TEAM012345", keyID: "KEY-123456", publicKey: publicKey, environment: .both))
    }
    #expect(throws: ProviderError.noApps("p")) {
      try Provider(
        name: "p", topics: [],
        credential: .token(teamID: "TEAM012345", keyID: "KEY0123456", publicKey: publicKey, environment: .both))
    }
  }

  @Test("Two providers with one key are refused, and nothing changes")
  func sameKey() throws {
    let provider = TestProvider()
    let directory = provider.directory
    let generation = directory.generation
    #expect(
      throws: ProviderError.sameKey(first: "a", second: "b", teamID: provider.teamID, keyID: provider.keyID)
    ) {
      try directory.replace(with: [provider.provider("a"), provider.provider("b")])
    }
    #expect(directory.generation == generation)
    #expect(
      directory.providers(for: .init(teamID: provider.teamID, keyID: provider.keyID)).map(\.name) == ["bellringer"])
  }
}
