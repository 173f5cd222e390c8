import FoundationEssentials

/// An answer: a whole response, and the state of the connection after it.
public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    /// A stream that is pulled only as fast as the client reads it; over HTTP/1.1 only. Calls the given closure for
    /// each chunk, and returns at the end of the stream. That call suspends while the client is slow, and throws
    /// `CancellationError` once the client is gone.
    case stream(@Sendable (_ write: @Sendable ([UInt8]) async throws -> Void) async throws -> Void)
    /// A stream that others write. With status 101, over HTTP/1.1 only, it is sent as it is, and its `inputHandlers`
    /// receive the client's bytes.
    case live(ResponseStream)

    /// Passes all parts to `write`, and returns at the end.
    func produce(_ write: @Sendable ([UInt8]) async throws -> Void) async throws {
      switch self {
      case .bytes(let bytes): try await write(bytes)
      case .stream(let produce): try await produce(write)
      case .live(let stream):
        defer { stream.end() }
        while let bytes = await stream.next() { try await write(bytes) }
      }
    }
  }

  public enum Connection: Hashable, Sendable {
    case keep
    /// The connection takes no further requests, and closes when those under way are answered.
    case drain
    case close
  }

  public var status: Int
  /// The fields, sent as they are, with names in lower case in HTTP/2. A body's `content-length` is added if missing.
  public var headers: HeaderFields
  public var body: Body
  /// The wait before it is sent, to slow down guessing.
  public var delay: Duration = .zero
  public var connection = Connection.keep

  public init(status: Int = 200, headers: HeaderFields = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  public init(status: Int = 200, contentType: String, bytes: [UInt8]) {
    self.init(status: status, headers: ["Content-Type": contentType], body: .bytes(bytes))
  }

  public static func plainText(_ status: Int, _ line: String) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", bytes: Array("\(line)\n".utf8))
  }

  /// The whole body; empty if it is a stream.
  public var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }

  /// The body that others write; nil if it is none.
  package var live: ResponseStream? { if case .live(let stream) = body { stream } else { nil } }

  public static let noContent = HTTPResponse(status: 204)

  public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", bytes: try value.encoded())
  }
}

/// An answer that explains what is wrong and what to do next. A handler throws it; its body is
/// `{"error": "…", "hint": "…"}`.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The status: 400 to 599.
  public var status: Int
  public var message: String
  public var hint: String?
  public var headers: HeaderFields

  public init(_ status: Int, _ message: String, hint: String? = nil, headers: HeaderFields = [:]) {
    self.status = status
    self.message = message
    self.hint = hint
    self.headers = headers
  }

  public var response: HTTPResponse {
    let body = ErrorBody(error: message, hint: hint)
    // Two strings always encode; an empty body is the fallback that costs no trap.
    var response = (try? HTTPResponse.json(body, status: status)) ?? HTTPResponse(status: status)
    for field in headers.fields { response.headers.add(field.value, for: field.name) }
    return response
  }

  /// The error for a target that `RequestTarget` does not accept.
  public static let malformedPath = HTTPError(
    400, "the path is malformed", hint: "escape it as RFC 3986 says; no segment is . or ..")

  public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

/// The body of every answer of 400 and above.
public struct ErrorBody: Codable, Sendable, Hashable {
  public var error: String
  public var hint: String?
}
