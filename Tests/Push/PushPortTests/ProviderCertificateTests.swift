import Clocks
import Foundation
import HandsetCore
import NIOCore
import Testing

@testable import PushPort

private let other = AppID("com.example.other")!
private let body = #"{"aps":{"alert":"It rings"}}"#

@Suite("Provider certificates")
struct ProviderCertificateTests {
  @Test("Topics come from the subject's UID and from Apple's extension, environments from Apple's marks")
  func content() throws {
    let plain = try TestCertificate().certificate
    #expect(plain.topics == ["com.example.bell"])
    #expect(plain.environment == .both)
    #expect(plain.validFrom == WallTime(seconds: 1_577_836_800))
    #expect(plain.validUntil == WallTime(seconds: 2_082_758_400))
    let full = try TestCertificate(
      topics: [("com.example.bell", ["app"]), ("com.example.bell.voip", ["voip"]), ("com.example.x", ["a", "b"])],
      marks: [1, 2]
    ).certificate
    #expect(full.topics == ["com.example.bell", "com.example.bell.voip", "com.example.x"])
    #expect(full.environment == .both)
    #expect(try TestCertificate(userID: nil, topics: [("a.b", [])]).certificate.topics == ["a.b"])
    #expect(try TestCertificate(marks: [1]).certificate.environment == .development)
    #expect(try TestCertificate(marks: [2]).certificate.environment == .production)
  }

  @Test("Of a file with a key and other content only the certificate is read")
  func file() throws {
    let certificate = try TestCertificate()
    let alone = try certificate.certificate
    let bags = "Bag Attributes\n    friendlyName: push\nsubject=UID = com.example.bell\n"
    let mixed = try ProviderCertificate(pem: certificate.keyPEM + bags + certificate.pem)
    #expect(mixed == alone)
    #expect(mixed.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(!mixed.pem.contains("PRIVATE"))
    #expect(try ProviderCertificate(pem: mixed.pem) == alone)
    #expect(alone.fingerprint.description.count == 64)
    #expect(try TestCertificate().certificate.fingerprint != alone.fingerprint)
  }

  @Test("Certificates that are no provider's are refused")
  func refused() throws {
    #expect(throws: ProviderError.badCertificate) {
      try ProviderCertificate(pem: "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n")
    }
    #expect(throws: ProviderError.noTopics) { try TestCertificate(userID: nil).certificate }
    for bytes: [UInt8] in [[], [0x30], [5, 0], [0x30, 2, 5, 0], [0x30, 3, 0x0C, 1, 0x61]] {
      #expect(throws: ProviderError.badTopicsExtension) { try TestCertificate(topicBytes: bytes).certificate }
    }
  }

  @Test("A provider has all apps of its certificate, or some of them, and no others")
  func apps() throws {
    let certificate = try TestCertificate(
      topics: [(bell.text, ["app"]), (bell.text + ".voip", ["voip"]), (other.text + ".voip", ["voip"])])
    #expect(try certificate.provider().topics == [bell, other])
    #expect(try certificate.provider(topics: [other]).topics == [other])
    let foreign = AppID("com.example.foreign")!
    #expect(
      throws: ProviderError.appNotInCertificate(
        foreign, topics: ["com.example.bell", "com.example.bell.voip", "com.example.other.voip"])
    ) {
      try certificate.provider(topics: [bell, foreign])
    }
  }

  @Test("Two providers with one certificate are refused, and nothing changes")
  func sameCertificate() throws {
    let certificate = try TestCertificate()
    let directory = try ProviderDirectory([certificate.provider()])
    let generation = directory.generation
    #expect(throws: ProviderError.sameCertificate(first: "certified", second: "again")) {
      try directory.replace(with: [certificate.provider(), certificate.provider("again")])
    }
    #expect(directory.generation == generation)
  }

  @Test("A certificate is valid from its first second to its last; the first is ignored until the clock is set")
  func validity() throws {
    let certificate = try TestCertificate(
      from: Date(timeIntervalSince1970: 1_000), until: Date(timeIntervalSince1970: 2_000))
    let directory = try ProviderDirectory([certificate.provider()])
    let fingerprint = try certificate.certificate.fingerprint
    func reason(at seconds: Int64, isSynchronised: Bool = true) -> String? {
      var verifier = ClientCertificate(fingerprint)
      let clock = PortClock.standing(at: WallTime(seconds: seconds), isSynchronised: isSynchronised)
      do throws(APNsRefusal) {
        _ = try verifier.provider(in: testPort(directory, clock: clock))
        return nil
      } catch {
        return error.reason.rawValue
      }
    }
    #expect(reason(at: 999) == "BadCertificate")
    #expect(reason(at: 999, isSynchronised: false) == nil)
    #expect(reason(at: 1_000) == nil)
    #expect(reason(at: 2_000) == nil)
    #expect(reason(at: 2_001) == "BadCertificate")
    #expect(reason(at: 2_001, isSynchronised: false) == "BadCertificate")
  }

  @Test("Joined to a virtual clock, a certificate begins and ends by it")
  func joinedValidity() throws {
    let certificate = try TestCertificate(
      from: Date(timeIntervalSince1970: 1_000), until: Date(timeIntervalSince1970: 2_000))
    let clock = VirtualClock(startingAt: Moment(uptime: .zero, wall: WallTime(seconds: 999)))
    let port = try testPort(ProviderDirectory([certificate.provider()]), clock: .joined(to: clock))
    var verifier = ClientCertificate(try certificate.certificate.fingerprint)
    func reason() -> String? {
      do throws(APNsRefusal) {
        _ = try verifier.provider(in: port)
        return nil
      } catch {
        return error.reason.rawValue
      }
    }
    #expect(reason() == "BadCertificate")
    clock.move(by: .seconds(1))
    #expect(reason() == nil)
    clock.move(by: .seconds(1_001))
    #expect(reason() == "BadCertificate")
  }
}

