/// A request before its body, in the same form for both versions of HTTP.
public struct RequestHead: Sendable {
  public enum Version: Sendable { case http1, http2 }

  public let version: Version
  public private(set) var method = ""
  /// The path with the query, not decoded. Empty if the request has none.
  public private(set) var path = ""
  /// The host that the client names, with its port; nil if it names none. A client may send `host` in place of
  /// `:authority` [RFC 9113, 8.3.1].
  public var authority: String? { pseudoAuthority ?? headers["host"] }
  public private(set) var headers = HeaderFields()
  /// Size as HPACK counts it: name, value and 32 bytes for each field [RFC 7541, 4.1].
  public private(set) var bytes = 0
  private var pseudoAuthority: String?

  /// Makes the empty head of an HTTP/2 stream.
  package init() { version = .http2 }

  /// Values of HTTP/2 fields that are not UTF-8, by field name, as sent.
  public private(set) var foreignBytes: [String: [UInt8]] = [:]
  /// The first HTTP/2 field whose value begins or ends with a blank, which is removed [RFC 9113, 8.2.1 forbids it].
  public private(set) var blankField: String?

  /// The last request's path and authority: most requests of a connection have the same, whose memory they share.
  private var last = (path: "", authority: "")

  /// Empties the head of an HTTP/2 stream for the next one of its connection.
  package mutating func removeAll() {
    last = (path, pseudoAuthority ?? last.authority)
    (method, path, pseudoAuthority, blankField, bytes) = ("", "", nil, nil, 0)
    headers.removeAll()
    if !foreignBytes.isEmpty { foreignBytes = [:] }
  }

  /// Adds a field of HTTP/2.
  package mutating func add(_ name: UnsafeRawBufferPointer, _ sent: UnsafeRawBufferPointer) {
    let value = sent.withoutBlanks
    if value.count < sent.count, blankField == nil { blankField = String(decoding: name, as: UTF8.self) }
    bytes += name.count + value.count + 32
    let isASCII = name.isASCII && value.isASCII
    if isASCII, name.first != UInt8(ascii: ":") { return headers.add(ascii: value, for: name) }
    if name.hasBytes(of: ":scheme") { return }
    if name.hasBytes(of: ":method"), value.hasBytes(of: "POST") {
      method = "POST"
    } else if name.hasBytes(of: ":path"), value.has(text: last.path) {
      path = last.path
    } else if name.hasBytes(of: ":authority"), value.has(text: last.authority) {
      pseudoAuthority = last.authority
    } else {
      addText(String(decoding: name, as: UTF8.self), value, isASCII: isASCII)
    }
  }

  private mutating func addText(_ name: String, _ value: UnsafeRawBufferPointer, isASCII: Bool) {
    if !isASCII, String(validating: value, as: UTF8.self) == nil { foreignBytes[name] = Array(value) }
    let text = isASCII ? String(decoding: value, as: UTF8.self) : String(fieldBytes: value)
    switch name {
    case ":method": method = text
    case ":path": path = text
    case ":authority": pseudoAuthority = text
    default: headers.add(text, for: name)
    }
  }

  public init(method: String, path: String, headers: HeaderFields = [:]) {
    version = .http1
    self.method = method
    self.path = path
    self.headers = headers
    bytes = headers.bytes + 32 * headers.count
  }

  /// True if the client waits for 100 Continue before it sends the body [RFC 9110, 10.1.1].
  package var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" }
}

extension UnsafeRawBufferPointer {
  /// True if no byte has its highest bit; looks at eight at once, of which the last may be looked at twice.
  fileprivate var isASCII: Bool {
    guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
    var bits = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    for index in stride(from: 0, to: count - 8, by: 8) { bits |= loadUnaligned(fromByteOffset: index, as: UInt64.self) }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  fileprivate var withoutBlanks: UnsafeRawBufferPointer {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let first, let last, isBlank(first) || isBlank(last) else { return self }
    let start = self.firstIndex { !isBlank($0) } ?? endIndex
    let end = self.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return UnsafeRawBufferPointer(rebasing: self[start..<Swift.max(start, end)])
  }
}
