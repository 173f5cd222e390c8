import Crypto
import Foundation
import HandsetCore
import Testing

@testable import PushPort
@testable import ServerIdentity

@Suite("Providers")
struct ProviderTests {
  private let key = P256.Signing.PrivateKey()

  @Test("The quotation of a malformed text is short and on one line")
  func quotations() {
    let long = String(repeating: "A\u{1B}", count: 1_000)
    let label = String(repeating: "A", count: 40) + "…"
    #expect(throws: KeyFileError(wanted: .key, fault: .other(label))) {
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
    for (teamID, keyID, apps, error) in [
      ("TEAM", "KEY0123456", [bell], .badTeamID("TEAM")), ("TEAM012345", "KEY-123456", [bell], .badKeyID("KEY-123456")),
      ("TEAM012345", "KEY0123456", [], .noApps("p")),
    ] as [(String, String, [AppID], ProviderError)] {
      #expect(throws: error) {
        try Provider(
          name: "p", topics: apps,
          credential: .token(
            teamID: teamID, keyID: keyID, publicKey: ProviderKey(key.publicKey), environment: .both))
      }
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

@Suite struct StoredProviderTests {
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private func stored(_ credential: String) -> String {
    #"{"apps":["com.example.bell"],"credential":\#(credential.replacing("\n", with: #"\n"#)),"name":"ringer"}"#
  }

  @Test("Each kind of credential is written and read, in a form that does not change")
  func forms() throws {
    let key = ProviderKey(TestProvider().key.publicKey)
    let certificate = try ProviderCertificate(pem: TestCertificate().pem)
    let hash = PasswordHash.unmatchable
    let digest = "ML8ff7lMvGFt8SQ1cgbJ5z1cJVyPEx11CKgcHzFDG6Y="
    for (credential, form) in [
      (
        .token(teamID: "TEAM012345", keyID: "KEY0123456", publicKey: key, environment: .both),
        #"{"token":{"environment":"both","keyID":"KEY0123456","publicKey":"\#(key.pem)","teamID":"TEAM012345"}}"#
      ),
      (.password(hash), #"{"password":{"hash":"\#(hash.stored)"}}"#),
      (.certificate(certificate), #"{"certificate":{"pem":"\#(certificate.pem)"}}"#),
      (
        .topic(KeyedApp(key: AccessKey("tk_1"), handset: "hall")),
        #"{"topic":{"opens":{"handset":"hall","key":"\#(digest)"}}}"#
      ),
      (
        .hook(KeyedApp(key: AccessKey("tk_1"), handset: nil), template: "github"),
        #"{"hook":{"opens":{"key":"\#(digest)"},"template":"github"}}"#
      ),
    ] as [(Provider.Credential, String)] {
      let provider = try Provider(name: "ringer", topics: [bell], credential: credential)
      let json = try Self.encoder.encode(provider)
      #expect(String(decoding: json, as: UTF8.self) == stored(form))
      #expect(try JSONDecoder().decode(Provider.self, from: json) == provider)
    }
  }

  @Test(
    "The error for a malformed hash or key does not contain it",
    arguments: [
      (#"{"password":{"hash":"secret"}}"#, "its password is lost; add it again with --password-file"),
      (
        #"{"certificate":{"pem":"x"}}"#,
        "the certificate is not PEM: expected a text file with -----BEGIN CERTIFICATE-----; a .cer file is turned into "
          + "one by: openssl x509 -inform der -in FILE, a .p12 file by: openssl pkcs12 -in FILE -clcerts -nokeys"
      ),
    ])
  func unusable(_ credential: String, _ problem: String) {
    let error = #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Provider.self, from: Data(stored(credential).utf8))
    }
    #expect(error.map { "\($0)" } == problem)
  }
}

@Suite("Keys of several desks")
struct SeveralDesksTests {
  private let provider = TestProvider()

  @Test("With several keys of one identifier, the key of the signature decides whose token it is")
  func severalKeys() throws {
    let other = TestProvider()
    let directory = try ProviderDirectory()
    for providers in [
      [provider.provider("own"), other.provider("other")], [other.provider("other"), provider.provider("own")],
    ] {
      try directory.replace(with: providers, ofSeveralDesks: true)
      let verifier = ProviderTokenVerifier(limits: .standard)
      let token = provider.token()
      func name(_ token: String) throws -> String {
        try verifier.provider(for: token.utf8, in: directory, now: now, clockIsSynchronised: { true }).name
      }
      #expect(try name(token) == "own")
      // Also if the token is remembered, and another desk's key is removed and added.
      try directory.replace(with: [provider.provider("own")], ofSeveralDesks: true)
      #expect(try name(token) == "own")
      try directory.replace(with: providers.reversed(), ofSeveralDesks: true)
      #expect(try name(token) == "own")
      let error = #expect(throws: APNsRefusal.self) { try name(TestProvider().token()) }
      #expect(error?.reason == .invalidProviderToken)
      try directory.replace(with: [other.provider("other")], ofSeveralDesks: true)
      #expect(throws: APNsRefusal.self) { try name(token) }
    }
  }
}
