// A port without TLS that has the front ends with access keys, and a receiver that records.

import Foundation
import HTTP
import HandsetCore
import NIOCore
import Synchronization

@testable import PushPort

/// The keys of topic `parcels`, which rings `bell`, and of hook `ci`, which has a template.
let topicKey = "tk_parcels"
let hookKey = "tk_ci"

func keyedDirectory(template: String = HookTemplate.standard) throws -> ProviderDirectory {
  try ProviderDirectory([
    Provider(
      name: "parcels", topics: [bell], credential: .topic(KeyedApp(key: AccessKey(topicKey), handset: "hall"))),
    Provider(
      name: "ci", topics: [bell],
      credential: .hook(KeyedApp(key: AccessKey(hookKey), handset: nil), template: template)),
    TestProvider().provider(),
  ])
}

final class KeyedRecorder: KeyedReceiver {
  let inputs = Mutex<[Input]>([])
  let handsets = Mutex<[String?]>([])
  let refusals = Mutex<[RefusedPush]>([])
  let outcome: Input.Outcome

  init(_ outcome: Input.Outcome = .stored(.accepted)) {
    self.outcome = outcome
  }

  func receive(_ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    inputs.withLock { $0.append(input) }
    handsets.withLock { $0.append(handset) }
    completion(outcome)
  }

  func note(_ refusal: RefusedPush) { refusals.withLock { $0.append(refusal) } }

  var pushes: [Push] {
    inputs.withLock { $0 }.compactMap { if case .push(let push) = $0 { push } else { nil } }
  }
}

/// A port with the front ends, and a client of it that returns each answer as one line: the status and the body. It
/// shuts down when the test is over.
final class KeyedPort: Sendable {
  let client: HTTPClient
  let port: Int
  let recorder: KeyedRecorder
  let providers: ProviderDirectory
  private let server: PushServer

  init(
    _ outcome: Input.Outcome = .stored(.accepted), template: String = HookTemplate.standard,
    templates: [String: HookTemplate] = [:], limits: PortLimits = .patient
  ) async throws {
    recorder = KeyedRecorder(outcome)
    providers = try keyedDirectory(template: template)
    let templates = try HookTemplate.ready().merging(templates) { $1 }
    let keyed = KeyedFrontEnds(recorder, providers: providers, templates: templates, limits: limits)
    server = try PushServer(
      testPort(providers, recorder: recorder, limits: limits), frontEnds: keyed.frontEnds() + [NoFrontEnd()],
      identity: nil)
    port = try await server.start(host: "127.0.0.1", port: 0).port!
    // On a busy machine a connection may take its time.
    var patient = HTTPClient.Limits()
    patient.connectTimeout = .seconds(300)
    client = HTTPClient(.tcp(host: "127.0.0.1", port: port), limits: patient)
  }

  deinit { Task { [server] in await server.shutDown() } }

  func send(
    _ method: String, _ path: String, _ body: String = "", _ headers: HeaderFields = [:]
  ) async throws -> String {
    try await send(method, path, Array(body.utf8), headers)
  }

  func send(_ method: String, _ path: String, _ body: [UInt8], _ headers: HeaderFields = [:]) async throws -> String {
    let answer = try await client.send(method, path, headers: headers, body: body)
    return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Sends a request with the topic's key and without its body; returns when the port reads it.
  func begin(_ path: String, bytes: Int) async throws -> any Channel {
    let (channel, received) = try await openConnection(to: port)
    let head = [
      "POST \(path) HTTP/1.1", "Host: bell", "Authorization: Bearer \(topicKey)", "Expect: 100-continue",
      "Content-Length: \(bytes)", "", "",
    ]
    try await channel.writeAndFlush(ByteBuffer(string: head.joined(separator: "\r\n")))
    var answer = received.makeAsyncIterator()
    guard let first = await answer.next(), String(buffer: first).hasPrefix("HTTP/1.1 100 ") else {
      throw HTTPClientError.malformedAnswer(.tcp(host: "127.0.0.1", port: port), reason: "the body is not read")
    }
    return channel
  }

  /// Publishes with the topic's key.
  func publish(
    _ method: String = "POST", _ path: String = "/parcels", _ body: String = "", _ headers: HeaderFields = [:]
  ) async throws -> String {
    var headers = headers
    headers.add("Bearer \(topicKey)", for: "Authorization")
    return try await send(method, path, body, headers)
  }
}

extension PushID {
  /// The letters that it stands for; nil if it stands for none.
  var letters: String? {
    let bytes = (0..<12).map { place -> UInt8 in
      let half = place < 6 ? high >> 16 : low >> 8
      return UInt8(truncatingIfNeeded: half >> UInt64(40 - 8 * (place % 6)))
    }
    let letters = String(decoding: bytes, as: UTF8.self)
    return PushID(letters: letters) == self ? letters : nil
  }
}

extension Push {
  var title: String? { if case .literal(let text)? = message?.title { text } else { nil } }
  var text: String? { if case .literal(let text)? = message?.body { text } else { nil } }
  var payloadText: String { String(decoding: payload, as: UTF8.self) }
}
