import HTTP
import HandsetCore
import Testing

@testable import PushPort

@Suite("Gotify", .timeLimit(.minutes(10)))
struct GotifyTests {
  private let port: KeyedPort

  init() async throws { port = try await KeyedPort() }

  @Test("A message as JSON, with the key in the field, the query or Authorization")
  func json() async throws {
    let body = #"{"title":"Backup","message":"done","priority":8,"extras":{"client::display":{"a":1}}}"#
    let headers: HeaderFields = ["X-Gotify-Key": topicKey, "Content-Type": "application/json"]
    let answer = try await port.send("POST", "/message", body, headers)
    let push = try #require(port.recorder.pushes.first)
    #expect(
      answer
        == #"200 {"appid":1,"date":"2026-11-21T08:00:00Z","id":\#(push.id.low & 0x7FFF_FFFF),"message":"done","#
        + #""priority":8,"title":"Backup"}"#)
    #expect((push.title, push.text, push.level) == ("Backup", "done", .timeSensitive))
    #expect(push.provider == "parcels")
    #expect(push.payloadText.contains(#""gotify":{"extras":{"client::display":{"a":1}},"priority":8}"#))
    #expect(try await port.send("POST", "/message?token=\(topicKey)", body).hasPrefix("200 "))
    #expect(try await port.send("POST", "/message", body, ["Authorization": "Bearer \(topicKey)"]).hasPrefix("200 "))
  }

  @Test("A form, url-encoded and multipart")
  func forms() async throws {
    let plain: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
    _ = try await port.send("POST", "/message?token=\(topicKey)", "title=A+b&message=%C3%A4&priority=2", plain)
    let parts = [
      "--b0", "Content-Disposition: form-data; name=\"title\"", "", "Title",
      "--b0", "content-disposition: form-data; name=\"file\"; filename=\"message\"", "", "a file",
      "--b0", "Content-Disposition: form-data; name=message", "Content-Type: text/plain", "", "two\r\nlines",
      "--b0--", "",
    ]
    _ = try await port.send(
      "POST", "/message?token=\(topicKey)", parts.joined(separator: "\r\n"),
      ["Content-Type": "multipart/form-data; boundary=\"b0\""])
    let pushes = port.recorder.pushes
    #expect(pushes.map(\.title) == ["A b", "Title"])
    #expect(pushes.map(\.text) == ["ä", "two\r\nlines"])
    // Without sound: Gotify's app rings from priority 4.
    #expect(pushes.map(\.sound) == [.none, .system])
  }

