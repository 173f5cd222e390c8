// A request before its body, in the same form for both versions of HTTP.

import HTTPRoutes

/// Method, path and header fields of one request.
public struct RequestHead: Sendable {
  public enum Version: Sendable { case http1, http2 }

  public let version: Version
  public let method: String
  /// With the query, not decoded. Empty where the request has none.
  public let path: String
  /// The host that the client names, with its port; nil where it names none.
  public let authority: String?
  /// In order; without HTTP/2's pseudo-header fields.
  public let fields: HeaderFields
  /// Size as HPACK counts it: name, value and 32 bytes for each field [RFC 7541, 4.1].
  public let bytes: Int

  /// Of a stream of HTTP/2, field by field.
  struct Builder {
    fileprivate var method = ""
    fileprivate var path = ""
    fileprivate var authority: String?
    fileprivate var fields = HeaderFields()
    fileprivate var bytes = 0

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
      bytes += name.count + value.count + 32
      let text = String(decoding: value, as: UTF8.self)
      switch String(decoding: name, as: UTF8.self) {
      case ":method": method = text
      case ":path": path = text
      case ":authority": authority = text
      case ":scheme": break
      case let name: fields.add(text, for: name)
      }
    }

    func makeHead() -> RequestHead { RequestHead(self) }
  }

  private init(_ builder: Builder) {
    version = .http2
    method = builder.method
    path = builder.path
    // A client may send `host` in place of `:authority` [RFC 9113, 8.3.1].
    authority = builder.authority ?? builder.fields["host"]
    fields = builder.fields
    bytes = builder.bytes
  }

  /// Of a request of HTTP/1.1.
  init(_ request: HTTPRequest) {
    version = .http1
    method = request.method
    path = request.target.originForm
    authority = request.headers["Host"]
    fields = request.headers
    bytes = request.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }

  /// Whether the client waits for 100 Continue before it sends the body [RFC 9110, 10.1.1].
  var expectsContinue: Bool { fields["expect"]?.lowercased() == "100-continue" }
}
