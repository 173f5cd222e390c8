// Tests of the number of HTTP/2 streams a client may have open, and of how much of a refused request is read.

import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

extension ConnectionLimitTests {
  @Test("One stream before the first valid token, then as many as are allowed; one more is refused, and only that")
  func streams() async throws {
    var limits = PortLimits.patient
    limits.streams = 2
    limits.streamsBeforeFirstToken = 1
    let refused = UInt32(HTTP2ErrorCode.refusedStream.networkCode)
    try await withServer(providers: provider.directory, limits: limits) { _, port, authority in
      var stranger = try await RawClient(port: port, authority: authority)
      try await stranger.acknowledgeSettings()
      let unknown = fields(authorization: "bearer " + TestProvider().token())
      try await stranger.write(try stranger.request(unknown, ends: false) + stranger.request(good, ends: false))
      #expect(await stranger.reset(of: 3) == refused)
      await stranger.close()

      var client = try await RawClient(port: port, authority: authority)
      try await client.acknowledgeSettings()
      try await client.write(
        try client.request(good, ends: false) + client.request(good, ends: false) + client.request(good, ends: false))
      #expect(await client.reset(of: 5) == refused)
      try await client.write(frame(FrameHeader.Kind.data, flags: 1, 3, Array(body.utf8)))
      #expect(try await client.response(on: 3).status == 200)
      await client.close()
    }
  }

  @Test("As much of a refused request's body is thrown away as is allowed; with one byte more its stream is reset")
  func discarded() async throws {
    try await withClient(.patient { $0.discardedBytes = 1_000 }) { client in
      for bytes in [1_000, 1_001] {
        let stream = client.stream
        try await client.write(
          try client.request(bad, ends: false)
            + frame(FrameHeader.Kind.data, stream, Array(repeating: 1, count: bytes)))
        #expect(try await client.response(on: stream).status == 400)
        if bytes == 1_000 {
          try await client.write(frame(FrameHeader.Kind.data, flags: 1, stream))
          #expect(try await client.send(good, body).status == 200)
        } else {
          #expect(await client.reset(of: stream) != nil)
        }
      }
    }
  }
}