  @Test("The message in the query, an empty priority, names in any case [gin's binding, encoding/json]")
  func binding() async throws {
    let key: HeaderFields = ["X-Gotify-Key": topicKey]
    var form = key
    form.add("application/x-www-form-urlencoded", for: "Content-Type")
    #expect(try await port.send("POST", "/message?message=one&title=T&priority=8", "", key).hasPrefix("200 "))
    #expect(
      try await port.send("POST", "/message?title=Q&message=no", "message=two&priority=", form).hasPrefix("200 "))
    #expect(
      try await port.send("POST", "/message", #"{"Message":"three","TITLE":"T","Priority":8}"#, key).hasPrefix("200 ")
    )
    #expect(try await port.send("POST", "/message?priority=x&message=a", "", key).hasPrefix("400 "))
    #expect(try await port.send("POST", "/message", "", key).hasPrefix("400 "))
    let pushes = port.recorder.pushes
    #expect(pushes.map(\.text) == ["one", "two", "three"])
    #expect(pushes.map(\.title) == ["T", "Q", "T"])
    #expect(pushes.map(\.level) == [.timeSensitive, .passive, .timeSensitive])
  }

  @Test("Priorities are any numbers")
  func priorities() async throws {
    for priority in [-1, 0, 1, 3, 4, 7, 8, 99] {
      _ = try await port.send("POST", "/message?token=\(topicKey)", #"{"message":"m","priority":\#(priority)}"#)
    }
    let pushes = port.recorder.pushes
    #expect(
      pushes.map(\.level)
        == [.passive, .passive, .active, .active, .active, .active, .timeSensitive, .timeSensitive])
    #expect(pushes.map { $0.sound == .none } == [false, false, true, true, false, false, false, false])
  }

  @Test(
    "Refusals have Gotify's form",
    arguments: [
      ("POST", "/message", "{}", "401", "Forbidden"), ("POST", "/message?token=no", "{}", "401", "Unauthorized"),
      ("POST", "/message?token=tk_parcels", "{}", "400", "Bad Request"),
      ("POST", "/message?token=tk_parcels", "message", "400", "Bad Request"),
      ("POST", "/message?token=tk_parcels", #"{"message":"m","priority":"high"}"#, "400", "Bad Request"),
      ("GET", "/message", "", "405", "MethodNotAllowed"),
    ])
  func refused(_ row: (method: String, path: String, body: String, status: String, word: String)) async throws {
    let answer = try await port.send(row.method, row.path, row.body)
    #expect(answer.hasPrefix(#"\#(row.status) {"error":"\#(row.word)","errorCode":\#(row.status),"#))
    #expect(port.recorder.pushes.isEmpty)
  }

  @Test(
    "Malformed forms are not read as forms; files in forms are ignored",
    arguments: [
      "", "--b0", "--b0\r\n", "--b0\r\nno header", "--b0\r\n\r\n\r\n--b0--", "x", "--b0\r\n\r\n--b0", "--b0--",
    ])
  func malformed(_ text: String) {
    let form = FormBody(Array(text.utf8), contentType: "multipart/form-data; boundary=b0")
    #expect(form?.fields.isEmpty ?? true)
  }

  @Test("The header fields of a part, the parts and the fields are limited")
  func formLimits() {
    func fields(_ parts: [(head: String, value: String)]) -> [String: String] {
      let disposition = "Content-Disposition: form-data; name="
      let text = parts.map { "--b\r\n\(disposition)\($0.head)\r\n\r\n\($0.value)\r\n" }.joined() + "--b--"
      let form = FormBody(Array(text.utf8), contentType: "multipart/form-data; boundary=b")
      return Dictionary(form?.fields.map { ($0.name, $0.value) } ?? []) { first, _ in first }
    }
    let room = FormBody.partHeadBytes - "Content-Disposition: form-data; name=".utf8.count
    let longest = String(repeating: "n", count: room)
    #expect(fields([(longest, "x"), ("b", "y")]) == [longest: "x", "b": "y"])
    #expect(fields([(longest + "n", "x"), ("b", "y")]) == ["b": "y"])
    let many = (0...FormBody.fieldLimit).map { (head: "f\($0)", value: "x") }
    #expect(fields(many).count == FormBody.fieldLimit)
    #expect(fields(many)["f\(FormBody.fieldLimit)"] == nil)
    let text = (0...FormBody.fieldLimit).map { "f\($0)=x" }.joined(separator: "&")
    let form = FormBody(Array(text.utf8), contentType: "application/x-www-form-urlencoded")
    #expect(form?.fields.count == FormBody.fieldLimit)
  }

  @Test("Text before the first boundary is ignored")
  func preamble() {
    let text = "------\r\n--b-\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--"
    let form = FormBody(Array(text.utf8), contentType: "multipart/form-data; boundary=b")
    #expect(form == nil)
    let good = text.replacing("--b-\r\n", with: "")
    #expect(FormBody(Array(good.utf8), contentType: "multipart/form-data; boundary=b")?.fields.map(\.value) == ["x"])
  }

  @Test("Gotify's health and version")
  func services() async throws {
    #expect(try await port.send("GET", "/health") == #"200 {"database":"green","health":"green"}"#)
    #expect(try await port.send("GET", "/version").contains(#""version":"2."#))
  }
}
