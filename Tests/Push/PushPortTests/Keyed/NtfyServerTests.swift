// Tests of ntfy server features for its clients and Home Assistant: filters, templates, WebSocket, tokens, large files.

import Foundation
import HTTP
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOWebSocket
import Testing

@testable import PushPort

@Suite("ntfy's server", .timeLimit(.minutes(10)))
struct NtfyServerTests {
  @Test(
    "Filters of a subscription, in the query and in fields [ntfy: filter messages]",
    arguments: [
      ("", "one two three"), ("priority=4", "two"), ("p=high,5", "two three"), ("prio=3", "one"), ("title=T", "two"),
      ("t=t", ""), ("tags=a", "two three"), ("ta=a,b", "three"), ("tag=c", ""), ("message=one", "one"), ("m=on", ""),
      ("priority=4&tags=b", ""),
    ])
  func filters(_ row: (query: String, texts: String)) async throws {
    try await withKeyedPort { port async throws in
      _ = try await port.publish("POST", "/parcels", "one")
      _ = try await port.publish("POST", "/parcels?p=4&title=T&tags=a", "two")
      _ = try await port.publish("POST", "/parcels?p=5&tags=a,b", "three")
      func texts(_ answer: String) -> String {
        answer.dropFirst(4).split(separator: "\n").compactMap { line in
          (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["message"] as? String
        }.joined(separator: " ")
      }
      #expect(texts(try await port.publish("GET", "/parcels/json?poll=1&\(row.query)")) == row.texts)
      let id = try #require(port.recorder.pushes.last?.id.letters)
      #expect(texts(try await port.publish("GET", "/parcels/json?poll=1&id=\(id)")) == "three")
      #expect(texts(try await port.publish("GET", "/parcels/json?poll=1", "", ["X-Title": "T"])) == "two")
      #expect(try await port.publish("GET", "/parcels/json?poll=1&p=9").hasPrefix("400 {\"code\":40007,"))
    }
  }

  @Test("Templates of hooks make a message of a body")
  func templates() async throws {
    try await withKeyedPort { port async throws in
      let body =
        #"{"status":"firing","groupKey":"g","commonLabels":{"alertname":"Oven"},"commonAnnotations":{"summary":"hot"}}"#
      #expect(try await port.publish("POST", "/parcels?template=grafana", body).hasPrefix("200 "))
      #expect(
        try await port.publish("POST", "/parcels", body, ["X-Template": "grafana", "Priority": "2"]).hasPrefix("200 "))
      let pushes = port.recorder.pushes
      #expect(pushes.map(\.text) == ["hot", "hot"])
      #expect(pushes.map(\.title) == ["Oven (firing)", "Oven (firing)"])
      #expect(pushes.map(\.level) == [.timeSensitive, .passive])
      #expect(pushes.map(\.collapseID) == ["g", "g"])
      _ = try await port.publish("POST", "/parcels?tpl=slack", #"{"text":"nas &amp; <http://web|web>\n"}"#)
      #expect(port.recorder.pushes.last?.text == "nas & web")
      #expect(try await port.publish("POST", "/parcels?tpl=none", body).hasPrefix("400 {\"code\":40047,"))
      #expect(try await port.publish("POST", "/parcels?tpl=github", "text").hasPrefix("400 {\"code\":40042,"))
    }
  }

  @Test("Home Assistant's set-up: the account, and a token, which is the key")
  func token() async throws {
    try await withKeyedPort { port async throws in
      #expect(
        try await port.publish("POST", "/v1/account/token", #"{"label":"Home Assistant","expires":0}"#)
          == #"200 {"label":"Home Assistant","last_access":1795248000,"last_origin":"127.0.0.1","token":"\#(topicKey)"}"#
      )
      #expect(try await port.send("POST", "/v1/account/token", "{}").hasPrefix("403 "))
      #expect(try await port.publish("GET", "/v1/account/token").hasPrefix("405 "))
    }
  }

  @Test("A text without a length is read up to the larger limit; a file beyond it is read past, and its message rings")
  func largeBodies() async throws {
    var limits = PortLimits.patient
    limits.skippedBodyBytes = 1_000_000
    limits.skippedBytesPerSecond = 64 * 1_000_000
    try await withKeyedPort(limits: limits) { port async throws in
      let head = "PUT /parcels HTTP/1.1\r\nHost: bell\r\nAuthorization: Bearer \(topicKey)\r\nConnection: close\r\n"
      func chunked(_ bytes: Int, _ fields: String = "") async throws -> String {
        let chunk = "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"
        let chunks = String(repeating: chunk, count: bytes / 0x4000)
        return try await port.raw(head + fields + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n")
      }
      #expect(try await chunked(64 * 1024).hasPrefix("HTTP/1.1 200 "))
      #expect(try await chunked(512 * 1024, "X-Message: A picture\r\nFilename: a.jpg\r\n").hasPrefix("HTTP/1.1 200 "))
      #expect(try await chunked(1_100_000).hasPrefix("HTTP/1.1 413 "))
      let picture = [UInt8](repeating: 0xFF, count: 400_000)
      #expect(
        try await port.send("POST", "/parcels?m=Cat&up=0", picture, ["Authorization": "Bearer \(topicKey)"]).hasPrefix(
          "200 "))
      let pushes = port.recorder.pushes
      #expect(pushes.map { $0.text?.utf8.count } == [4_096, 9, 3])
      #expect(pushes.last?.faults.first?.problem == "a file of 400,000 bytes, which the handset cannot show")
    }
  }

  @Test("What is not ASCII in a request's target and fields: UTF-8, and bytes of Latin-1")
  func notASCII() async throws {
    try await withKeyedPort { port async throws in
      func send(_ head: [UInt8]) async throws -> String {
        try await port.raw(head + "Host: bell\r\nAuthorization: Bearer \(topicKey)\r\nConnection: close\r\n\r\n".utf8)
      }
      let latin1: [UInt8] = [0x54, 0xFC, 0x72]
      for word in [Array("Tür".utf8), latin1] {
        #expect(
          try await send(Array("GET /parcels/send?m=".utf8) + word + " HTTP/1.1\r\n".utf8).hasPrefix("HTTP/1.1 200 "))
        #expect(
          try await send(Array("GET /parcels/send?m=x HTTP/1.1\r\nTitle: ".utf8) + word + "\r\n".utf8)
            .hasPrefix("HTTP/1.1 200 "))
      }
      #expect(port.recorder.pushes.map(\.text) == ["Tür", "x", "Tür", "x"])
      #expect(port.recorder.pushes.map(\.title) == [nil, "Tür", nil, "Tür"])
    }
  }

  @Test("WebSocket: the key of RFC 6455's example, messages as text, a ping's answer, the close of both sides")
  func webSocket() async throws {
    try await withKeyedPort { port async throws in
      #expect(try await port.publish("GET", "/parcels/ws").hasPrefix("400 {\"code\":40016,"))
      _ = try await port.publish("POST", "/parcels", "one")
      _ = try await port.publish("POST", "/parcels", "two")
      // A ping "hi", masked with zeros; then a close with 1000.
      let frames: [UInt8] = [0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69, 0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
      let answer = try await port.raw(opening("/parcels/ws?since=all&m=one")) { frames }
      #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
      #expect(answer.lowercased().contains("\r\nconnection: upgrade\r\n"))
      #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
      #expect(answer.contains(#""event":"open""#))
      #expect(answer.contains(#""message":"one""#) && !answer.contains(#""message":"two""#))
      #expect(answer.contains("\u{8A}\u{02}hi") && answer.hasSuffix("\u{88}\u{02}\u{03}\u{E8}"))
    }
  }

  @Test("WebSocket: the end of its key closes it")
  func endedKey() async throws {
    try await withKeyedPort { port async throws in
      let answer = try await port.raw(opening("/parcels/ws")) {
        try port.providers.replace(with: [])
        return []
      }
      #expect(answer.contains(#""event":"open""#) && answer.hasSuffix("\u{88}\u{02}\u{03}\u{F0}"))
    }
  }

  /// Returns a request for a WebSocket, with the key of RFC 6455's example.
  private func opening(_ path: String) -> String {
    [
      "GET \(path) HTTP/1.1", "Host: bell", "Authorization: Bearer \(topicKey)", "Upgrade: websocket",
      "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "", "",
    ].joined(separator: "\r\n")
  }

  @Test("WebSocket: what is not masked, too long, or too much ends it")
  func badFrames() throws {
    let port = try testPort(try keyedDirectory())
    for (frames, code) in [
      ([0x81, 0x01, 0x61], .protocolError), ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], .protocolError),
      ([0x09, 0x80, 0, 0, 0, 0], .protocolError),
      ([0x81, 0xFF, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0], .messageTooLarge),
      (Array(repeating: [0x8A, 0x80, 0, 0, 0, 0] as [UInt8], count: 201).flatMap(\.self), .policyViolation),
    ] as [([UInt8], WebSocketErrorCode)] {
      let stream = ResponseStream(limit: 64 * 1024) {}
      let channel = EmbeddedChannel(handlers: WebSocketInput.handlers(stream, port))
      // Reading byte by byte gives the same result.
      for byte in frames { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
      let (bytes, isEnd) = stream.take {}
      #expect(bytes == WebSocketFrame.close(code) && isEnd, "\(code)")
    }
  }
}

extension KeyedPort {
  /// Sends bytes and returns everything received until the port closes, one character per byte.
  /// - Parameter second: called once, after the first bytes have come; returns bytes to send then.
  func raw(
    _ bytes: some Sequence<UInt8> & Sendable, then second: () throws -> [UInt8] = { [] }
  ) async throws -> String {
    let (received, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RawClient.Sink(continuation))
        }
      }.connect(host: "127.0.0.1", port: port).get()
    channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    var answer = ""
    for await buffer in received {
      if answer.isEmpty { channel.writeAndFlush(ByteBuffer(bytes: try second()), promise: nil) }
      answer.unicodeScalars.append(contentsOf: buffer.readableBytesView.map { Unicode.Scalar($0) })
    }
    try? await channel.close()
    return answer
  }

  func raw(_ text: String, then second: () throws -> [UInt8] = { [] }) async throws -> String {
    try await raw(Array(text.utf8), then: second)
  }
}
