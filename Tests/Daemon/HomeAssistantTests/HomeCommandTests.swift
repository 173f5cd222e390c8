import HandsetCore
import HomeAssistant
import Testing

@Suite struct HomeCommandTests {
  @Test(arguments: [
    (HomeCommand.Name.lamp, "ON", HomeCommand.input(.setHandsetSetting(.lamp, "steady"))),
    (.focus, "work", .input(.setHandsetSetting(.focus, "work"))),
    (.lamp, #"{"state":"ON","effect":"sos","brightness":3}"#, .input(.setHandsetSetting(.lamp, "sos"))),
    (.lamp, #"{"state":"OFF","effect":"sos"}"#, .input(.setHandsetSetting(.lamp, "off"))),
    (.bell, "ON", .ring(tone: nil, volume: nil, duration: nil)),
    (
      .bell, #"{"state":"ON","tone":"ping","volume_level":0.25,"duration":1.5}"#,
      .ring(tone: "ping", volume: 0.25, duration: .milliseconds(1_500))
    ),
    (.bell, #"{"state":"ON","duration":600}"#, .ring(tone: nil, volume: nil, duration: .seconds(600))),
    (.bell, "off", .silence), (.notify, "{}", .notify("{}")), (.press, "view", .input(.press(.view))),
    (.press, "close", .input(.press(.close))), (.press, "clear", .input(.clearCenter)),
    (.press, "snooze", .input(.snooze(nil, for: nil))), (.press, "fetch", .input(.fetch(nil))),
    (.silent, "ON", .input(.setCondition(.silent, true))),
    (.notifications, "off", .input(.setHandsetSetting(.notifications, "off"))),
    (.quietHours, "whatever the setting says", .input(.setHandsetSetting(.quietHours, "whatever the setting says"))),
  ])
  func whatIsAskedFor(name: HomeCommand.Name, payload: String, command: HomeCommand) throws {
    #expect(try HomeCommand(name, Array(payload.utf8)) == command)
  }

  @Test(arguments: [
    (
      HomeCommand.Name.lamp, #"{"state":"ON","effect":"disco"}"#,
      "lamp: expected an effect of steady, blink, double, breathe, heartbeat, sos, or one with a colour behind it, such as "
        + "blink-red: red, orange, yellow, green, cyan, blue, purple, white, not 'disco'"
    ),
    (.lamp, "blue", "lamp: expected on or off, not 'blue'"),
    (.lamp, #"{"state":7}"#, #"lamp: expected a JSON object with a state, "ON" or "OFF", not '{"state":7}'"#),
    (.bell, #"{"state":"ON","volume_level":1.01}"#, "bell: expected a volume_level from 0 to 1, not '1.01'"),
    (.bell, #"{"state":"ON","duration":600.5}"#, "bell: expected a duration from 0 to 600 seconds, not '600.5'"),
    (.bell, #"{"state":"ON","duration":-1}"#, "bell: expected a duration from 0 to 600 seconds, not '-1.0'"),
    (.notify, "", "notify: has no message"),
    (.press, "view ", "press: expected view, close, clear, snooze, fetch, not 'view '"),
    (.silent, "1", "silent: expected on or off, not '1'"),
    (
      .press, "x\r\ny\n\u{85}\u{2028}\u{7F}",
      #"press: expected view, close, clear, snooze, fetch, not 'x\r\ny\n\u{0085}\u{2028}\u{7F}'"#
    ),
    (.silent, "e" + String(repeating: "\u{301}", count: 4_000), "silent: expected on or off, not '…'"),
    (
      .silent, String(repeating: "x", count: 121),
      "silent: expected on or off, not '\(String(repeating: "x", count: 120))…'"
    ),
  ])
  func whatMeansNothing(name: HomeCommand.Name, payload: String, problem: String) {
    let error = #expect(throws: HomeCommandError.self) { try HomeCommand(name, Array(payload.utf8)) }
    #expect(error?.description == problem)
  }

  @Test func bytesThatAreNoText() {
    let error = #expect(throws: HomeCommandError.self) { try HomeCommand(.notify, [0xFF]) }
    #expect(error?.description == "notify: is no text")
  }

  @Test func topicsOfCommands() {
    let topics = HomeTopics(device: "deskbell-1", base: "deskbell/desk")
    for name in HomeCommand.Name.allCases { #expect(topics.command(at: topics.set(name)) == name) }
    for stranger in [
      "deskbell/desk/lamp", "deskbell/desk//set", "deskbell/desk/what/set", "deskbell/other/lamp/set", "/set",
    ] {
      #expect(topics.command(at: stranger) == nil)
    }
    #expect(topics.config == "homeassistant/device/deskbell-1/config")
  }
}
