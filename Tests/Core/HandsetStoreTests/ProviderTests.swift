import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

/// A stand-in for a provider, which the gateway defines.
private struct Provider: Codable, Equatable {
  var name: String
  var key = "-----BEGIN PUBLIC KEY-----\nMFkw/\n-----END PUBLIC KEY-----\n"
}

@Suite struct ProviderTests {
  private let place = Place()
  private var directory: String { place.path }

  @Test func `Providers are added, replaced by name, listed and removed`() throws {
    do {
      let store = try HandsetStore(directory: directory)
      for provider in [Provider(name: "work"), Provider(name: "home"), Provider(name: "work", key: "other")] {
        try store.setProvider(provider, named: provider.name)
      }
    }
    let store = try HandsetStore(directory: directory)
    #expect(
      try store.providers(Provider.self).providers == [Provider(name: "home"), Provider(name: "work", key: "other")])
    #expect(try store.removeProvider(named: "work") == true)
    #expect(try store.removeProvider(named: "work") == false)
    #expect(try store.providers(Provider.self).providers == [Provider(name: "home")])
    #expect(try store.providers(Provider.self).damage == [])
  }

  @Test func `A private key is never stored`() throws {
    let store = try HandsetStore(directory: directory)
    let careless = Provider(name: "work", key: "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n")
    let error = #expect(throws: StoreError.self) { try store.setProvider(careless, named: "work") }
    #expect(
      error?.description
        == "provider 'work': this is a private key, and only public ones are stored: derive the public key first")
    #expect(try store.providers(Provider.self).providers == [])
  }

  @Test func `A provider that cannot be read is left out, and what is in it is not told`() throws {
    let store = try HandsetStore(directory: directory)
    for name in ["a", "b", "c"] { try store.setProvider(Provider(name: name), named: name) }
    try sql(
      directory,
      """
      UPDATE provider SET record = '{' WHERE name = 'a';
      UPDATE provider SET record = '{"name":"c","secret":1}' WHERE name = 'c';
      """)
    let (providers, damage) = try store.providers(Provider.self)
    #expect(providers == [Provider(name: "b")])
    #expect(
      damage.map(\.description) == [
        "table 'provider', row 'a', column 'record': it is no provider that this version knows",
        "table 'provider', row 'c', column 'record': it is no provider that this version knows",
      ])
  }

  @Test func `Notes are kept, changed and forgotten`() throws {
    do {
      let store = try HandsetStore(directory: directory)
      #expect(try store.meta(.bootID) == nil)
      try store.setMeta(.bootID, "5e0c")
      try store.setMeta(.bootID, "77aa")
      try store.setMeta(.virtualClock, "")
    }
    let store = try HandsetStore(directory: directory)
    #expect(try store.meta(.bootID) == "77aa")
    #expect(try store.meta(.virtualClock) == "")
    try store.setMeta(.bootID, nil)
    #expect(try store.meta(.bootID) == nil)
  }

  @Test func `A key is its app's on its handset, replaced by a new one, and gone with the app`() throws {
    var rig = try Rig.inNewFolder()
    try rig.installMail()
    let mail = AppAddress(Rig.mail, on: 1)
    #expect(try rig.store.key(of: mail) == nil)
    try rig.store.setKey([1, 2], of: mail)
    try rig.store.setKey([9], of: AppAddress(Rig.mail, on: 2))
    #expect(try rig.store.key(of: mail) == [1, 2])
    try rig.store.setKey([3], of: mail)
    #expect(try rig.store.key(of: mail) == [3])
    try rig.commit(.uninstall(Rig.mail))
    #expect(try rig.store.key(of: mail) == nil)
    #expect(try rig.store.key(of: AppAddress(Rig.mail, on: 2)) == [9])
  }
}
