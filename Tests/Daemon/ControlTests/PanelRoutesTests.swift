// The routes about the web panel on the control socket, and those that serve it.

import HTTPRoutes
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct PanelRoutesTests {
  @Test func letsABrowserIn() async throws {
    try await withServer { asker, rig async throws in
      #expect(try await asker.ask("GET", "/v1/panel").status == 200)
      #expect(try await asker.ask("POST", "/v1/panel/tokens").status == 200)
      #expect(try await asker.client.panelToken().url == "http://127.0.0.1:2198/#token=x")
      rig.breakStore()
      #expect(try await asker.refusal("POST", "/v1/panel/tokens") == "409 the web panel is off")
    }
  }

  @Test func setsAndRemovesThePassword() async throws {
    try await withServer { asker, rig async throws in
      #expect(try await asker.ask("PUT", "/v1/panel/password", #"{"password": "correct horse"}"#).status == 204)
      #expect(rig.panelPassword == "correct horse")
      #expect(try await asker.ask("GET", "/v1/panel").body.contains(#""hasPassword":true"#))
      #expect(try await asker.ask("DELETE", "/v1/panel/password").status == 204)
      #expect(rig.panelPassword == nil)
      try await asker.client.setPanelPassword("battery staple")
      #expect(rig.panelPassword == "battery staple")
      try await asker.client.setPanelPassword(nil)
      #expect(rig.panelPassword == nil)
    }
  }

  @Test func movesToTheNetworkAndBack() async throws {
    try await withServer { asker, _ async throws in
      let on = #"{"isOn": true}"#
      #expect(
        try await asker.refusal("PUT", "/v1/panel/network", on) == "409 on the network the panel needs a password")
      try await asker.client.setPanelPassword("correct horse")
      #expect(try await asker.ask("PUT", "/v1/panel/network", on).body.contains(#""isOnNetwork":true"#))
      #expect(try await asker.client.setPanelNetwork(false).isOnNetwork == false)
      #expect(try await asker.ask("PUT", "/v1/panel/network", #"{"isOn": 1}"#).status == 400)
    }
  }

  @Test func sendsATestPushAndTellsWhatCameOfIt() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      let answer = try await asker.ask(
        "POST", "/v1/pushes", #"{"app": "com.example.mail", "via": "apns", "body": "Hello", "send": false}"#)
      #expect(answer.status == 200)
      #expect(answer.body == #"{"curl":"curl","push":"p","reason":"Forbidden","status":403}"#)
      #expect(rig.testPushes.map(\.body) == ["Hello"])
      #expect(rig.testPushes.map(\.send) == [false])
    }
  }

  @Test(arguments: [
    (#"{"app": "com.example.mial", "via": "apns", "body": "x"}"#, "404 no app 'com.example.mial' is installed"),
    (#"{"app": "com.example.mail", "via": "apn", "body": "x"}"#, "400 there is no protocol 'apn'"),
    (#"{"app": "com.example.mail", "via": "apns"}"#, "400 there is nothing in this push"),
    (#"{"app": "com.example.mail", "via": "apns", "payload": "{}", "badge": 1}"#, "400 the payload says it all"),
    (
      #"{"app": "com.example.mail", "via": "2008", "title": "x"}"#,
      "400 the 2008 service knows no title, level, thread, collapse identifier or background update"
    ),
  ])
  func refusesATestPush(_ body: String, _ words: String) async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      #expect(try await asker.refusal("POST", "/v1/pushes", body).hasPrefix(words))
      #expect(rig.testPushes.isEmpty)
    }
  }

  @Test func drawsASound() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      let system = #"{"milliseconds":1500,"peaks":[0,100],"sound":"default"}"#
      #expect(try await asker.ask("GET", "/v1/sounds/letter/waveform").body == system)
      let own = try await asker.ask("GET", "/v1/sounds/letter/waveform?app=com.example.mail").body
      #expect(own == #"{"milliseconds":1500,"peaks":[0,100],"sound":"letter"}"#)
      #expect(try await asker.ask("GET", "/v1/sounds/letter/waveform?app=com.example.other").status == 404)
      let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
      #expect(try await asker.ask("GET", "/v1/sounds/\(long)/waveform").status == 200)
      #expect(try await asker.ask("GET", "/v1/sounds/\(long)x/waveform").status == 404)
    }
  }

  @Test func sendsASoundAsItIsPlayed() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      #expect(try await asker.ask("GET", "/v1/sounds/letter/audio").body.contains("RIFF "))
      #expect(try await asker.ask("GET", "/v1/sounds/letter/audio?app=com.example.mail").body.contains("letter"))
      #expect(try await asker.ask("GET", "/v1/sounds/letter/audio?app=com.example.other").status == 404)
      let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
      #expect(try await asker.ask("GET", "/v1/sounds/\(long)x/audio").status == 404)
    }
  }
}
