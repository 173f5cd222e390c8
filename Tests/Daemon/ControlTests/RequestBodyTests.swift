// An unknown key of a request is refused with the nearest one, for every request.

import HTTP
import HandsetCore
import Testing

@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct RequestBodyTests {
  @Test("Every route with a JSON body refuses an unknown key, of any handset", .daemonWithMail)
  func everyRoute() async throws {
    let values = [
      "handset": "1", "id": mail, "identifier": "tea", "name": "silent", "key": "volume", "number": "1",
      "channel": "YQ==",
    ]
    var count = 0
    for route in asker.table.routes {
      let described = try #require(DescribedOperation.all["\(route.method) \(route.pattern)"])
      // A desk refuses those of a bench whatever their body is.
      guard described.operation.body != nil, !route.pattern.contains("/bench/"), route.pattern != "/v1/faults" else {
        continue
      }
      count += 1
      var target = route.pattern
      for (name, value) in values { target = target.replacing("{\(name)}", with: value) }
      if target.contains("/settings/"), !target.contains("/apps/") {
        target = target.replacing("volume", with: "notifications")
      }
      let refusal = try await asker.refusal(route.method, target, #"{"zzzzzzzz":1}"#)
      #expect(refusal.hasPrefix("400 unknown key 'zzzzzzzz' | there "), "\(route.method) \(target): \(refusal)")
    }
    // 20 for a handset, at two paths; 1 for all handsets, 8 for the installation.
    #expect(count == 49)
  }

  @Test(
    "The nearest key is named, also in an object within", .daemonWithMail,
    arguments: [
      ("PUT", "/v1/apps/\(mail)/settings/volume", #"{"vlaue":"40%"}"#, "vlaue", "value"),
      ("POST", "/v1/press", #"{"button":"view","lenght":"long"}"#, "lenght", "length"),
      ("PUT", "/v1/apps/\(mail)/local/tea", #"{"title":"Tea","calendar":{"huor":7}}"#, "calendar.huor", "hour"),
      ("POST", "/v1/sounds/play", #"{"file":{"name":"a","byte":""}}"#, "file.byte", "bytes"),
    ])
  func nearest(_ method: String, _ target: String, _ body: String, _ key: String, _ meant: String) async throws {
    try await asker.refuses(["\(method) \(target) \(body)": "400 unknown key '\(key)' | did you mean '\(meant)'?"])
  }

  @Test(.daemon) func namesTheFirstOfSeveral() async throws {
    try await asker.refuses([
      #"POST /v1/press {"button":"view","zoom":1,"lenght":"long"}"#:
        "400 unknown key 'lenght' | did you mean 'length'?",
      #"PUT /v1/conditions/silent {"on":true}"#: "400 unknown key 'on' | there is value",
    ])
    let long = String(repeating: "x", count: Policy.eventQuoteLimit + 1)
    try await asker.refuses([
      #"PUT /v1/conditions/silent {"\#(long)":true}"#: "400 unknown key '\(long.dropLast())…' | there is value"
    ])
  }

  @Test(.daemonWithMail) func whatIsMissingOrOfAnotherTypeIsSaidAsBefore() async throws {
    try await asker.refuses([
      "PUT /v1/conditions/silent {}": "400 the key 'value' is missing…",
      "PUT /v1/conditions/silent []": "400 …",
      #"PUT /v1/apps/\#(mail)/local/tea {"title":"T","calendar":7}"#: "400 the key 'calendar' is not of the type …",
    ])
    #expect(
      try await asker.ask("PUT", "/v1/apps/\(mail)/local/tea", #"{"title":"T","calendar":null,"afterSeconds":60}"#)
        .status == 200)
  }
}
