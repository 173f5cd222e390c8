// Tests of the stored form of a provider, which later versions must read.

import Foundation
import HandsetCore
import ServerIdentity
import Testing

@testable import PushPort

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
    let forms = [
      (
        try Provider(
          name: "ringer", topics: [bell],
          credential: .token(teamID: "TEAM012345", keyID: "KEY0123456", publicKey: key, environment: .both)),
        #"{"token":{"environment":"both","keyID":"KEY0123456","publicKey":"\#(key.pem)","teamID":"TEAM012345"}}"#
      ),
      (
        try Provider(name: "ringer", topics: [bell], credential: .password(hash)),
        #"{"password":{"hash":"\#(hash.stored)"}}"#
      ),
      (
        try Provider(name: "ringer", topics: [bell], credential: .certificate(certificate)),
        #"{"certificate":{"pem":"\#(certificate.pem)"}}"#
      ),
      (
        try Provider(
          name: "ringer", topics: [bell], credential: .topic(KeyedApp(key: AccessKey("tk_1"), handset: "hall"))),
        #"{"topic":{"opens":{"handset":"hall","key":"ML8ff7lMvGFt8SQ1cgbJ5z1cJVyPEx11CKgcHzFDG6Y="}}}"#
      ),
      (
        try Provider(
          name: "ringer", topics: [bell],
          credential: .hook(KeyedApp(key: AccessKey("tk_1"), handset: nil), template: "github")),
        #"{"hook":{"opens":{"key":"ML8ff7lMvGFt8SQ1cgbJ5z1cJVyPEx11CKgcHzFDG6Y="},"template":"github"}}"#
      ),
    ]
    for (provider, form) in forms {
      let json = try Self.encoder.encode(provider)
      #expect(String(decoding: json, as: UTF8.self) == stored(form))
      #expect(try JSONDecoder().decode(Provider.self, from: json) == provider)
    }
  }

  @Test(
    "What is no hash and no key is said to be none, without what it is",
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
