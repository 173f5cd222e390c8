import HTTP
import HandsetCore

/// A client of the daemon behind a control socket. Every method throws `HTTPClientError`: `.refused` with the daemon's
/// message, or the reason why the daemon cannot be reached. Each resource adds its own methods.
public struct ControlClient: Sendable {
  let http: HTTPClient
  private var base: String

  /// - Parameter handset: the name of the handset whose apps and settings are meant; nil for the one on the board.
  public init(socket: String, handset: String? = nil) {
    http = HTTPClient(.unixSocket(path: socket))
    base = ControlRoutes.base
    if let handset { base = daemonPath("handsets", handset) }
  }

  public func of(handset: String) -> ControlClient {
    var other = self
    other.base = daemonPath("handsets", handset)
    return other
  }

  /// True if the client names a handset.
  var namesHandset: Bool { base != ControlRoutes.base }

  func get<Value: Decodable>(_ target: String) async throws -> Value { try await send("GET", target) }

  func send<Value: Decodable>(_ method: String, _ target: String) async throws -> Value {
    try decoded(await send(method, target))
  }

  func send<Value: Decodable>(
    _ method: String, _ target: String, _ body: some Encodable, timeout: Duration = .seconds(60)
  ) async throws -> Value {
    let answer = try await http.send(method, target, json: body, timeout: timeout)
    try answer.requireSuccess()
    return try decoded(answer)
  }

  @discardableResult
  func send(_ method: String, _ target: String) async throws -> HTTPClient.Answer {
    let answer = try await http.send(method, target)
    try answer.requireSuccess()
    return answer
  }

  func decoded<Value: Decodable>(_ answer: HTTPClient.Answer) throws -> Value {
    do {
      return try answer.json()
    } catch {
      throw otherVersion
    }
  }

  var otherVersion: HTTPClientError {
    .malformedAnswer(http.address, reason: "it speaks another version of the control API")
  }

  /// Returns the path of a resource of the handset.
  /// - Parameter query: a parameter that is left out if it is nil.
  func path(_ segments: String..., app query: String? = nil) -> String {
    path(segments, below: base) + (query.map { "?app=" + RequestTarget.encodedSegment($0) } ?? "")
  }

  func daemonPath(_ segments: String...) -> String { path(segments, below: ControlRoutes.base) }

  private func path(_ segments: [String], below base: String) -> String {
    segments.reduce(base) { $0 + "/" + RequestTarget.encodedSegment($1) }
  }
}
