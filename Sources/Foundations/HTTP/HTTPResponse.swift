import FoundationEssentials
import NIOCore

/// The answer of a handler: bytes, or a stream that is pulled only as fast as the client reads it.
public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    /// Calls the given closure for each chunk, and returns at the end of the stream. That call suspends while the
    /// client is slow, and throws `CancellationError` once the client is gone.
    case stream(@Sendable (_ write: @Sendable ([UInt8]) async throws -> Void) async throws -> Void)
  }

  public var status: Int
  public var headers: HeaderFields
  public var body: Body
  /// With status 101: makes the handlers for the bytes that the client sends from then on. The body is sent as it is.
  public var inputHandlers: (@Sendable () -> [any ChannelHandler])?

  public init(status: Int = 200, headers: HeaderFields = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  public init(status: Int = 200, contentType: String, bytes: [UInt8]) {
    self.init(status: status, headers: ["Content-Type": contentType], body: .bytes(bytes))
  }

  /// True if its field `Connection` closes the connection.
  var endsConnection: Bool { headers["Connection"]?.lowercased() == "close" }

  /// The answer 204, without a body.
  public static let noContent = HTTPResponse(status: 204)

  /// Makes a JSON answer. The keys are sorted, so that equal values are equal bytes.
  /// - Throws: the errors of encoding `value`.
  public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return HTTPResponse(status: status, contentType: "application/json", bytes: [UInt8](try encoder.encode(value)))
  }
}

/// An answer that explains what is wrong and what to do next. A handler throws it; its body is
/// `{"error": "…", "hint": "…"}`.
public struct HTTPError: Error, Sendable, Hashable {
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
}

extension HTTPError {
  /// The error for a target that `RequestTarget` does not accept.
  public static let malformedPath = HTTPError(
    400, "the path is malformed", hint: "escape it as RFC 3986 says; no segment is . or ..")
}

extension HTTPError: CustomStringConvertible {
  public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

/// The body of every answer of 400 and above.
public struct ErrorBody: Codable, Sendable, Hashable {
  public var error: String
  public var hint: String?

  public init(error: String, hint: String? = nil) {
    self.error = error
    self.hint = hint
  }
}
