import CDeskbellCurl
import Dispatch
import Foundation

/// HTTP to the control socket of a bench, by libcurl: Foundation's `URLSession` cannot use Unix sockets on Linux.
struct ControlSocket: Sendable {
  let path: String

  /// libcurl waits for the bench at most this long beyond what a request itself waits for.
  private static let patience: Duration = .seconds(30)
  private static let queue = DispatchQueue(label: "deskbell-control", attributes: .concurrent)
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  func get<Answer: Decodable & Sendable>(
    _ resource: String, _ query: [String: String] = [:], waiting: Duration = .zero, as: Answer.Type = Answer.self
  ) async throws -> Answer {
    try await send("GET", resource, query, waiting: waiting)
  }

  func send<Answer: Decodable & Sendable>(
    _ method: String, _ resource: String, _ query: [String: String] = [:], body: (any Encodable & Sendable)? = nil,
    waiting: Duration = .zero, as: Answer.Type = Answer.self
  ) async throws -> Answer {
    let bytes = try await bytes(method, resource, query, body: body, waiting: waiting)
    do {
      return try JSONDecoder().decode(Answer.self, from: bytes)
    } catch {
      throw BenchError("\(method) \(resource): this DeskbellTesting cannot read the bench's answer: \(error)")
    }
  }

  /// - Parameter waiting: the time that the bench may wait before it answers.
  /// - Returns: the body of the answer.
  /// - Throws: `BenchError` with the bench's words if it refuses, or if none answers.
  @discardableResult
  func bytes(
    _ method: String, _ resource: String, _ query: [String: String] = [:], body: (any Encodable & Sendable)? = nil,
    waiting: Duration = .zero
  ) async throws -> Data {
    let body = try body.map { try JSONEncoder().encode($0) }
    return try await withCheckedThrowingContinuation { continuation in
      Self.queue.async {
        continuation.resume(
          with: Result { try blockingBytes(method, resource, query, body: body, waiting: waiting) })
      }
    }
  }

  /// Reads JSON lines that go on, until there are `count` of them.
  ///
  /// - Parameter time: the longest time that it waits for them.
  /// - Returns: the number of lines that came, which may be more.
  func countLines(_ resource: String, _ query: [String: String], upTo count: Int, within time: Duration) async throws
    -> Int
  {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async {
        let answer = Answer()
        answer.isEnough = { $0.count { $0 == UInt8(ascii: "\n") } >= count }
        continuation.resume(
          with: Result {
            try exchange("GET", resource, query, body: nil, limit: time, into: answer)
            return answer.bytes.count { $0 == UInt8(ascii: "\n") }
          })
      }
    }
  }

  /// The same as `bytes` on the calling thread, which it blocks. For what has no `async`.
  func blockingBytes(
    _ method: String, _ resource: String, _ query: [String: String] = [:], body: Data? = nil,
    waiting: Duration = .zero
  ) throws -> Data {
    let answer = Answer()
    try exchange(method, resource, query, body: body, limit: waiting + Self.patience, into: answer)
    return answer.bytes
  }

  /// - Parameter limit: the longest time for the whole exchange. An answer that goes on may reach it.
  private func exchange(
    _ method: String, _ resource: String, _ query: [String: String], body: Data?, limit: Duration, into answer: Answer
  ) throws {
    guard Self.isReady, let handle = curl_easy_init() else { throw BenchError("libcurl does not start") }
    defer { curl_easy_cleanup(handle) }
    let fields = curl_slist_append(nil, "Content-Type: application/json")
    defer { curl_slist_free_all(fields) }
    deskbell_curl_set_text(handle, CURLOPT_UNIX_SOCKET_PATH, path)
    deskbell_curl_set_text(handle, CURLOPT_URL, Self.url(resource, query))
    deskbell_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
    deskbell_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    let (seconds, attoseconds) = limit.components
    deskbell_curl_set_number(
      handle, CURLOPT_TIMEOUT_MS, Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    deskbell_curl_set_fields(handle, fields)
    if let body {
      deskbell_curl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
      let code = body.withUnsafeBytes { bytes in
        // libcurl copies them. It needs the size first.
        deskbell_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress)
      }
      guard code == CURLE_OK else { throw BenchError("libcurl: \(String(cString: curl_easy_strerror(code)))") }
    }
    deskbell_curl_set_writer(
      handle,
      { bytes, _, count, context in
        guard let bytes, let context else { return 0 }
        let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
        answer.bytes.append(Data(bytes: bytes, count: count))
        return answer.isEnough?(answer.bytes) == true ? 0 : count
      }, Unmanaged.passUnretained(answer).toOpaque())
    let code = withExtendedLifetime(answer) { curl_easy_perform(handle) }
    let ends = [CURLE_OK] + (answer.isEnough == nil ? [] : [CURLE_WRITE_ERROR, CURLE_OPERATION_TIMEDOUT])
    guard ends.contains(code) else {
      let problem = String(cString: curl_easy_strerror(code))
      throw BenchError("\(method) \(resource): no answer from the bench at \(path): \(problem). Does it still run?")
    }
    let status = deskbell_curl_status(handle)
    guard (200..<300).contains(status) || (status == 0 && code == CURLE_OPERATION_TIMEDOUT) else {
      let refusal = try? JSONDecoder().decode(Refusal.self, from: answer.bytes)
      let words = [refusal?.error ?? "status \(status)", refusal?.hint].compactMap(\.self)
      throw BenchError("\(method) \(resource): \(words.joined(separator: ". "))")
    }
  }

  private static func url(_ resource: String, _ query: [String: String]) -> String {
    var address = URLComponents()
    (address.scheme, address.host, address.path) = ("http", "localhost", resource)
    if !query.isEmpty {
      address.queryItems = query.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    }
    // `+` would be read as a space.
    return (address.string ?? "").replacingOccurrences(of: "+", with: "%2B")
  }

  private final class Answer {
    var bytes = Data()
    /// Of an answer that goes on: returns true if no more of it is wanted.
    var isEnough: ((Data) -> Bool)?
  }

  private struct Refusal: Decodable {
    var error: String
    var hint: String?
  }
}

/// The reason why a bench refuses something, or why there is none.
public struct BenchError: Error, CustomStringConvertible, Sendable {
  public let description: String

  init(_ description: String) { self.description = description }
}
