import Foundation
import HTTP
import HandsetCore
import Testing

@testable import PushPort
@testable import ServerIdentity

@Suite("Passwords")
struct PasswordTests {
  private func makeSession(_ directory: ProviderDirectory, waiting: Int = 1) -> PasswordSession {
    PasswordSession(
      providers: directory, checker: PasswordChecker(waiting: waiting, perAddress: 16),
      pace: GuessPace(now: { .zero }), address: "", failures: 3)
  }

  @Test("A hash matches its own password only, also after it was stored")
  func hashes() throws {
    let stored = try #require(PasswordHash(stored: passwordHash.stored))
    #expect(stored == passwordHash)
    #expect(stored.isOf(Array(password.utf8)))
    for wrong in ["", "correct hors", "correct horse ", "Correct horse"] { #expect(!stored.isOf(Array(wrong.utf8))) }
    #expect(!PasswordHash.unmatchable.isOf([]))
    let parts = passwordHash.stored.split(separator: "$")
    #expect(parts[0] == "scrypt" && parts[1] == "ln=14,r=8,p=1")
    #expect(!passwordHash.stored.contains(password))
    // The salt differs each time.
    #expect(try PasswordHash(password: password) != passwordHash)
  }

  @Test("The hash is scrypt's: the second test vector of RFC 7914, section 12")
  func vector() throws {
    // The vector's length and salt differ from ours, so it cannot be stored; test the function itself.
    let expected =
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    let derived = try PasswordHash.derive(
      Array("password".utf8), Array("NaCl".utf8),
      PasswordHash.Cost(log2Rounds: 10, blockSize: 8, parallelism: 16), bytes: 64)
    #expect(Hex.text(derived) == expected)
  }

  @Test("A password has 8 to 256 bytes, and no control characters")
  func lengths() throws {
    for good in [String(repeating: "x", count: 8), String(repeating: "x", count: 256), "pässwort"] {
      #expect(try PasswordHash(password: good).isOf(Array(good.utf8)))
    }
    for bad in ["", "1234567", String(repeating: "x", count: 257), "1234567\n8"] {
      #expect(throws: PasswordError.badPassword) { try PasswordHash(password: bad) }
    }
  }

  @Test(
    "A stored hash is read strictly, as its parameters could use up the memory",
    arguments: [
      "", "secret", "$scrypt$ln=14,r=8,p=1$AAAA$AAAA", "$scrypt$ln=17,r=8,p=1$SALT$HASH",
      "$scrypt$ln=14,r=17,p=1$SALT$HASH",
      "$scrypt$ln=14,r=8,p=17$SALT$HASH", "$scrypt$ln=0,r=8,p=1$SALT$HASH", "$scrypt$ln=14,r=8$SALT$HASH",
      "$scrypt$ln=x,r=8,p=1$SALT$HASH", "$scrypt$ln=14,r=8,p=1,q=1$SALT$HASH", "$argon2id$ln=14,r=8,p=1$SALT$HASH",
    ])
  func damaged(text: String) {
    let salt = Data(repeating: 1, count: 16).base64EncodedString()
    let hash = Data(repeating: 1, count: 32).base64EncodedString()
    #expect(PasswordHash(stored: "$scrypt$ln=14,r=8,p=1$\(salt)$\(hash)") != nil)
    #expect(PasswordHash(stored: text.replacing("SALT", with: salt).replacing("HASH", with: hash)) == nil)
  }

  @Test(
    "A basic credential is one field, base64, a user in UTF-8 and a password with whatever is in it",
    arguments: [
      ([], nil), (["Basic " + Data("a:b".utf8).base64EncodedString(), "Basic x"], nil), (["Bearer abc"], nil),
      (["Basic"], nil), (["Basic !"], nil), (["Basic " + Data("nocolon".utf8).base64EncodedString()], nil),
      (["Basic " + Data([0xFF, 0x3A]).base64EncodedString()], nil),
      (["Basic " + Data("a.b:c:d".utf8).base64EncodedString()], "a.b c:d"),
      (["bASIC   " + Data("a.b:".utf8).base64EncodedString()], "a.b "),
    ] as [([String], String?)])
  func credentials(fields: [String], expected: String?) {
    let read = try? BasicCredential(fields)
    #expect(read.map { "\($0.user) \(String(decoding: $0.password, as: UTF8.self))" } == expected)
  }

  @Test("Two providers cannot have passwords for one app, because the app is the user name")
  func sameUser() throws {
    let other = try Provider(name: "other", topics: [bell], credential: .password(passwordHash))
    let directory = try ProviderDirectory([passwordProvider])
    let error = #expect(throws: ProviderError.self) { try directory.replace(with: [passwordProvider, other]) }
    #expect(error == .sameUser(first: "ringer", second: "other", bell))
    #expect(directory.user(bell)?.provider.name == "ringer")
  }

  @Test("A connection's password is checked once, until its provider is removed or has another password")
  func checkedOnce() async throws {
    let directory = try ProviderDirectory([passwordProvider])
    let session = makeSession(directory, waiting: 1)
    let credential = try BasicCredential([basic()])
    #expect(try await session.provider(of: credential).name == "ringer")
    // With no room for a check, only remembered passwords are accepted.
    let full = makeSession(directory, waiting: 0)
    await #expect(throws: PublishingRefusal.self) { try await full.provider(of: credential) }
    #expect(try await session.provider(of: credential).name == "ringer")
    // The list is replaced by an equal one.
    try directory.replace(with: [passwordProvider])
    #expect(try await session.provider(of: credential).name == "ringer")
    let renamed = try Provider(
      name: "changed", topics: [bell], credential: .password(try PasswordHash(password: "another horse")))
    try directory.replace(with: [renamed])
    let refusal = await #expect(throws: PublishingRefusal.self) { try await session.provider(of: credential) }
    #expect(refusal?.status == 401)
    #expect(try await session.provider(of: BasicCredential([basic(bell.text, "another horse")])).name == "changed")
  }

  @Test("After three wrong passwords a connection ends, and no more are checked")
  func failures() async throws {
    let session = makeSession(try ProviderDirectory([passwordProvider]), waiting: 1)
    for attempt in 1...5 {
      // An unknown user is treated as a wrong password.
      let wrong = attempt == 2 ? basic("com.example.nobody") : basic(bell.text, "wrong horse")
      let refusal = await #expect(throws: PublishingRefusal.self) {
        try await session.provider(of: BasicCredential([wrong]))
      }
      #expect(refusal?.status == 401)
      #expect(refusal?.connection == (attempt >= 3 ? .drain : HTTPResponse.Connection.keep))
    }
    await #expect(throws: PublishingRefusal.self) { try await session.provider(of: BasicCredential([basic()])) }
  }

