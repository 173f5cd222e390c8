import HTTP
import HandsetCore

/// The text for a path that no front end claims: most are a valid path with a mistake.
struct PathAdvice: CustomStringConvertible {
  /// Every valid path, for a path that resembles none of them.
  static let ways =
    "APNs: POST /3/device/TOKEN over HTTP/2; " + KeyedWay.allCases.map { $0.request + "; " }.joined()
    + "the 2008 service: /publisher/device/node"

  /// First parts of paths that people open in a browser.
  private static let pages: Set<String> = [
    "favicon.ico", "robots.txt", "index.html", "index.htm", "index.php", "panel", "login", "admin", "ui", "web",
    "dashboard", "apple-touch-icon.png", "manifest.json",
  ]
  private static let monitoring: Set<String> = ["metrics", "healthz", "livez", "readyz", "status", "ping", "ready"]
  /// Other resources of Gotify's API.
  private static let gotify: Set<String> = ["application", "client", "user", "stream", "plugin", "current"]

  private static let panel = "this is the port for pushes; for the web panel run: deskbell panel"

  /// Begins with `no such path`.
  let description: String

  /// - Parameter target: the parsed path; nil if it is malformed.
  init(_ head: RequestHead, _ target: RequestTarget?) {
    let parts = target?.segments ?? []
    description = "no such path; " + (PathAdvice.advice(head.method, parts) ?? PathAdvice.ways)
  }

  private static func advice(_ method: String, _ parts: [String]) -> String? {
    let named = parts.filter { !$0.isEmpty }
    guard let first = named.first else {
      guard parts.isEmpty else { return "a path with // has an empty part; leave one / out" }
      return panel
    }
    if named.count < parts.count {
      return "the path has an empty part, by // or by a / at its end; write \(path(named))"
    }
    if pages.contains(first.lowercased()) { return panel }
    if monitoring.contains(first.lowercased()) {
      return "figures for Prometheus are at the web panel's address, see: deskbell metrics; ntfy's are at /v1/health"
    }
    if let last = named.last, NtfySubscriptions.Format(rawValue: last) != nil || last == "ws", first.contains(",") {
      let topics = first.split(separator: ",").prefix(3).map { "/\($0)/\(last)" }
      return "one subscription reads one topic; subscribe to each: \(topics.joined(separator: ", "))"
    }
    if let apns = apnsAdvice(first, named) { return apns }
    switch first.lowercased() {
    case "h", "hook", "hooks", "webhook": return "a hook is POST /h/KEY, with the key that 'deskbell hook add' printed"
    case "fcm": return "Firebase's API is not spoken here; \(ways)"
    case let word where gotify.contains(word): return "of Gotify's API there are POST /message, /health and /version"
    default: break
    }
    guard named.count == 1 || named.count == 2 && first.contains(",") else { return nil }
    return NtfyRequest.isName(first)
      ? nil : "an ntfy topic's name has 1 to 64 letters, digits, '-' and '_', none of which is \(quoted(odd(first)))"
  }

  private static func apnsAdvice(_ first: String, _ named: [String]) -> String? {
    let place = "pushes of APNs go to POST /3/device/TOKEN, over HTTP/2"
    if first == "device" || first == "devices" || first.lowercased() == "3device" { return place }
    if ["2", "v2", "v3", "apns"].contains(first.lowercased()) { return place }
    // A device token alone. It is not repeated.
    return named.count == 1 && first.utf8.count >= 64 && first.allSatisfy(\.isHexDigit) ? place : nil
  }

  /// Returns the path, or only advice if it may hold a key or a token.
  private static func path(_ parts: [String]) -> String {
    guard parts.first != "h", parts.allSatisfy({ $0.utf8.count <= 40 }) else { return "it with single slashes" }
    return "/" + parts.prefix(4).map { RequestTarget.encodedSegment($0) }.joined(separator: "/")
  }

  private static func odd(_ name: String) -> String {
    name.first { !NtfyRequest.isName(String($0)) }.map(String.init) ?? name
  }
}