@Suite("The push port and client certificates", .timeLimit(.minutes(10)))
struct ClientCertificateTests {
  private let certificate: TestCertificate
  private let directory: ProviderDirectory

  init() throws {
    certificate = try TestCertificate()
    directory = try ProviderDirectory([certificate.provider()])
  }

  @Test("With a certificate no token is needed, authorization is ignored, and all streams are allowed at once")
  func accepted() async throws {
    let client = try await TestClient(TestServer(providers: directory), certificate: certificate)
    #expect(try await client.send(fields(), body).status == 200)
    #expect(try await client.send(fields(authorization: "bearer x"), body).status == 200)
    try await client.close()
    #expect(await client.allowedStreams() == [1_000])
  }

  @Test("An unknown certificate is refused on each request, even beside a good token, and allows one stream")
  func stranger() async throws {
    let provider = TestProvider()
    let server = try await TestServer(providers: provider.directory)
    let client = try await TestClient(server, certificate: certificate)
    let answer = try await client.send(fields(authorization: "bearer \(provider.token())"), body)
    #expect(answer.status == 403)
    #expect(answer.body == #"{"reason":"BadCertificate"}"#)
    try await client.close()
    #expect(await client.allowedStreams() == [1])
    let without = try await TestClient(server)
    #expect(try await without.send(fields(authorization: "bearer \(provider.token())"), body).status == 200)
  }

  @Test("A certificate that is added while its connection is open is accepted from then on")
  func added() async throws {
    let directory = try ProviderDirectory()
    let client = try await TestClient(TestServer(providers: directory), certificate: certificate)
    #expect(try await client.send(fields(), body).status == 403)
    try directory.replace(with: [certificate.provider()])
    #expect(try await client.send(fields(), body).status == 200)
  }

  @Test("A connection with a certificate keeps its place from the start")
  func keepsItsPlace() async throws {
    let server = try await TestServer(providers: directory, limits: .patient { $0.connections = 1 })
    let client = try await TestClient(server, certificate: certificate)
    // The limits of an authenticated client: from here on the connection belongs to a provider.
    #expect(await client.allowedStreams(1) == [1_000])
    await #expect(throws: (any Error).self) {
      let late = try await TestClient(server)
      _ = try await late.send(fields(), body)
    }
    #expect(try await client.send(fields(), body).status == 200)
  }

  @Test("Requests with a certificate count in its provider's rate, over all connections")
  func pace() async throws {
    var limits = PortLimits.patient
    limits.requestsPerSecond = 1
    limits.burstSeconds = 2
    var clock = PortClock.standing()
    clock.uptime = { .seconds(1_000) }
    let server = try await TestServer(providers: directory, limits: limits, clock: clock)
    let first = try await TestClient(server, certificate: certificate)
    let second = try await TestClient(server, certificate: certificate)
    for client in [first, second] { #expect(try await client.send(fields(), body).status == 200) }
    for client in [first, second] {
      let refused = try await client.send(fields(), body)
      #expect(refused.body == #"{"reason":"TooManyRequests"}"#)
      #expect(refused.retryAfter == "1")
    }
  }

  @Test("An unknown certificate is a failed authentication; one for the other environment is none")
  func failures() async throws {
    var limits = PortLimits.patient
    (limits.failuresBeforeDelay, limits.failuresBeforeEnd) = (1, 1)
    limits.failureForgiveness = .seconds(3_600)
    let sandbox = try TestCertificate(marks: [1])
    let server = try await TestServer(providers: ProviderDirectory([sandbox.provider()]), limits: limits)
    let known = try await TestClient(server, certificate: sandbox)
    for _ in 0..<4 {
      #expect(try await known.send(fields(), body).body == #"{"reason":"BadCertificateEnvironment"}"#)
    }
    let stranger = try await TestClient(server, certificate: certificate)
    for _ in 0..<2 { #expect(try await stranger.send(fields(), body).body == #"{"reason":"BadCertificate"}"#) }
    try await stranger.channel.closeFuture.get()
    #expect(try await known.send(fields(), body).body == #"{"reason":"BadCertificateEnvironment"}"#)
  }

  @Test("As many certificates as are allowed, and one more")
  func count() async throws {
    let server = try await TestServer(providers: directory, limits: .patient { $0.clientCertificates = 2 })
    let two = try await TestClient(server, certificate: certificate, certificates: 2)
    #expect(try await two.send(fields(), body).status == 200)
    try await two.close()
    await #expect(throws: (any Error).self) {
      let three = try await TestClient(server, certificate: certificate, certificates: 3)
      _ = try await three.send(fields(), body)
    }
  }

  @Test("As many bytes of certificates as are allowed, and one more")
  func bytes() async throws {
    let der = try #require(
      Data(base64Encoded: certificate.pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
    for (allowed, isTaken) in [(der.count, true), (der.count - 1, false)] {
      let server = try await TestServer(providers: directory, limits: .patient { $0.clientCertificateBytes = allowed })
      let answer = try? await TestClient(server, certificate: certificate)
        .send(fields(), body)
      #expect((answer?.status == 200) == isTaken)
    }
  }
}
