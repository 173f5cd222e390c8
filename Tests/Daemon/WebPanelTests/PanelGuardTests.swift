import HTTP
import Testing

@testable import WebPanel

@Suite struct PanelGuardTests {
  private func fault(
    _ fields: [(String, String)], _ method: String = "GET", _ path: String = "/v1/state", names: Set<String>? = nil,
    isSecure: Bool = false, isSignedIn: Bool = true
  ) throws -> Int? {
    var headers = HeaderFields()
    for (name, value) in fields { headers.add(value, for: name) }
    let gate = PanelGuard(isSecure: isSecure, names: names) { _ in isSignedIn }
    return gate.fault(in: HTTPRequest(method: method, target: try #require(RequestTarget(path)), headers: headers))?
      .status
  }

  private static let good = [("Host", "127.0.0.1:2198"), ("Deskbell-Panel", "key")]

  @Test func letsItsOwnPageIn() throws {
    #expect(try fault(Self.good) == nil)
    let sameOrigin = [("Origin", "http://127.0.0.1:2198"), ("Sec-Fetch-Site", "same-origin")]
    #expect(try fault(Self.good + sameOrigin, "POST", "/v1/press") == nil)
    #expect(try fault([("Host", "localhost:2198")], "GET", "/") == nil)
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:1", "localhost:2198", "LocalHost", "[::1]:2198", "[::1]", "127.1.2.3:80",
  ])
  func isCalledByLoopbacksNames(_ host: String) throws {
    #expect(try fault([("Host", host)], "GET", "/") == nil)
  }

  /// DNS rebinding: the attacker's name resolves to this machine.
  @Test(arguments: [
    "evil.example", "evil.example:2198", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.5:2198",
    "bell.local", "", ":2198", "[::1", "[127.0.0.1]", "127.0.0.1:x", "127.0.0.1:99999", "::1", "localhost.", "0.0.0.0",
    "127.0.0.1@evil.example", "127.0.0.1, evil.example",
  ])
  func isNotCalledByAnyOther(_ host: String) throws {
    #expect(try fault([("Host", host)], "GET", "/") == 421)
  }

  @Test func oneHostAndNoMore() throws {
    #expect(try fault([], "GET", "/") == 421)
    #expect(try fault([("Host", "localhost"), ("Host", "evil.example")], "GET", "/") == 421)
    #expect(try fault([("Host", "localhost"), ("Host", "localhost")], "GET", "/") == 421)
  }

  @Test func aNameOfTheCertificateMayStandForOnePart() throws {
    let names: Set = ["*.example.org"]
    for host in ["bell.example.org", "Bell.Example.org:2198"] {
      #expect(try fault([("Host", host)], "GET", "/", names: names, isSecure: true) == nil, "\(host)")
    }
    for host in ["example.org", "a.bell.example.org", "bell.example.com", "bell", "*"] {
      #expect(try fault([("Host", host)], "GET", "/", names: names, isSecure: true) == 421, "\(host)")
    }
  }

  @Test func onTheNetworkItHasItsNamesAndAddresses() throws {
    for host in ["bell.local:2198", "BELL.local", "192.168.1.5:2198", "[fd00::1]:2198", "localhost"] {
      #expect(try fault([("Host", host)], "GET", "/", names: ["bell.local"], isSecure: true) == nil, "\(host)")
    }
    for host in ["evil.example", "bell.local.evil.example", "xbell.local"] {
      #expect(try fault([("Host", host)], "GET", "/", names: ["bell.local"], isSecure: true) == 421, "\(host)")
    }
  }

  /// CSRF: another page, also on another port of the same host, which browsers call the same site.
  @Test(arguments: [
    ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "http://127.0.0.1:3000"),
    ("Origin", "https://127.0.0.1:2198"), ("Origin", "http://localhost:2198"), ("Origin", ""),
    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Site", "somewhere"),
    ("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Dest", "embed"), ("Sec-Fetch-Dest", "object"),
    ("Sec-Fetch-Dest", "frame"),
  ])
  func noOtherPageAsks(_ field: String, _ value: String) throws {
    for (method, path) in [("GET", "/v1/state"), ("POST", "/v1/press"), ("POST", "/session"), ("GET", "/panel.css")] {
      #expect(try fault(Self.good + [(field, value)], method, path) == 403, "\(method) \(path)")
    }
  }

  @Test func twoOriginsAreNone() throws {
    let origin = ("Origin", "http://127.0.0.1:2198")
    #expect(try fault(Self.good + [origin, origin]) == 403)
  }

  @Test func aLinkMayLeadToThePageAndNowhereElse() throws {
    let link = [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
    #expect(try fault(link + [("Sec-Fetch-Dest", "document")], "GET", "/") == nil)
    #expect(try fault(link + [("Sec-Fetch-Dest", "iframe")], "GET", "/") == 403)
    #expect(try fault(link, "POST", "/") == 403)
    #expect(try fault(link, "GET", "/v1/state") == 403)
    #expect(try fault(link, "GET", "/session") == 403)
  }

  @Test func withoutItsOwnFieldNothingIsAnswered() throws {
    for (method, path) in [
      ("GET", "/v1/state"), ("POST", "/session"), ("DELETE", "/session"), ("POST", "/%73ession"), ("GET", "/v1/none"),
      ("GET", "/%761/state"),
    ] {
      #expect(try fault([("Host", "localhost")], method, path) == 403, "\(method) \(path)")
      let twice = [("Host", "localhost"), ("Deskbell-Panel", "a"), ("Deskbell-Panel", "b")]
      #expect(try fault(twice, method, path) == 403)
    }
    #expect(try fault([("Host", "localhost")], "GET", "/panel.css") == nil)
  }

  @Test func onlyWhoIsSignedInGetsFurther() throws {
    #expect(try fault(Self.good, isSignedIn: false) == 401)
    #expect(try fault(Self.good, "GET", "/v1/no/such/path", isSignedIn: false) == 401)
    #expect(try fault(Self.good, "POST", "/session", isSignedIn: false) == nil)
    #expect(try fault(Self.good, "GET", "/%76%31/state", isSignedIn: false) == 401)
  }
}
