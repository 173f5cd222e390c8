// Any page in a person's browser can send requests to the panel's port. Whether one may is decided from its header
// fields alone, before anything of it is read: by the name that the browser thinks it talks to (DNS rebinding), by the
// page that it comes from (CSRF), and by what only the panel's own page can know.

import Glibc
import HTTPRoutes

/// Admits requests, or explains why not.
struct PanelGuard: Sendable {
  /// The field that only a page of the panel's own origin can send: with it, other origins' requests would have to be
  /// allowed first, which they never are. Its value is the key of the session.
  static let keyField = "Deskbell-Panel"

  let isSecure: Bool
  /// By which the panel may be called besides addresses, in lower case; nil where only this machine can reach it.
  let names: Set<String>?
  /// Asked of requests that have passed everything else.
  let isSignedIn: @Sendable (HTTPRequest) -> Bool

  /// - Returns: why the request is not let in.
  func fault(in request: HTTPRequest) -> HTTPError? {
    let hosts = request.headers.values(of: "Host")
    guard hosts.count == 1, let host = hosts.first, isOurs(host) else {
      return HTTPError(
        421, "the panel is not called that",
        hint: names == nil
          ? "open it at 127.0.0.1 or localhost, as 'deskbell panel' prints it"
          : "open it by an address or a name of this machine; tls-names in the settings file adds one")
    }
    let origins = request.headers.values(of: "Origin")
    guard origins.isEmpty || origins == ["\(isSecure ? "https" : "http")://\(host)"] else { return PanelGuard.foreign }
    let isPage = request.target.path == "/" && (request.method == "GET" || request.method == "HEAD")
    switch request.headers["Sec-Fetch-Site"] {
    case nil, "same-origin", "none": break
    // A link from another page may lead to the panel; nothing else of another page's may.
    default:
      guard isPage, request.headers["Sec-Fetch-Mode"] == "navigate" else { return PanelGuard.foreign }
    }
    switch request.headers["Sec-Fetch-Dest"] {
    case "iframe", "frame", "embed", "object": return HTTPError(403, "the panel is not shown within other pages")
    default: break
    }
    // Segments are decoded, as the routes see them: /%73ession is no way around.
    let isSession = request.target.segments == PanelRoutes.sessionSegments
    guard request.target.segments.first == "v1" || isSession else { return nil }
    // A monitor is no page. What it is answered without a session is one word.
    let isRead = request.method == "GET" || request.method == "HEAD"
    if request.target.segments == PanelMonitoring.healthSegments && isRead { return nil }
    guard request.headers.values(of: PanelGuard.keyField).count == 1 else {
      return HTTPError(
        403, "this is for the panel's own page", hint: "scripts use the control socket; see docs/openapi.json")
    }
    if isSession { return nil }
    guard isSignedIn(request) else {
      return HTTPError(401, "you are not signed in", hint: "open the address that 'deskbell panel' prints")
    }
    return nil
  }

  private static let foreign = HTTPError(403, "another page asked for this", hint: "use the panel's own page")

  /// A name that an attacker's DNS can point to us is not ours. Addresses cannot be pointed anywhere. The port does not
  /// matter: what is forwarded through SSH comes with another.
  private func isOurs(_ host: String) -> Bool {
    guard let name = PanelGuard.name(inHost: host) else { return false }
    if name == "localhost" || PanelGuard.isLoopback(name) { return true }
    guard let names else { return false }
    // `*.example.org` stands for one part before the rest, as in certificates [RFC 6125, 6.4.3].
    return names.contains(name) || names.contains("*\(name.drop { $0 != "." })") || PanelGuard.isAddress(name)
  }

  /// The host field's name or address in lower case, without the port; nil where it has not that form.
  static func name(inHost host: String) -> String? {
    var rest = Substring(host.lowercased())
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      let port = rest[rest.index(after: end)...]
      rest = rest[rest.index(after: rest.startIndex)..<end]
      guard rest.contains(":"), isPort(port) else { return nil }
      return String(rest)
    }
    if let colon = rest.firstIndex(of: ":") {
      guard isPort(rest[colon...]) else { return nil }
      rest = rest[..<colon]
    }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Empty, or a colon and a number.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) != nil
  }

  /// Of 127.0.0.0/8, or ::1.
  static func isLoopback(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }

  static func isAddress(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }
}
