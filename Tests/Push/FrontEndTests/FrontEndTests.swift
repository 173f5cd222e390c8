// A port is a list of front ends, and a new one is a file and a line: over real sockets, with TLS and without, in either
// version of HTTP.

import Foundation
import HTTP
import HandsetCore
import Logging
import NIOPosix
import ProviderClient
import PushPort
import ServerIdentity
import Synchronization
import Testing

/// Accepts every push.
private final class Pushes: PushReceiver, PublishingReceiver {
  let texts = Mutex<[MessageText?]>([])
  let refused = Mutex<[RefusedPush]>([])

  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    texts.withLock { $0.append(push.message?.body) }
    completion(.stored(.accepted))
  }

  func note(_ refusal: RefusedPush) { refused.withLock { $0.append(refusal) } }
  func isKnown(_ device: DeviceID) -> Bool { false }
  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome { .failed("no nodes") }
  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished { .noNode }
}

@Suite("Front ends", .timeLimit(.minutes(10)))
struct FrontEndTests {
  private let pushes = Pushes()

  private func start(identity: TLSIdentity?) async throws -> (server: PushServer, port: Int) {
    // Beside others on a busy machine a client may take its time.
    var limits = PortLimits.standard
    (limits.handshakeDuration, limits.bodyDuration) = (.seconds(300), .seconds(300))
    (limits.answerDuration, limits.discardDuration) = (.seconds(300), .seconds(300))
    let port = Port(
      recorder: pushes, providers: try ProviderDirectory(), limits: limits,
      runtime: PortRuntime(
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton))
    let server = try PushServer(
      port,
      frontEnds: [
        APNsFrontEnd(pushes),
        ToyFrontEnd(receiver: pushes),
        PublishingFrontEnd(pushes, limits: .standard),
      ], identity: identity)
    return (server, try #require(try await server.start(host: "127.0.0.1", port: 0).port))
  }

  @Test("Without TLS, over HTTP/1.1: each request goes to the first front end that claims it, else to the last")
  func plain() async throws {
    let (server, port) = try await start(identity: nil)
    // On a busy machine a connection may take its time.
    var patient = HTTPClient.Limits()
    patient.connectTimeout = .seconds(300)
    let client = HTTPClient(.tcp(host: "127.0.0.1", port: port), limits: patient)
    func send(_ method: String, _ path: String, _ text: String = "") async throws -> String {
      let answer = try await client.send(method, path, body: Array(text.utf8))
      return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    }
    #expect(try await send("PUT", "/toy/1", "tea") == "200 it rings\n")
    #expect(try await send("PUT", "/toy/1", String(repeating: "x", count: 16)) == "200 it rings\n")
    #expect(
      try await send("PUT", "/toy/1", String(repeating: "x", count: 17))
        == "413 the body is too large; at most 16 bytes\n")
    #expect(try await send("GET", "/toy/1") == "405 PUT a text\n")
    #expect(try await send("POST", "/3/device/00").hasPrefix("505 the provider API"))
    #expect(try await send("PUT", "/a/b/c").hasPrefix("401 user and password are missing"))
    await server.shutDown()
    #expect(pushes.texts.withLock { $0 } == [.literal("tea"), .literal(String(repeating: "x", count: 16))])
    #expect(pushes.refused.withLock { $0.map(\.reason) } == ["Unauthorized"])
  }

  @Test("With TLS, over HTTP/2")
  func encrypted() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "front-end-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let authority = try CertificateAuthority.loadOrCreate(
      in: folder + "/tls", now: PortClock.system.real(), names: CertificateNames(["localhost"]))
    let (server, port) = try await start(identity: authority.identity)
    let connection = try await ProviderConnection.connect(
      to: Endpoint(host: "localhost", port: port), trust: .authorities(pem: authority.certificatePEM))
    let user = PublishingUser(name: "toy", password: "none")
    func put(_ text: String, publisher: String) async throws -> Int {
      let node = PublishingCall.Node(publisher: publisher, device: "b", name: "c")
      return try await connection.send(.publish(Array(text.utf8), through: node), as: user).status
    }
    #expect(try await put("coffee", publisher: "toy") == 200)
    #expect(try await put(String(repeating: "x", count: 17), publisher: "toy") == 413)
    #expect(try await put("coffee", publisher: "3") == 405)
    #expect(try await put("coffee", publisher: "other") == 401)
    await connection.close()
    await server.shutDown()
    #expect(pushes.texts.withLock { $0 } == [.literal("coffee")])
  }
}
