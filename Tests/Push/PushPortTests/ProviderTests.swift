// Tests of valid and invalid providers.

import Crypto
import Foundation
import HandsetCore
import ServerIdentity
import Testing

@testable import PushPort

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

  @Test("What is quoted of a text that is none of these is short and on one line")
  func quotations() {
    let long = String(repeating: "A\u{1B}", count: 1_000)
    let label = String(repeating: "A", count: 40) + "…"
    #expect(throws: ProviderError.badKeyFile(KeyFileError(wanted: .key, fault: .other(label)))) {
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
