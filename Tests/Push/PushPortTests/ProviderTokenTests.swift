import Crypto
import Foundation
import HandsetCore
import ServerIdentity
import Synchronization
import Testing

@testable import PushPort

@Suite("Provider tokens")
struct ProviderTokenTests {
  private let provider = TestProvider()
  private let verifier = ProviderTokenVerifier(limits: .standard)

  private func reason(_ token: String, at time: WallTime = now, isSynchronised: Bool = true) -> String? {
    let verifier = ProviderTokenVerifier(limits: .standard)
    return verifier.refusal(of: token, in: provider.directory, at: time, isSynchronised: isSynchronised)?
      .reason.rawValue
  }

  @Test("A good token is accepted, whatever else is in its header and claims")
  func good() throws {
    #expect(reason(provider.token()) == nil)
    let wordy = provider.token(
      header: #"{"typ":"JWT","kid":"KEY0123456","alg":"ES256"}"#,
      claims: #"{"iat":1795248000.25,"iss":"TEAM012345","exp":1}"#)
    #expect(reason(wordy) == nil)
  }

  @Test(
    "The age is limited to 1 h back and 5 min ahead, to the second",
    arguments: [(3_600, nil), (3_601, "ExpiredProviderToken"), (-300, nil), (-301, "InvalidProviderToken")])
  func age(_ seconds: Int64, _ expected: String?) {
    #expect(reason(provider.token(), at: WallTime(seconds: 1_795_248_000 + seconds)) == expected)
  }

  @Test("Extreme times are compared without overflow")
  func longestAge() {
    let first = provider.token(issuedAt: WallTime(seconds: 0))
    #expect(reason(first, at: WallTime(microseconds: .min)) == "InvalidProviderToken")
    #expect(reason(first, at: WallTime(microseconds: .max)) == "ExpiredProviderToken")
  }

  @Test("Until the clock is set a token may be from any time ahead, but not too old")
  func unsetClock() {
    #expect(reason(provider.token(), at: WallTime(seconds: 0), isSynchronised: false) == nil)
    let later = WallTime(seconds: 1_795_248_000 + 3_601)
    #expect(reason(provider.token(), at: later, isSynchronised: false) == "ExpiredProviderToken")
  }

  @Test(
    "Malformed tokens are invalid",
    arguments: [
      "x", "a.b", "a.b.c.d", "..", "e30.e30.", "%%%.e30.AAAA", String(repeating: "a", count: 2_049),
    ])
  func malformed(_ token: String) {
    #expect(reason(token) == "InvalidProviderToken")
  }

  @Test(
    "Headers that are refused",
    arguments: [
      #"{"alg":"none","kid":"KEY0123456"}"#, #"{"alg":"HS256","kid":"KEY0123456"}"#, #"{"kid":"KEY0123456"}"#,
      #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"KEY012345"}"#, #"{"alg":"ES256","kid":7}"#,
      #"{"alg":"ES256","kid":"KEY0123457"}"#, #"{"alg":"ES256","kid":"KEY0123456","crit":["x"]}"#, "[]", "x",
    ])
  func headers(_ header: String) {
    #expect(reason(provider.token(header: header)) == "InvalidProviderToken")
  }

  @Test(
    "Claims that are refused",
    arguments: [
      #"{"iat":1795248000}"#, #"{"iss":"TEAM012345"}"#, #"{"iss":"TEAM012345","iat":"1795248000.5"}"#,
      #"{"iss":"TEAM012345","iat":"-1"}"#, #"{"iss":"TEAM012345","iat":""}"#, #"{"iss":"TEAM012345","iat":"now"}"#,
      #"{"iss":"TEAM012345","iat":"99999999999999999999"}"#, #"{"iss":"TEAM012345","iat":true}"#,
      #"{"iss":"TEAM012345","iat":[1795248000]}"#, #"{"iss":"TEAM012345","iat":null}"#,
      #"{"iss":"TEAM01234","iat":1795248000}"#, #"{"iss":"TEAM012346","iat":1795248000}"#,
      #"{"iss":"TEAM012345","iat":-1}"#, #"{"iss":"TEAM012345","iat":1e300}"#,
    ])
  func claims(_ claims: String) {
    #expect(reason(provider.token(claims: claims)) == "InvalidProviderToken")
  }

  /// Returns the reason for refusing a token, or else its deviations from the documentation.
  private func lint(_ token: String) -> [String] {
    let verifier = ProviderTokenVerifier(limits: .standard)
    if let refusal = verifier.refusal(of: token, in: provider.directory) { return [refusal.reason.rawValue] }
    let faults = verifier.takeFaults()
    #expect(faults.allSatisfy { $0.path == "authorization" })
    #expect(verifier.takeFaults() == [])
    return faults.map(\.problem)
  }

  private static let numbers = "Apple's documentation asks for ES256, whose signature is two numbers of 32 bytes"
  private static let es512 = #"{"alg":"ES512","kid":"KEY0123456"}"#

  @Test("Signatures of common libraries: DER, and of another digest with zeros before each number")
  func signatures() {
    #expect(lint(provider.token()) == [])
    #expect(
      lint(provider.token { try! $0.signature(for: $1).derRepresentation })
        == ["the signature is DER; \(Self.numbers)"])
    func sign512(_ key: P256.Signing.PrivateKey, _ data: Data) -> P256.Signing.ECDSASignature {
      try! key.signature(for: SHA512.hash(data: data))
    }
    func padded(_ signature: P256.Signing.ECDSASignature, with byte: UInt8 = 0) -> Data {
      let zeros = Data(repeating: 0, count: 33) + [byte]
      return zeros + signature.rawRepresentation.prefix(32) + zeros + signature.rawRepresentation.suffix(32)
    }
    let algorithm = "alg is ES512; Apple's documentation asks for ES256"
    #expect(
      lint(provider.token(header: Self.es512) { padded(sign512($0, $1)) })
        == [algorithm, "the signature is two numbers of 66 bytes; \(Self.numbers)"])
    #expect(
      lint(provider.token(header: Self.es512) { sign512($0, $1).derRepresentation })
        == [algorithm, "the signature is DER; \(Self.numbers)"])
    #expect(lint(provider.token(header: Self.es512) { sign512($0, $1).rawRepresentation }) == [algorithm])
    // `alg` decides the digest, and the padding of the numbers must be zeros.
    let invalid = ["InvalidProviderToken"]
    #expect(lint(provider.token(header: Self.es512)) == invalid)
    #expect(lint(provider.token { sign512($0, $1).rawRepresentation }) == invalid)
    #expect(lint(provider.token(header: Self.es512) { padded(sign512($0, $1), with: 1) }) == invalid)
  }

  @Test("Malformed signatures are invalid")
  func noSignatures() {
    for change: (Data) -> Data in [
      { _ in Data() }, { $0.dropLast() }, { $0 + [0] }, { Data($0.reversed()) },
      { _ in Data(repeating: 0, count: 132) },
      // Numbers with a trailing byte, which is not DER.
      { Data([0x30, $0[1] + 2]) + $0.dropFirst(2) + [0, 0] },
    ] {
      #expect(
        lint(provider.token { change(try! $0.signature(for: $1).derRepresentation) }) == ["InvalidProviderToken"])
    }
    let stranger = TestProvider()
    #expect(
      lint(stranger.token { try! $0.signature(for: $1).derRepresentation }) == ["InvalidProviderToken"])
  }

  @Test(
    "iat as libraries write it",
    arguments: [
      ("1795248000", []), ("1795248000.0", []), ("1.795248e9", []),
      ("\"1795248000\"", ["iat is a string; Apple's documentation asks for a number"]),
      ("1795247999.7512", ["iat is 1795247999.7512; Apple's documentation asks for whole seconds"]),
    ])
  func issuedAt(_ json: String, _ expected: [String]) {
    #expect(lint(provider.token(claims: "{\"iss\":\"TEAM012345\",\"iat\":\(json)}")) == expected)
  }

  @Test("Deviations of a token are reported once on each connection, with an accepted push")
  func toldOnce() async throws {
    let receiver = RecordingReceiver()
    let server = try await TestServer(receiver, providers: provider.directory, limits: .patient)
    let client = try await TestClient(server)
    let tokens = (0..<2).map { second in
      provider.token(issuedAt: now.advanced(by: .seconds(second))) { try! $0.signature(for: $1).derRepresentation }
    }
    let body = #"{"aps":{"alert":"x"}}"#
    let first = fields(authorization: "bearer \(tokens[0])")
    // Refused after its token was verified: the next accepted request reports the fault.
    #expect(
      try await client.send(fields(["apns-priority": "7"], authorization: "bearer \(tokens[0])"), body).status == 400)
    for _ in 0..<3 { #expect(try await client.send(first, body).status == 200) }
    #expect(try await client.send(fields(authorization: "bearer \(tokens[1])"), body).status == 200)
    #expect(try await client.send(first, body).status == 200)
    try await client.close()
    let next = try await TestClient(server)
    #expect(try await next.send(first, body).status == 200)
    let told = ["authorization"]
    #expect(receiver.pushes.map { $0.faults.map(\.path) } == [told, [], [], told, [], told])
  }

  @Test("A forged or altered token is reported as invalid, not as expired")
  func forged() {
    let stranger = TestProvider()
    let old = WallTime(seconds: 1_795_248_000 - 9_999)
    #expect(reason(stranger.token()) == "InvalidProviderToken")
    #expect(reason(stranger.token(issuedAt: old)) == "InvalidProviderToken")
    let parts = provider.token(issuedAt: old).split(separator: ".")
    let fresh = provider.token().split(separator: ".")
    #expect(reason("\(parts[0]).\(fresh[1]).\(parts[2])") == "InvalidProviderToken")
  }

  @Test("The detail has figures and not the token")
  func detail() {
    let refusal = verifier.refusal(of: provider.token(issuedAt: moment(-3_700)), in: provider.directory)
    #expect(refusal?.detail == "iat is 3,700 s old; at most 3,600 s are allowed")
  }

  @Test("A remembered token is checked again for its age and its provider")
  func remembered() throws {
    let directory = provider.directory
    let token = provider.token()
    func ask(_ seconds: Int64 = 0) throws(APNsRefusal) -> Set<AppID> {
      try verifier.provider(for: token.utf8, in: directory, now: moment(seconds), clockIsSynchronised: { true }).topics
    }
    #expect(try ask() == [bell])
    let other = AppID("com.example.other")!
    try directory.replace(with: [provider.provider(topics: [other])])
    #expect(try ask() == [other])
    #expect(throws: APNsRefusal.self) { try ask(3_601) }
    // The same names with another key: verifications with the old key no longer count.
    try directory.replace(with: [TestProvider().provider()])
    #expect(throws: APNsRefusal.self) { try ask() }
    try directory.replace(with: [])
    #expect(throws: APNsRefusal.self) { try ask() }
    try directory.replace(with: [provider.provider()])
    #expect(try ask() == [bell])
  }

  @Test("The same field again is recognised by its bytes, until its token is too old or the providers change")
  func again() throws {
    let directory = provider.directory
    let field = Array("Bearer  \(provider.token())".utf8)
    func ask(_ field: [UInt8], _ seconds: Int64 = 0) -> String? {
      verifier.provider(again: field[...], in: directory, now: moment(seconds))?.name
    }
    #expect(ask([]) == nil)
    #expect(ask(field) == nil)
    let name = try verifier.provider(
      for: field[8...], of: field[...], in: directory, now: moment(0), clockIsSynchronised: { true }
    ).name
    #expect(ask(field) == name)
    #expect(ask(field, 3_600) == name)
    for seconds in [-1, 3_601] as [Int64] { #expect(ask(field, seconds) == nil) }
    var other = field
    other[other.count - 1] ^= 1
    for wrong in [other, Array(field.dropLast()), field + [0x20], []] { #expect(ask(wrong) == nil) }
    try directory.replace(with: [provider.provider()])
    #expect(ask(field) == nil)
  }

  @Test("A second new token of a key within 20 minutes on a connection is one too many")
  func updates() throws {
    let directory = provider.directory
    func reason(_ issued: Int64, at seconds: Int64) -> String? {
      verifier.refusal(of: provider.token(issuedAt: moment(issued)), in: directory, at: moment(seconds))?
        .reason.rawValue
    }
    #expect(reason(0, at: 0) == nil)
    #expect(reason(1, at: 1) == nil)
    #expect(reason(2, at: 2) == "TooManyProviderTokenUpdates")
    #expect(reason(3, at: 1_200) == "TooManyProviderTokenUpdates")
    #expect(reason(4, at: 1_201) == nil)
  }

  @Test("The signatures checked on a connection are limited in rate; above it tokens are refused unchecked")
  func checks() {
    var limits = PortLimits.standard
    limits.checkedTokens = 3
    let uptime = Mutex(Duration.zero)
    let verifier = ProviderTokenVerifier(limits: limits, uptime: { uptime.withLock { $0 } })
    let directory = provider.directory
    func reason(_ token: String) -> String? { verifier.refusal(of: token, in: directory)?.reason.rawValue }
    let old = (1...4).map { provider.token(issuedAt: now.advanced(by: .seconds(-3_600 - $0))) }
    let forged = provider.token { _, data in try! P256.Signing.PrivateKey().signature(for: data).rawRepresentation }
    #expect(reason(old[0]) == "ExpiredProviderToken")
    #expect(reason(old[1]) == "ExpiredProviderToken")
    for _ in 1...5 { #expect(reason(forged) == "InvalidProviderToken") }
    for token in [old[0], old[2], provider.token()] { #expect(reason(token) == "TooManyProviderTokenUpdates") }
    #expect(reason(forged) == "InvalidProviderToken")
    uptime.withLock { $0 += limits.failureForgiveness + .milliseconds(1) }
    let good = provider.token()
    #expect(reason(good) == nil)
    #expect(reason(old[3]) == "TooManyProviderTokenUpdates")
    #expect(reason(good) == nil)
  }

  /// Returns a verifier's reasons for refusing one token after the other.
  private func reasons(
    _ tokens: [(String, Int64)], _ directory: ProviderDirectory, environment: PushEnvironment = .production
  ) -> [String?] {
    let verifier = ProviderTokenVerifier(limits: .standard, environment: environment)
    return tokens.map { token, seconds in
      verifier.refusal(of: token, in: directory, at: moment(seconds))?.reason.rawValue
    }
  }

  @Test("The first good token binds its connection to its key and team")
  func pinning() throws {
    let sibling = TestProvider(keyID: "KEY9999999")
    let stranger = TestProvider(teamID: "TEAM999999")
    let unknown = TestProvider(keyID: "KEY0000000")
    let directory = try ProviderDirectory([
      provider.provider(), sibling.provider("sibling"), stranger.provider("stranger"),
    ])
    #expect(
      reasons(
        [
          (unknown.token(), 0), (provider.token(), 0), (sibling.token(), 1), (stranger.token(), 1),
          (unknown.token(), 1), (provider.token(), 1),
        ], directory) == [
          "InvalidProviderToken", nil, "UnrelatedKeyIdInToken", "UnrelatedKeyIdInToken", "InvalidProviderToken", nil,
        ])
    // A refused token decides nothing.
    #expect(
      reasons([(sibling.token(), 3_601), (provider.token(issuedAt: now.advanced(by: .seconds(60))), 3_601)], directory)
        == ["ExpiredProviderToken", nil])
  }

  @Test("Another key does not count as a change of the token")
  func unrelatedIsNoUpdate() throws {
    let sibling = TestProvider(keyID: "KEY9999999")
    let directory = try ProviderDirectory([provider.provider(), sibling.provider("sibling")])
    let tokens = (0..<3).map { provider.token(issuedAt: now.advanced(by: .seconds($0))) }
    #expect(
      reasons(
        [(tokens[0], 2), (sibling.token(), 3), (tokens[1], 4), (sibling.token(), 5), (tokens[2], 6)], directory)
        == [nil, "UnrelatedKeyIdInToken", nil, "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates"])
  }

  @Test(
    "A key is good for the services that it was added for",
    arguments: [
      (CredentialEnvironment.both, PushEnvironment.development, nil), (.both, .production, nil),
      (.development, .development, nil), (.development, .production, "BadEnvironmentKeyIdInToken"),
      (.production, .development, "BadEnvironmentKeyIdInToken"), (.production, .production, nil),
    ])
  func environments(_ key: CredentialEnvironment, _ service: PushEnvironment, _ expected: String?) throws {
    let directory = try ProviderDirectory([provider.provider(environment: key)])
    #expect(reasons([(provider.token(), 0)], directory, environment: service) == [expected])
    // Also if the token is remembered, and the provider was added again.
    let verifier = ProviderTokenVerifier(limits: .standard, environment: service)
    let token = provider.token()
    try directory.replace(with: [provider.provider()])
    #expect(verifier.refusal(of: token, in: directory) == nil)
    try directory.replace(with: [provider.provider(environment: key)])
    #expect(verifier.refusal(of: token, in: directory)?.reason.rawValue == expected)
  }

  @Test("The number of remembered tokens is limited; a new one replaces the oldest")
  func bounded() {
    var limits = PortLimits.standard
    limits.rememberedTokens = 2
    limits.tokenUpdateInterval = .zero
    let verifier = ProviderTokenVerifier(limits: limits)
    let directory = provider.directory
    let tokens = (0..<3).map { provider.token(issuedAt: moment($0)) }
    for token in tokens + tokens {
      #expect(verifier.refusal(of: token, in: directory) == nil)
      #expect(verifier.rememberedCount <= 2)
    }
    #expect(verifier.rememberedCount == 2)
  }

  @Test("Comparing secrets takes the same time wherever they differ")
  func comparison() {
    func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
      right.withUnsafeBufferPointer { isEqualInConstantTime(left, $0) }
    }
    // So large that stopping at the first difference would be a million times as fast. The best of several runs, as
    // this machine may be busy.
    let secret = [UInt8](repeating: 7, count: 8 << 20)
    func time(differingAt place: Int) -> Duration {
      var other = secret
      other[place] = 8
      return (0..<5).map { _ in ContinuousClock().measure { #expect(!isEqual(secret, other)) } }.min() ?? .zero
    }
    let (first, last) = (time(differingAt: 0), time(differingAt: secret.count - 1))
    #expect(first * 10 > last && last * 10 > first)
    #expect(isEqual([], []))
    #expect(isEqual([1, 2, 3], [1, 2, 3]))
    #expect(!isEqual([1, 2, 3], [1, 2, 4]))
    #expect(!isEqual([1, 2, 3], [1, 2]))
  }
}

/// Returns the moment so many seconds after the tests' current time.
private func moment(_ seconds: Int64) -> WallTime { now.advanced(by: .seconds(seconds)) }
