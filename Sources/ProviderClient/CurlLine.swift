// The same push as a command line, for those who want to see what goes over the wire, or to send it from elsewhere.

/// A push as a `curl` command line.
public struct CurlLine: Sendable {
  public var endpoint: Endpoint
  /// Where to connect to, whatever addresses the name in `endpoint` has; nil goes by the name.
  public var connectingTo: Endpoint?
  /// Path of the authority's certificate; nil where the system's authorities vouch for the server.
  public var authorityFile: String?
  public var bearer: String
  public var request: PushRequest

  public init(
    endpoint: Endpoint, connectingTo: Endpoint? = nil, authorityFile: String?, bearer: String, request: PushRequest
  ) {
    self.endpoint = endpoint
    self.connectingTo = connectingTo
    self.authorityFile = authorityFile
    self.bearer = bearer
    self.request = request
  }

  public var text: String {
    var words = CurlLine.opening(authorityFile, connectingTo)
    for (name, value) in headers { words += ["--header", CurlLine.quoted("\(name): \(value)")] }
    words += ["--data", CurlLine.quoted(String(decoding: request.payload, as: UTF8.self))]
    words.append(CurlLine.quoted("https://\(endpoint)/3/device/\(request.deviceToken)"))
    return words.joined(separator: " ")
  }

  private var headers: [(String, String)] {
    var headers = [("authorization", "bearer \(bearer)")]
    if let topic = request.topic { headers.append(("apns-topic", topic)) }
    if let type = request.pushType { headers.append(("apns-push-type", type)) }
    if let priority = request.priority { headers.append(("apns-priority", "\(priority)")) }
    if let expiration = request.expiration { headers.append(("apns-expiration", "\(expiration)")) }
    if let collapseID = request.collapseID { headers.append(("apns-collapse-id", collapseID)) }
    if let id = request.id { headers.append(("apns-id", id)) }
    return headers
  }

  /// A call to the 2008 service.
  /// - Parameters:
  ///   - connectingTo: as in `CurlLine.connectingTo`.
  ///   - password: nil has curl ask for it.
  public static func text(
    of call: PublishingCall, to endpoint: Endpoint, connectingTo: Endpoint? = nil, authorityFile: String?,
    user: String, password: String?
  ) -> String {
    var words = opening(authorityFile, connectingTo)
    words += ["--user", quoted(password.map { "\(user):\($0)" } ?? user), "--request", call.method]
    if !call.body.isEmpty {
      words += ["--header", quoted("content-type: application/x-plist")]
      words += ["--data", quoted(String(decoding: call.body, as: UTF8.self))]
    }
    words.append(quoted("https://\(endpoint)\(call.path)"))
    return words.joined(separator: " ")
  }

  private static func opening(_ authorityFile: String?, _ server: Endpoint?) -> [String] {
    ["curl", "--http2"] + (authorityFile.map { ["--cacert", quoted($0)] } ?? [])
      // The empty words stand for whatever host and port the address has.
      + (server.map { ["--connect-to", quoted("::\($0)")] } ?? [])
  }

  /// For a POSIX shell.
  public static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    if plain && !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
