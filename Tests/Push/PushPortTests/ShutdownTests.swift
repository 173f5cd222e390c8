// Tests of the server's end with silent clients: they read nothing, so they answer neither PING nor the end of TLS.

import NIOHPACK
import TestSupport
import Testing

@testable import PushPort

@Suite("Shutdown with silent clients") struct ShutdownTests {
  private let provider = TestProvider()

  private var limits: PortLimits {
    var limits = PortLimits.patient
    (limits.shutdownDuration, limits.closingDuration) = (.seconds(3_600), .seconds(3_600))
    return limits
  }

  private var headers: HPACKHeaders {
    [
      ":method": "POST", ":scheme": "https", ":path": path, ":authority": "localhost",
      "authorization": "bearer \(provider.token())", "apns-topic": bell.text,
    ]
  }

  private let body = #"{"aps":{"badge":1}}"#

  @Test("Shutdown does not wait for a silent client", arguments: ["idle", "half a request", "half a frame"])
  func silent(kind: String) async throws {
    let receiver = RecordingReceiver()
    let server = try await TestServer(receiver, providers: provider.directory, limits: limits)
    var client = try await RawClient(server)
    #expect(try await client.send(headers, body).status == 200)
    switch kind {
    case "half a request": try await client.write(try client.request(headers, ends: false))
    case "half a frame": try await client.write([0, 0, 9, 0])
    default: break
    }
    try await client.stopReading()
    let time = await ContinuousClock().measure { await server.pushServer.shutDown() }
    // NIOSSL alone waits for 5 s.
    #expect(time < .seconds(4))
    #expect(server.pushServer.connectionCount == 0)
    await client.close()
  }

  @Test("Shutdown waits for a request's commit, however long it takes, but not for a silent client")
  func underWay() async throws {
    var limits = limits
    limits.silenceAtShutdown = .milliseconds(10)
    let receiver = RecordingReceiver(outcome: nil)
    let server = try await TestServer(receiver, providers: provider.directory, limits: limits)
    var client = try await RawClient(server)
    let stream = client.stream
    let head = try client.request(headers, ends: false)
    try await client.write(head + frame(FrameHeader.Kind.data, flags: 1, stream, Array(body.utf8)))
    for await _ in receiver.arrivals { break }
    let other = try await RawClient(server)
    try await other.stopReading()
    async let down: Void = server.pushServer.shutDown()
    try await wait { server.pushServer.connectionCount == 1 }
    receiver.release(.stored(.accepted))
    #expect(try await client.response(on: stream).status == 200)
    await client.close()
    await other.close()
    await down
  }
}
