// The table as a value: no socket is opened here.

import TestSupport
import Testing

@testable import HTTP

@Suite struct RouteTableTests {
  private func table(_ routes: (String, String)...) throws -> RouteTable {
    try RouteTable(routes.map { method, pattern in Route(method, pattern) { _ in .noContent } })
  }

  private func described(_ table: RouteTable, _ method: String, _ path: String) throws -> String {
    let target = try #require(RequestTarget(path))
    switch table.match(method: method, segments: target.segments) {
    case .notFound: return "404"
    case .methodNotAllowed(let methods): return "405 " + methods.joined(separator: ", ")
    case .found(let route, let parameters):
      return parameters.sorted { $0.key < $1.key }.reduce("\(route.method) \(route.pattern)") {
        $0 + " \($1.key)=\($1.value)"
      }
    }
  }

  @Test(arguments: [
    ("GET", "/", "GET /"),
    ("GET", "/apps", "GET /apps"),
    ("GET", "/apps/", "404"),
    ("GET", "/apps//", "404"),
    ("GET", "/apps/a.b", "GET /apps/{id} id=a.b"),
    ("GET", "/apps/a%2Fb%20c", "GET /apps/{id} id=a/b c"),
    ("GET", "/apps/new", "GET /apps/new"),
    ("DELETE", "/apps/new", "DELETE /apps/{app} app=new"),
    ("HEAD", "/apps/a", "GET /apps/{id} id=a"),
    ("POST", "/apps/a/launch", "POST /apps/{id}/launch id=a"),
    ("GET", "/apps/a/launch", "405 POST"),
    ("PUT", "/apps/a", "405 DELETE, GET, HEAD"),
    ("PUT", "/apps/new", "405 DELETE, GET, HEAD"),
    ("POST", "/apps/new/launch", "POST /apps/{id}/launch id=new"),
    ("GET", "/a/b/c/d", "404"),
    ("get", "/apps", "405 GET, HEAD"),
    ("GET", "/apps?limit=3", "GET /apps"),
  ])
  func match(method: String, path: String, expected: String) throws {
    let table = try table(
      ("GET", "/"), ("GET", "/apps"), ("GET", "/apps/{id}"), ("GET", "/apps/new"), ("DELETE", "/apps/{app}"),
      ("POST", "/apps/{id}/launch"))
    #expect(try described(table, method, path) == expected)
  }

  @Test func twoRoutesForOnePath() throws {
    let expected = "GET /a/{y}: taken by GET /a/{x}; remove one of the two"
    let error = #expect(throws: HTTPError.self) { try table(("GET", "/a/{x}"), ("GET", "/a/{y}")) }
    #expect(error?.description == expected)
  }

  @Test func headGoesByThePathFirst() throws {
    let table = try table(
      ("GET", "/a"), ("GET", "/a/{b}"), ("HEAD", "/a/{b}"), ("GET", "/a/b"), ("HAND", "/c"))
    #expect(try described(table, "HEAD", "/a") == "GET /a")
    #expect(try described(table, "HEAD", "/a/b") == "GET /a/b")
    #expect(try described(table, "HEAD", "/a/c") == "HEAD /a/{b} b=c")
    #expect(try described(table, "GET", "/a/c") == "GET /a/{b} b=c")
  }

  @Test func listsItsRoutes() throws {
    let table = try table(("GET", "/a"), ("post", "/b/{c}"))
    #expect(table.routes.map { "\($0.method) \($0.pattern)" } == ["GET /a", "POST /b/{c}"])
  }
}

@Suite struct RequestTargetTests {
  @Test func query() throws {
    let target = try #require(RequestTarget("/a?action=create&name=x+y%26z&empty&name=2"))
    #expect(target.path == "/a")
    #expect(target.query.map(\.name) == ["action", "name", "empty", "name"])
    #expect(target.query.map(\.value) == ["create", "x y&z", "", "2"])
    #expect(target.queryValue("name") == "x y&z")
    #expect(target.queryValue("none") == nil)
    // Programs escape texts in their own encoding: UTF-8, or else Windows-1252.
    #expect(RequestTarget("/a?T%C3%BCr=T%FCr&b=%80")?.query.map { "\($0.name)=\($0.value)" } == ["Tür=Tür", "b=€"])
  }