  @Test("The requests of one connection wait for one check of their password")
  func together() async throws {
    let session = makeSession(try ProviderDirectory([passwordProvider]), waiting: 1)
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 1...20 { group.addTask { try await session.provider(of: BasicCredential([basic()])).name } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(names == Array(repeating: "ringer", count: 20))
  }

  @Test("Checks above the limit are refused until others are done")
  func crowded() async throws {
    let checker = PasswordChecker(waiting: 4, perAddress: 16)
    let results = await withTaskGroup(of: Bool?.self) { group in
      for _ in 1...24 {
        group.addTask { await checker.check(Array("wrong horse".utf8), against: passwordHash, from: "a") }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.contains(false) && results.contains(nil) && !results.contains(true))
    #expect(await checker.check(Array(password.utf8), against: passwordHash, from: "a") == true)
  }

  @Test("Known clients' checks come first, in their order")
  func knownFirst() {
    var turns = PasswordChecker.Turns<Int>()
    for (check, isKnown) in [(1, false), (2, false), (3, true), (4, false), (5, true)] { turns.add(check, isKnown) }
    #expect((1...6).map { _ in turns.next() } == [3, 5, 1, 2, 4, nil])
  }

  @Test("One address has a limited number of waiting checks")
  func crowdedAddress() async throws {
    let checker = PasswordChecker(waiting: 16, perAddress: 2)
    func check(_ address: String) async -> Bool? {
      await checker.check(Array("wrong horse".utf8), against: passwordHash, from: address)
    }
    async let first = check("a")
    async let second = check("a")
    async let third = check("a")
    async let other = check("b")
    #expect(await other == false)
    let results = await [first, second, third]
    // The first two were checked; a third is checked too if it comes after they are done.
    #expect(results.count { $0 == false } >= 2)
    let many = await withTaskGroup(of: Bool?.self) { group in
      for _ in 1...12 { group.addTask { await check("a") } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(many.contains(nil) && many.contains(false))
  }
}
