import Foundation

/// Apple's push service, or what stands in for it. Each push is sent by a `curl` of its own, so that this example needs
/// no package: a provider in earnest keeps a connection open, and the linter says so.
public struct PushService: Sendable {
  let url: String
  let ca: String
  let topic: String
  let token: ProviderToken

  /// - Parameters:
  ///   - url: as `https://api.push.apple.com`.
  ///   - ca: the file of the certificate authority to trust, in PEM.
  ///   - topic: the app's bundle identifier.
  public init(url: String, ca: String, topic: String, token: ProviderToken) {
    (self.url, self.ca, self.topic, self.token) = (url, ca, topic, token)
  }

  struct Answer: Sendable {
    var status: Int
    var reason: String?
    var retryAfter: Duration?
  }

  /// - Returns: nil if there is no answer: the push may have arrived, or not.
  func post(_ payload: Data, id: String, to device: String) async throws -> Answer? {
    let fields = [
      "authorization: bearer \(try await token.text)", "apns-id: \(id)", "apns-topic: \(topic)",
      "apns-push-type: alert",
      "apns-priority: 10", "content-type: application/json",
    ]
    let output = try await run(
      "curl",
      ["--silent", "--http2", "--max-time", "10", "--cacert", ca, "--data-binary", "@-"]
        + fields.flatMap { ["--header", $0] }
        + ["--write-out", #"\n%{http_code} %header{retry-after}"#, "\(url)/3/device/\(device)"],
      input: payload)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.last?.split(separator: " ").map(String.init) ?? []
    // curl writes 000 if no answer came.
    guard let status = end.first.flatMap(Int.init), status > 0 else { return nil }
    let body = Data(lines.dropLast().joined(separator: "\n").utf8)
    let reason = try? JSONDecoder().decode([String: String].self, from: body)["reason"]
    return Answer(
      status: status, reason: reason, retryAfter: end.dropFirst().first.flatMap(Int.init).map { .seconds($0) })
  }
}

/// Runs a program, and returns what it printed; its exit status is not looked at.
func run(_ program: String, _ arguments: [String], input: Data) async throws -> Data {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(
        with: Result {
          let process = Process()
          let (written, read) = (Pipe(), Pipe())
          process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
          process.arguments = [program] + arguments
          (process.standardInput, process.standardOutput) = (written, read)
          try process.run()
          try written.fileHandleForWriting.write(contentsOf: input)
          try written.fileHandleForWriting.close()
          return try read.fileHandleForReading.readToEnd() ?? Data()
        })
    }
  }
}
