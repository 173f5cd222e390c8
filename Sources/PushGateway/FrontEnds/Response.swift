import HTTPRoutes

/// What a front end answers: a whole response, and what becomes of the connection behind it.
public struct Response: Hashable, Sendable {
  /// What becomes of the connection once the response is written.
  public enum Connection: Hashable, Sendable {
    case keep
    /// It takes no further requests, and closes when those under way are answered.
    case drain
    /// It closes.
    case close
  }

  public var status: Int
  /// Sent as they are, with names in lower case in HTTP/2. A body's `content-length` is added where it is missing.
  public var fields: HeaderFields
  public var body: [UInt8]
  /// In place of `body`: one that goes on.
  /// With status 101, on HTTP/1.1 alone, it is sent as it is, and its `receiver` gets what the client sends.
  public var stream: ResponseStream?
  /// How long to wait before it is sent, to slow down guessing.
  public var delay: Duration = .zero
  public var connection = Connection.keep

  public init(status: Int, fields: HeaderFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// One line of text.
  public static func plainText(_ status: Int, _ line: String) -> Response {
    Response(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(line)\n".utf8))
  }
}
