// Any page in a user's browser can send requests to the panel's port. Their header fields alone decide whether they are
// admitted, before the body is read: by the host name that the browser uses (DNS rebinding), by the page that sends
// them (CSRF), and by a key that only the panel's own page can have.

import HTTP
import ServerIdentity
import UnixSockets

/// A filter that admits requests, or gives the reason for refusing.
struct PanelGuard: Sendable {
  /// The field that only a page of the panel's own origin can send: browsers ask before they send it from other
  /// origins, and are never allowed to. Its value is the key of the session.
  static let keyField = "Deskbell-Panel"

  let isSecure: Bool
  /// The names of the panel besides addresses, in lower case; nil if only this machine can reach it.
  let names: Set<String>?
  /// Called for requests that have passed all other checks.
  let isSignedIn: @Sendable (HTTPRequest) -> Bool

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
    // A link from another page may lead to the panel; no other request from another page is admitted.
    default:
      guard isPage, request.headers["Sec-Fetch-Mode"] == "navigate" else { return PanelGuard.foreign }
    }
    switch request.headers["Sec-Fetch-Dest"] {
    case "iframe", "frame", "embed", "object": return HTTPError(403, "the panel is not shown within other pages")
    default: break
    }
    // Segments are decoded, as for the routes, so /%73ession does not evade this.
    let isSession = request.target.segments == ["session"]
    guard request.target.segments.first == "v1" || isSession else { return nil }
    // A monitor is not a page. Without a session it gets one word as an answer.
    let isRead = request.method == "GET" || request.method == "HEAD"
    if request.target.segments == ["v1", "health"] && isRead { return nil }
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

  /// Returns true for the panel's own names. An attacker's DNS can point a name to us, but no address. The port does
  /// not matter: one forwarded through SSH is different.
  private func isOurs(_ host: String) -> Bool {
    let host = host.lowercased()
    guard let name = (NetworkAddress(host) ?? NetworkAddress("\(host):0"))?.host,
      name.contains(":") == host.hasPrefix("[")
    else { return false }
    let address = CertificateNames.address(name)
    if name == "localhost" || address.map(PanelGuard.isLoopback) == true { return true }
    guard let names else { return false }
    // `*.example.org` replaces only the first part of a name, as in certificates [RFC 6125, 6.4.3].
    return names.contains(name) || names.contains("*\(name.drop { $0 != "." })") || address != nil
  }

  private static func isLoopback(_ address: [UInt8]) -> Bool {
    address.count == 4 ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }
}
