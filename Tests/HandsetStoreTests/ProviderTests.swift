// Providers and the daemon's notes: each is on disk when its call returns.

import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct ProviderTests {
  private static let pem = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n"

  private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

  private func provider(
    _ name: String, _ apps: [AppID], keyID: String = "KEY1234567", environment: ProviderRecord.Environment = .both
  ) -> ProviderRecord {
    ProviderRecord(
      name: name, apps: apps,
      credential: .token(teamID: "TEAM123456", keyID: keyID, publicKeyPEM: Self.pem, environment: environment))
  }

  @Test func `Providers are added, replaced by name, listed and removed`() throws {
    try withDirectory { directory in
      do {
        let store = try HandsetStore(directory: directory)
        try store.setProvider(provider("work", [Rig.mail]))
        try store.setProvider(provider("home", []))
        try store.setProvider(provider("work", [Rig.chat, Rig.mail], keyID: "OTHER"))
      }
      let store = try HandsetStore(directory: directory)
      #expect(
        try store.providers().providers == [
          provider("home", []), provider("work", [Rig.chat, Rig.mail], keyID: "OTHER"),
        ])
      #expect(try store.removeProvider(named: "work") == true)
      #expect(try store.removeProvider(named: "work") == false)
      #expect(try store.providers().providers == [provider("home", [])])
      #expect(try store.providers().damage == [])
    }
  }

  @Test func `A provider may change from a key to a certificate and back`() throws {
    try withDirectory { directory in
      let certified = ProviderRecord(name: "work", apps: [Rig.mail], credential: .certificate(pem: Self.certificate))
      let keyed = provider("work", [Rig.chat], environment: .development)
      for record in [keyed, certified, keyed, certified] {
        let store = try HandsetStore(directory: directory)
        try store.setProvider(record)
        #expect(try store.providers().providers == [record])
      }
    }
  }

  @Test func `A private key is never stored`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(directory: directory)
      var careless = provider("work", [])
      careless.credential = .token(
        teamID: "T", keyID: "K", publicKeyPEM: "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n",
        environment: .both)
      let error = #expect(throws: StoreError.self) { try store.setProvider(careless) }
      #expect(
        error?.description
          == "provider 'work': this is a private key, and only public ones are stored: derive the public key first")
      careless.credential = .certificate(pem: Self.certificate + "-----BEGIN PRIVATE KEY-----\n")
      #expect(throws: StoreError.self) { try store.setProvider(careless) }
      #expect(try store.providers().providers == [])
    }
  }

  @Test func `A password is stored as its hash, and never as it is`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(directory: directory)
      var record = provider("old", [Rig.mail])
      try store.setProvider(record)
      record.credential = .password(hash: "$scrypt$ln=14,r=8,p=1$c2FsdA==$aGFzaA==")
      try store.setProvider(record)
      #expect(try store.providers().providers == [record])
      record.credential = .password(hash: "secret")
      let error = #expect(throws: StoreError.self) { try store.setProvider(record) }
      #expect(
        error?.description
          == "provider 'old': this is no scrypt hash, and no password is stored as it is: hash it first")
      // Back to a key: nothing of the password is left.
      try store.setProvider(provider("old", [Rig.mail]))
      #expect(try store.providers().providers == [provider("old", [Rig.mail])])
      #expect(try sql(directory, "SELECT count(*) FROM provider WHERE password_hash IS NOT NULL") == "0")
    }
  }

  @Test func `A provider that cannot be read is left out`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(directory: directory)
      for name in ["a", "b", "c", "d", "e", "f"] { try store.setProvider(provider(name, [Rig.mail])) }
      try sql(
        directory,
        """
        UPDATE provider SET kind = 'pigeon' WHERE name = 'a'; UPDATE provider SET apps = '["-"]' WHERE name = 'b';
        UPDATE provider SET key_id = NULL WHERE name = 'c'; UPDATE provider SET environment = 'moon' WHERE name = 'e';
        UPDATE provider SET kind = 'certificate' WHERE name = 'f'
        """)
      let (providers, damage) = try store.providers()
      #expect(providers == [provider("d", [Rig.mail])])
      #expect(
        damage.map(\.description) == [
          "table 'provider', row 'a', column 'kind': 'pigeon' is not a kind of credential",
          "table 'provider', row 'b', column 'apps': '-' is not an app's identifier",
          "table 'provider', row 'c', column 'key_id': it is not text",
          "table 'provider', row 'e', column 'environment': 'moon' is not one of development, production, both",
          "table 'provider', row 'f', column 'certificate_pem': it is not text",
        ])
    }
  }

  @Test func `Notes are kept, changed and forgotten`() throws {
    try withDirectory { directory in
      do {
        let store = try HandsetStore(directory: directory)
        #expect(try store.meta(.bootID) == nil)
        try store.setMeta(.bootID, "5e0c")
        try store.setMeta(.bootID, "77aa")
        try store.setMeta(MetaKey("other"), "")
      }
      let store = try HandsetStore(directory: directory)
      #expect(try store.meta(.bootID) == "77aa")
      #expect(try store.meta(MetaKey("other")) == "")
      try store.setMeta(.bootID, nil)
      #expect(try store.meta(.bootID) == nil)
    }
  }
}
