// The fixtures of the 2008 service's tests: nodes in memory, and a client that writes HTTP/1.1 itself, as no library
// would.

import Foundation
import HandsetCore
import NIOCore
import ServerIdentity
import Synchronization

@testable import PushPort

let device = DeviceID(hex: String(repeating: "0d", count: 20))!
let inbox = "/\(bell.text)/\(device.hex)/Inbox"
let password = "correct horse"
/// The hash of `password`, computed once for all tests as hashing is slow by design.
let passwordHash = try! PasswordHash(password: password)
let passwordProvider = try! Provider(
  name: "ringer", topics: [bell, AppID("com.example.chime")!], credential: .password(passwordHash))

func basic(_ user: String = bell.text, _ password: String = password) -> String {
  "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
}

func plist(_ inside: String) -> String {
  #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">\#(inside)</plist>"#
}

/// A receiver with the bell installed and nodes in memory.
final class NodesInMemory: PublishingReceiver {
  struct State {
    var published: [NodeID: [UInt8]?] = [:]
    var pushes: [Push] = []
    var outcome: Input.Outcome?
    var readings = 0
  }

  let state = Mutex(State())

  func isKnown(_ id: DeviceID) -> Bool { id == device }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    state.withLock { state in
      if let outcome = state.outcome { return outcome }
      switch input {
      case .createNode(let node):
        guard node.app == bell else { return .stored(.refused(.unknownApp(node.app))) }
        if state.published[node] == nil { state.published[node] = .some(nil) }
      case .deleteNode(let node):
        guard state.published.removeValue(forKey: node) != nil else { return .stored(.refused(.unknownNode(node))) }
      case .publish(let push, let node, let propertyList):
        guard state.published[node] != nil else { return .stored(.refused(.unknownNode(node))) }
        state.published[node] = propertyList
        state.pushes.append(push)
      default: return .failed("no input of the 2008 service")
      }
      return .stored(.accepted)
    }
  }

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished {
    state.withLock { state in
      state.readings += 1
      return switch (state.outcome, state.published[node]) {
      case (.stored(.refused(.goneNode(_, let since)))?, _): .gone(since: since)
      case (.failed?, _): .unavailable
      case (_, nil): .noNode
      case (_, .some(nil)): .nothing
      case (_, .some(let bytes?)): .propertyList(bytes)
      }
    }
  }
}

/// A connection on which the test writes and reads text.
final class TextClient: Sendable {
  /// The server, which runs as long as this client refers to it.
  private let server: TestServer
  let channel: any Channel
  private let chunks: AsyncStream<ByteBuffer>
  private let received = Mutex("")

  init(_ server: TestServer, alpn: String? = "http/1.1") async throws {
    self.server = server
    (channel, chunks) = try await openConnection(to: server.port, clientContext(server.authority, alpn: alpn))
  }

  func write(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text))
  }

  /// Sends a request with the fields that every request has.
  func request(
    _ line: String, authorization: String? = basic(), headers: [String] = [], body: String? = nil
  ) async throws -> TextResponse {
    var lines = ["\(line) HTTP/1.1", "Host: localhost"] + headers
    if let authorization { lines.append("Authorization: \(authorization)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    try await write(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    return await response()
  }

  /// Returns the next response, which must have a Content-Length or no body; status 0 if the connection ends first.
  func response() async -> TextResponse {
    while true {
      if let whole = received.withLock({ TextResponse.take(from: &$0) }) { return whole }
      var iterator = chunks.makeAsyncIterator()
      guard let chunk = await iterator.next() else { return TextResponse(status: 0, head: "", body: "") }
      received.withLock { $0 += String(buffer: chunk) }
    }
  }

  /// Waits until the server has closed the connection.
  func end() async throws { try await channel.closeFuture.get() }

  func close() async { try? await channel.close() }
}

struct TextResponse: Equatable {
  var status: Int
  var head: String
  var body: String

  func header(_ name: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map {
      $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
    }
  }

  fileprivate static func take(from text: inout String) -> TextResponse? {
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let head = String(text[..<end.lowerBound])
    var response = TextResponse(status: Int(head.split(separator: " ")[1]) ?? 0, head: head, body: "")
    let length = Int(response.header("Content-Length") ?? "0") ?? 0
    let rest = text[end.upperBound...]
    guard rest.utf8.count >= length else { return nil }
    response.body = String(decoding: rest.utf8.prefix(length), as: UTF8.self)
    text = String(decoding: rest.utf8.dropFirst(length), as: UTF8.self)
    return response
  }
}

/// Starts a server that speaks both protocols.
func publishingServer(
  _ nodes: NodesInMemory = NodesInMemory(), receiver: RecordingReceiver = RecordingReceiver(),
  limits: PortLimits = .patient
) async throws -> TestServer {
  try await TestServer(
    receiver, publishing: nodes, providers: ProviderDirectory([passwordProvider]), limits: limits)
}
