import HandsetCore
import HomeAssistant
import Testing

@Suite struct HomeReportTests {
  private let topics = HomeTopics(device: "deskbell-1", base: "b")
  private let mail = AppID("com.example.mail")!

  private func handset() -> Handset {
    var handset = Handset()
    let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!
    _ = handset.handle(.install(AppManifest(id: mail, name: "Mail"), token: token), at: moment(0))
    _ = handset.handle(.register(mail, .all, token: token), at: moment(0))
    return handset
  }

  private func moment(_ seconds: Int) -> Moment {
    Moment(uptime: .seconds(seconds), wall: WallTime(seconds: 1_800_000_000 + Int64(seconds)))
  }

  private func push(_ badge: Int, _ body: String) -> Push {
    Push(
      id: PushID("00000000-0000-4000-8000-00000000000\(badge)")!, token: nil, topic: mail,
      message: Message(title: .literal("T"), body: .literal(body)), badge: .number(badge))
  }

  private func texts(_ messages: [(topic: String, payload: [UInt8])]) -> [String] {
    messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
  }

  @Test func whatIsShownIsOnePayloadForEachTopic() {
    var handset = handset()
    _ = handset.handle(.push(push(4, "A")), at: moment(1))
    _ = handset.handle(.setCondition(.silent, true), at: moment(1))
    let state = HomeState(
      of: handset, at: moment(2), sound: "ping", volume: 0.5,
      devices: [("lamp", nil), ("push gateway", "the port is taken")])
    #expect(
      texts(state.payloads(topics)) == [
        #"b/state {"apps":{"com.example.mail":4},"badge":4,"focus":"off","held":0,"notifications":"on","quiet_hours":"off","silent":"on","unseen":1}"#,
        #"b/lamp {"effect":"blink","state":"ON"}"#,
        #"b/bell {"state":"ON","tone":"ping","volume_level":0.5}"#,
        #"b/devices {"lamp":"","push-gateway":"the port is taken"}"#,
      ])
  }

  @Test func eventsOfATurn() {
    var handset = handset()
    let presented = handset.handle(.push(push(1, "First")), at: moment(1))
    #expect(
      HomeEvent.all(of: presented).map { $0.message(topics) }.map { texts([$0])[0] } == [
        #"b/event/notification {"app":"com.example.mail","body":"First","event_type":"presented","push":"00000000-0000-4000-8000-000000000001","title":"T"}"#
      ])
    let badge = handset.handle(
      .push(Push(id: PushID("00000000-0000-4000-8000-000000000002")!, token: nil, topic: mail, badge: .number(2))),
      at: moment(2))
    #expect(HomeEvent.all(of: badge) == [])
    let pressed = handset.handle(.press(.close, .long), at: moment(3))
    #expect(
      HomeEvent.all(of: pressed) == [
        .button(.longPress, .close, .long), .notification(.dismissed, app: mail, push: nil),
      ])
    _ = handset.handle(.setAppSetting(mail, .style, "alert"), at: moment(4))
    _ = handset.handle(.push(push(3, "Second")), at: moment(5))
    let answered = handset.handle(.press(.view), at: moment(6))
    #expect(
      HomeEvent.all(of: answered) == [
        .button(.view, .view, .short), .notification(.opened, app: mail, push: push(3, "").id),
      ])
  }

  /// Every entity has a unique name, because Home Assistant would drop one of two equal ones.
  @Test func entitiesOfADevice() throws {
    var device = HomeDevice(id: "deskbell-1", name: "Desk", version: "1")
    (device.panel, device.sounds, device.devices) = ("https://desk:2198/", ["bell"], ["push gateway"])
    let text = String(decoding: device.discovery(topics), as: UTF8.self)
    #expect(text.contains(#""configuration_url":"https://desk:2198/""#))
    #expect(text.contains(#""model":"no board""#))
    #expect(!text.contains(#""platform":"light""#))
    #expect(
      text.contains(
        #""value_template":"{{ 'ON' if value_json['push-gateway'] else 'OFF' }}""#))
    #expect(text.ranges(of: #""unique_id":"deskbell-1-"#).count == 17)
    device.focusModes = ["sleep", "work"]
    let withModes = String(decoding: device.discovery(topics), as: UTF8.self)
    #expect(withModes.contains(#""options":["off","sleep","work"]"#))
  }
}
