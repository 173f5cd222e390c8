// The same push as a command line, for those who want to see what goes over the wire, or to send it from elsewhere.

import ProviderClient

/// A push as a `curl` command line.
struct CurlLine {
  var endpoint: Endpoint
  /// Path of the authority's certificate; nil where the system's authorities vouch for the server.
  var authorityFile: String?
  var bearer: String
  var request: PushRequest

  var text: String {
    var words = ["curl", "--http2"]
    if let authorityFile { words += ["--cacert", CurlLine.quoted(authorityFile)] }
    for (name, value) in headers { words += ["--header", CurlLine.quoted("\(name): \(value)")] }
    words += ["--data", CurlLine.quoted(String(decoding: request.payload, as: UTF8.self))]
    let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
    words.append(CurlLine.quoted("https://\(host):\(endpoint.port)/3/device/\(request.deviceToken)"))
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

  /// For a POSIX shell.
  static func quoted(_ word: String) -> String {
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