  @Test(arguments: [
    ("http://localhost/a/b?c=d", ["a", "b"]), ("http://localhost", []), ("/+", ["+"]), ("/%C3%A9", ["é"]),
    ("/.../..a/a..?b=..", ["...", "..a", "a.."]),
  ])
  func segments(text: String, expected: [String]) throws {
    #expect(try #require(RequestTarget(text)).segments == expected)
  }

  @Test(arguments: [
    "", "a", "*", "/%", "/%2", "/%zz", "/%ff", "/a?b=%f", "ftp://x/", "/.", "/..", "/a/../b", "/a/./b", "/%2e%2e/b",
    "/a/.%2E",
  ])
  func malformed(text: String) {
    #expect(RequestTarget(text) == nil)
  }

  @Test func segmentIsEncodedAndDecodedBack() throws {
    let text = "a/b c%?é~"
    #expect(RequestTarget.encodedSegment(text) == "a%2Fb%20c%25%3F%C3%A9~")
    #expect(try #require(RequestTarget("/" + RequestTarget.encodedSegment(text))).segments == [text])
  }
}

@Suite struct HeaderFieldsTests {
  @Test func namesAreComparedWithoutCase() {
    var headers: HeaderFields = ["Accept": "a", "X": "1", "accept": "b"]
    #expect(headers["ACCEPT"] == "a")
    #expect(headers.values(of: "accept") == ["a", "b"])
    headers["aCCEPT"] = "c"
    #expect(headers.values(of: "accept") == ["c"])
    headers["x"] = nil
    #expect(headers.fields.map(\.name) == ["aCCEPT"])
  }

  @Test(arguments: ["", "7", "seven", "ö"])
  func lastValueIsReplaced(_ value: String) {
    let template: HeaderFields = ["a": "1", "id": "5"]
    let headers = template.withValue(value)
    #expect(headers == ["a": "1", "id": value])
    #expect(headers["id"] == value)
    #expect(template["id"] == "5")
    #expect(HeaderFields().withValue(value) == HeaderFields())
  }

  @Test func fieldsKeepTheirOrderAndBytes() {
    var headers: HeaderFields = ["a": "1", "Tür": "ö", "b": ""]
    headers["A"] = "2"
    #expect(headers.fields.map { [$0.name, $0.value] } == [["Tür", "ö"], ["b", ""], ["A", "2"]])
    #expect((headers.count, headers.bytes) == (3, 9))
    #expect(headers.value(at: 0) == [0xC3, 0xB6])
    var read: [[UInt8]] = []
    headers.eachField { read += [Array($0), Array($1)] }
    #expect(read == ["Tür", "ö", "b", "", "A", "2"].map { Array($0.utf8) })
  }
}

@Suite struct ByteTests {
  @Test("Bytes are equal only if all are, however few or many, and wherever the difference is")
  func compared() {
    func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
      one.withUnsafeBytes { one in other.withUnsafeBytes { one.hasBytes(of: $0) } }
    }
    var seed = SplitMix64(state: 35)
    for count in 0...40 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &seed) }
      #expect(areEqual(bytes, bytes))
      #expect(!areEqual(bytes, bytes + [0]))
      for place in 0..<count {
        for bit in 0..<8 {
          var other = bytes
          other[place] ^= 1 << bit
          #expect(!areEqual(bytes, other), "bit \(bit) of byte \(place) of \(count)")
        }
      }
      for _ in 0..<200 where count > 0 {
        // Few values, so that single differences undo each other in a sum that is not kept.
        let (one, other) = (0..<count).reduce(into: ([UInt8](), [UInt8]())) { pair, _ in
          pair.0.append(UInt8.random(in: 0...3, using: &seed))
          pair.1.append(UInt8.random(in: 0...3, using: &seed))
        }
        #expect(areEqual(one, other) == (one == other), "\(one) \(other)")
      }
    }
    #expect(!areEqual(Array("alg".utf8), Array("kid".utf8)))
  }
}
