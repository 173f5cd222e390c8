// Tests with an independent client: curl with nghttp2.

import Foundation
import HandsetCore
import TestSupport
import Testing

@testable import PushPort

/// Runs curl and returns its output. Foundation's `Process` would notice its end through a descriptor that children of
/// other tests inherit, and thus only after theirs.
private func curl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
  var ends: [Int32] = [-1, -1]
  // Not a pipe: Swift does not import `pipe2`, and without it another test's child may inherit curl's writing end.
  let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
    posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
  }
  let words = ["curl", "--silent", "--show-error", "--http2", "--max-time", "20"] + arguments
  var pointers = words.map { strdup($0) } + [nil]
  var process: pid_t = 0
  let problem = posix_spawnp(&process, "curl", &actions, nil, &pointers, environ)
  for pointer in pointers { free(pointer) }
  posix_spawn_file_actions_destroy(&actions)
  close(ends[1])
  let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
  try #require(problem == 0, "\(String(cString: strerror(problem)))")
  return await withCheckedContinuation { continuation in
    Thread.detachNewThread { [process] in
      let written = output.readDataToEndOfFile()
      var status: Int32 = 0
      waitpid(process, &status, 0)
      continuation.resume(returning: (status >> 8 & 0xFF, String(decoding: written, as: UTF8.self)))
    }
  }
}

@Suite("curl", .timeLimit(.minutes(10)))
struct CurlTests {
  private let provider = TestProvider()
  private let receiver = RecordingReceiver()
  private let folder = try! TemporaryFolder()
  private let id = "123E4567-e89b-12d3-A456-426655440000"
  private let server: TestServer

  init() async throws { server = try await TestServer(receiver, providers: provider.directory) }

  private func push(body: String, _ extra: [String] = []) async throws -> String {
    let result = try await curl(
      [
        "--cacert", try certificate(), "--header", "authorization: bearer \(provider.token())", "--header",
        "apns-topic: \(bell.text)", "--header", "apns-id: \(id)", "--data", body, "--write-out",
        " %{http_code} %{http_version} %{header_json}",
      ] + extra + ["https://localhost:\(server.port)\(path)"])
    #expect(result.status == 0)
    return result.output
  }

  /// Writes the authority's certificate to a file, and returns its path.
  private func certificate() throws -> String {
    let file = folder.path + "/ca.pem"
    try server.authority.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }

  @Test("A push through curl: 200, HTTP/2, the id as sent; a refusal with its reason")
  func push() async throws {
    let accepted = try await push(body: #"{"aps":{"alert":"x"}}"#)
    #expect(accepted.hasPrefix(" 200 2 "))
    #expect(accepted.contains(id))
    #expect(receiver.pushes.map(\.message) == [Message(body: .literal("x"))])
    let refused = try await push(body: "no json")
    #expect(refused.hasPrefix(#"{"reason":"PayloadEmpty"} 400 2 "#))
    let large = try await push(body: String(repeating: "x", count: 100_000))
    #expect(large.hasPrefix(#"{"reason":"PayloadTooLarge"} 413 2 "#))
    #expect(receiver.pushes.count == 1)
  }

  @Test("TLS 1.2 is spoken, 1.1 is not; without ALPN too")
  func versions() async throws {
    let old = try await push(body: #"{"aps":{}}"#, ["--tls-max", "1.2"])
    #expect(old.hasPrefix(" 200 2 "))
    let prior = try await push(body: #"{"aps":{}}"#, ["--no-alpn", "--http2-prior-knowledge"])
    #expect(prior.hasPrefix(" 200 2 "))
    let tooOld = try await curl(["--insecure", "--tls-max", "1.1", "https://localhost:\(server.port)/"])
    #expect(tooOld.status == 35)
    let http1 = try await curl(["--insecure", "--http1.1", "https://localhost:\(server.port)/"])
    #expect(
      http1.output == "the provider API under /3/ and /4/ speaks HTTP/2 only; offer h2, with curl: --http2\n")
  }

  @Test("Headers above our limit are answered; above what is advertised they end the connection")
  func hugeHeaders() async throws {
    func padding(_ count: Int) -> [String] { ["--header", "x-padding: " + String(repeating: "x", count: count)] }
    let refused = try await push(body: "{}", padding(9_000))
    #expect(refused.hasPrefix(#"{"reason":"RequestHeaderFieldsTooLarge"} 431 2 "#))
    let cut = try await curl(["--insecure"] + padding(33_000) + ["https://localhost:\(server.port)\(path)"])
    #expect(cut.status != 0)
    #expect(!cut.output.contains("reason"))
    try await wait { server.pushServer.connectionCount == 0 }
  }

  @Test("The certificate covers the address too")
  func address() async throws {
    let file = try certificate()
    let known = try await curl(["--cacert", file, "https://127.0.0.1:\(server.port)/3/device/"])
    #expect(known.output == #"{"reason":"MethodNotAllowed"}"#)
    let unknown = try await curl([
      "--cacert", file, "--resolve", "other.example:\(server.port):127.0.0.1",
      "https://other.example:\(server.port)/",
    ])
    #expect(unknown.status == 60)
  }
}
