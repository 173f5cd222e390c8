import HTTP
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct PanelRoutesTests {
  @Test(.daemon) func letsABrowserIn() async throws {
    let (one, other) = (try await asker.client.panelToken(), try await asker.client.panelToken())
    #expect(one.url.hasPrefix("http://127.0.0.1:2198/#token=") && one.url != other.url)
    #expect(one.validSeconds == 300)
    try await withServer(ControlRig(panelIsOn: false)) { asker, _ async throws in
      for (method, path) in [("GET", "/v1/panel"), ("POST", "/v1/panel/tokens")] {
        try await asker.refuses(["\(method) \(path)": "409 the web panel is off, or could not be started | …"])
      }
    }
  }

  @Test(.daemon) func setsAndRemovesThePassword() async throws {
    try await asker.client.setPanelPassword("correct horse")
    #expect(await rig.panel.isRight("correct horse", from: nil) == true)
    #expect(try await asker.ask("GET", "/v1/panel").body.contains(#""hasPassword":true"#))
    #expect(try await asker.ask("PUT", "/v1/panel/password", #"{"password": "short"}"#).status == 400)
    try await asker.client.setPanelPassword(nil)
    #expect(!rig.panel.hasPassword)
  }

  @Test("A password that cannot be stored does not take effect", .daemon)
  func passwordNotStored() async throws {
    rig.breakStore()
    #expect(try await asker.ask("PUT", "/v1/panel/password", #"{"password": "correct horse"}"#).status == 503)
    #expect(!rig.panel.hasPassword)
  }

  @Test(.daemon) func movesToTheNetworkAndBack() async throws {
    let port = Task {
      for await move in rig.panel.moves {
        let address = Configuration.Address(host: move.toNetwork ? "*" : "127.0.0.1", port: 2198)
        rig.panel.started(at: address, scheme: "http", isOnNetwork: move.toNetwork)
        move.done(nil)
      }
    }
    let on = #"{"isOn": true}"#
    try await asker.refuses([
      "PUT /v1/panel/network \(on)":
        "409 on the network the panel needs a password | 'deskbell panel enable' asks for one"
    ])
    try await asker.client.setPanelPassword("correct horse")
    #expect(try await asker.ask("PUT", "/v1/panel/network", on).body.contains(#""isOnNetwork":true"#))
    #expect(try await asker.client.setPanelNetwork(false).isOnNetwork == false)
    #expect(try await asker.ask("PUT", "/v1/panel/network", #"{"isOn": 1}"#).status == 400)
    rig.panel.ended()
    await port.value
  }

  @Test(.daemonWithMail) func showsATestPush() async throws {
    let body = #"{"app": "com.example.mail", "via": "apns", "body": "Hello", "send": false}"#
    #expect(try await asker.ask("POST", "/v1/pushes", body).status == 404)
    try rig.useCertificate()
    let answer = try await asker.ask("POST", "/v1/pushes", body)
    #expect(answer.status == 200)
    #expect(answer.body.hasPrefix(#"{"curl":"curl "#) && answer.body.contains("Hello"))
    let old = try await asker.ask("POST", "/v1/pushes", body.replacing("apns", with: "2008"))
    #expect(old.status == 200 && old.body.contains("Hello"))
    // Nothing listens there.
    let sent = try await asker.refusal("POST", "/v1/pushes", body.replacing("false", with: "true"))
    #expect(sent.hasPrefix("502 "))
  }

  @Test(
    .daemonWithMail,
    arguments: [
      #"{"app": "com.example.mial", "via": "apns", "body": "x"}"#: "404 no app 'com.example.mial' is installed",
      #"{"app": "com.example.mail", "via": "apn", "body": "x"}"#: "400 there is no protocol 'apn'",
      #"{"app": "com.example.mail", "via": "apns"}"#: "400 there is nothing in this push",
      #"{"app": "com.example.mail", "via": "apns", "payload": "{}", "badge": 1}"#: "400 the payload says it all",
      #"{"app": "com.example.mail", "via": "2008", "title": "x"}"#:
        "400 the 2008 service knows no title, level, thread, collapse identifier or background update",
    ])
  func refusesATestPush(_ body: String, _ words: String) async throws {
    #expect(try await asker.refusal("POST", "/v1/pushes", body).hasPrefix(words))
  }
}
