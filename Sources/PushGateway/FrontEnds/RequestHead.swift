// A request before its body, in the same form for both versions of HTTP.

import HTTPRoutes
import NIOHPACK

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

  /// Of a stream of HTTP/2.
  init(_ headers: HPACKHeaders) {
    var (method, path, authority): (String?, String?, String?)
    var fields = HeaderFields()
    fields.reserveCapacity(headers.count)
    var bytes = 0
    for (name, value, _) in headers {
      bytes += name.utf8.count + value.utf8.count + 32
      switch name {
      case ":method": method = value
      case ":path": path = value
      case ":authority": authority = value
      case ":scheme": break
      default: fields.add(value, for: name)
      }
    }
    version = .http2
    self.method = method ?? ""
    self.path = path ?? ""
    // A client may send `host` in place of `:authority` [RFC 9113, 8.3.1].
    self.authority = authority ?? fields["host"]
    self.fields = fields
    self.bytes = bytes
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
