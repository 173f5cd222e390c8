// Tests of the keys of a fleet's desks at its gateway: several may have one key identifier.

import Testing

@testable import PushPort

@Suite("Keys of several desks")
struct SeveralDesksTests {
  private let provider = TestProvider()

  @Test("Of several desks' keys with one identifier the one that made the signature tells whose a token is")
  func severalKeys() throws {
    let other = TestProvider()
    let directory = try ProviderDirectory()
    for providers in [
      [provider.provider("own"), other.provider("other")], [other.provider("other"), provider.provider("own")],
    ] {
      try directory.replace(with: providers, ofSeveralDesks: true)
      var verifier = ProviderTokenVerifier(limits: .standard)
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
