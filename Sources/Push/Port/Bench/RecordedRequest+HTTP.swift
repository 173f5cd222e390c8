import Crypto
import FoundationEssentials
import HTTP
import HandsetCore

extension RecordedRequest {
  init(_ head: RequestHead, on connection: BenchedConnection, stream: UInt32?, frontEnd: String) {
    self.init(
      connection: connection.recorded.number, stream: stream, frontEnd: frontEnd, method: head.method,
      path: Self.withoutSecrets(head.path), headers: Self.fields(head.headers))
    app = header("apns-topic")
    push = header("apns-id")
    (pushType, priority) = (header("apns-push-type"), header("apns-priority"))
    (expiration, collapseID) = (header("apns-expiration"), header("apns-collapse-id"))
    let parts = head.path.split(separator: "/", omittingEmptySubsequences: false)
    if frontEnd == "apns", parts.count > 3 { token = String(parts[3]) }
    if frontEnd == "channels" {
      push = header("apns-request-id")
      // /1/apps/BUNDLE/… and /4/broadcasts/apps/BUNDLE
      let place = parts.firstIndex(of: "apps").map { $0 + 1 } ?? parts.count
      if place < parts.count { app = String(parts[place]) }
    }
  }

  /// Fields whose values are credentials.
  private static let secretFields: Set = ["authorization", "proxy-authorization", "cookie", "x-gotify-key"]

  static func fields(_ headers: HeaderFields) -> [RecordedField] {
    headers.fields.map { field in
      let name = field.name.lowercased()
      return RecordedField(name, secretFields.contains(name) ? withoutSecret(field.value) : field.value)
    }
  }

  /// Keeps the scheme of a credential, and replaces the rest.
  private static func withoutSecret(_ value: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return digest(value) }
    return "\(parts[0]) \(digest(String(parts[1])))"
  }

  /// Replaces the access keys of a path: a hook's after `/h/`, and those of a query.
  static func withoutSecrets(_ path: String) -> String {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if segments.count > 2, segments[1] == "h" { segments[2] = digest(segments[2]) }
    var text = segments.joined(separator: "/")
    guard parts.count > 1 else { return text }
    let values = parts[1].split(separator: "&", omittingEmptySubsequences: false).map { value in
      let pair = value.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, ["token", "auth", "authorization", "key"].contains(pair[0].lowercased()) else {
        return String(value)
      }
      return "\(pair[0])=\(digest(String(pair[1])))"
    }
    text += "?" + values.joined(separator: "&")
    return text
  }

  /// The first 8 hexadecimal digits of the SHA-256 of a secret.
  static func digest(_ secret: String) -> String {
    "…" + Hex.text(Array(SHA256.hash(data: Array(secret.utf8)).prefix(4)))
  }
}

extension RecordedAnswer {
  /// - Parameter source: nil to tell it from the status.
  init(_ response: HTTPResponse, by source: Source?, fault: String? = nil) {
    let isOfLimit = [408, 413, 414, 429, 431].contains(response.status)
    self.init(
      status: response.status, reason: Self.reason(in: response.bytes), by: source ?? (isOfLimit ? .limit : .handset),
      fault: fault, headers: response.headers.fields.map { RecordedField($0.name.lowercased(), $0.value) },
      body: response.bytes)
  }

  private struct Reason: Decodable {
    var reason: String
  }

  private static func reason(in body: [UInt8]) -> String? {
    body.first == UInt8(ascii: "{") ? (try? JSONDecoder().decode(Reason.self, from: Data(body)))?.reason : nil
  }
}
