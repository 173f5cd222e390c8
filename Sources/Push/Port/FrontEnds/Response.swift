import HTTP

/// A front end's answer: a whole response, and the state of the connection after it.
public struct Response: Hashable, Sendable {
  /// The state of the connection after the response is written.
  public enum Connection: Hashable, Sendable {
    case keep
    /// The connection takes no further requests, and closes when those under way are answered.
    case drain
    /// The connection closes.
    case close
  }

  public var status: Int
  /// The fields, sent as they are, with names in lower case in HTTP/2. A body's `content-length` is added if missing.
  public var fields: HeaderFields
  public var body: [UInt8]
  /// A continuing body, in place of `body`. With status 101, on HTTP/1.1 only, it is sent as it is, and its
  /// `inputHandlers` receive the client's bytes.
  public var stream: ResponseStream?
  /// The wait before it is sent, to slow down guessing.
  public var delay: Duration = .zero
  public var connection = Connection.keep

  public init(status: Int, fields: HeaderFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Makes a response of one line of text.
  public static func plainText(_ status: Int, _ line: String) -> Response {
    Response(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(line)\n".utf8))
  }
}
