// A push's way in the words of Apple's console, from the events of real turns.

import Testing

@testable import HandsetCore

@Suite struct DeliveryStatusTests {
  private static let app = AppID("mail")!
  private static let start = Moment(uptime: .seconds(1_000), wall: HandsetRig.wallStart)

  private static func push(_ number: Int, _ change: (inout Push) -> Void = { _ in }) -> Input {
    var push = Push(
      id: Label.push(number), token: Label.token(1), topic: app, message: Message(body: .literal("Letter")),
      expiration: .at(start.wall.advanced(by: .seconds(60))), payload: Array("\(number)".utf8))
    change(&push)
    return .push(push)
  }

  private static func update(_ number: Int) -> Input {
    push(number) { ($0.message, $0.contentAvailable, $0.type, $0.priority) = (nil, true, .background, 5) }
  }

  /// Returns the lines of push 1, each with its status.
  private func log(
    _ inputs: [Input], registered: Bool = true, then later: [Input] = [], after time: Duration = .zero
  ) -> [String] {
    var handset = Handset()
    var log = DeliveryLog()
    func read(_ input: Input, _ now: Moment) {
      for event in handset.handle(input, at: now).events where event.push == Label.push(1) {
        #expect(event.kind.deliveryStep == DeliveryStep(EventReport(event)))
        log.read(EventReport(event))
      }
    }
    let manifest = AppManifest(id: Self.app, name: "Mail", receivesBackgroundUpdates: true)
    read(.install(manifest, token: Label.token(1)), Self.start)
    if registered { read(.register(Self.app, [.alert], token: Label.token(2)), Self.start) }
    for input in inputs { read(input, Self.start) }
    let now = Moment(uptime: Self.start.uptime + time, wall: Self.start.wall.advanced(by: time))
    for input in later { read(input, now) }
    return log.lines.map { "\($0.step.line): \($0.status?.rawValue ?? "none")" }
  }

  private let received = "received by APNS Server: Received by APNs"
  private let delivered = "successfully delivered to the target device: Delivered to Device"
  private let deliveredLater = "successfully delivered to the target device: Delivered to Device (From Storage)"
  private let offline = "stored as device was offline: Stored – Device Offline"
  private let power = "stored for device power considerations: Stored – Power Considerations"

  @Test func `A push is delivered once, however many events tell of it`() {
    let both = Self.push(1) { $0.contentAvailable = true }
    #expect(log([Self.push(1)]) == [received, delivered])
    #expect(log([both]) == [received, delivered])
    #expect(
      log([.setCondition(.lowPower, true), both], then: [.setCondition(.lowPower, false)]) == [received, delivered])
    #expect(log([.lifecycle(Self.app, .launch), Self.push(1)]) == [received, delivered])
    #expect(log([.lifecycle(Self.app, .forceQuit), Self.update(1)]) == [received, delivered])
  }

  @Test func `What was stored is delivered from storage, or discarded there`() {
    let away = Input.setCondition(.offline, true)
    let back = Input.setCondition(.offline, false)
    let kept = [received, offline]
    #expect(log([away, Self.push(1)]) == kept)
    #expect(log([away, Self.push(1)], then: [back]) == kept + [deliveredLater])
    #expect(
      log([away, Self.push(1)], then: [back], after: .seconds(60)) == kept + [
        "discarded as notification expired: Discarded – Expired"
      ])
    #expect(
      log([away, Self.push(1)], then: [Self.push(2)]) == kept + ["discarded as a newer notification was stored: none"])
    #expect(
      log([away, Self.push(1)], then: [.unregister(Self.app), back]) == kept + [
        "discarded as application was not registered: Discarded – Token Unregistered (From Storage)"
      ])
    #expect(
      log([away, Self.push(1)], then: [.setAppSetting(Self.app, .allowNotifications, "off"), back]) == kept + [
        "discarded as notifications were disabled: Discarded – Disabled (From Storage)"
      ])
    let saving = Input.setCondition(.lowPower, true)
    #expect(
      log([away, saving, Self.update(1)], then: [back, .setCondition(.lowPower, false)])
        == kept + [power, deliveredLater])
  }

  @Test func `What is not stored is discarded at once`() {
    let once = Self.push(1) { $0.expiration = .once }
    #expect(
      log([.setCondition(.offline, true), once]) == [
        received, "discarded as device was offline: Discarded – Expired",
      ])
    #expect(
      log([Self.push(1)], registered: false) == [
        received, "discarded as application was not registered: Discarded – Token Unregistered",
      ])
    let off = Input.setHandsetSetting(.notifications, "off")
    #expect(log([off, Self.push(1)]) == [received, "discarded as notifications were disabled: Discarded – Disabled"])
    // Only what is for the person is disabled.
    let both = Self.push(1) { $0.contentAvailable = true }
    #expect(log([off, both]) == [received, delivered])
    #expect(
      log([off, .setCondition(.lowPower, true), both], then: [.setCondition(.lowPower, false)])
        == [received, power, deliveredLater])
  }

  @Test func `Of two pushes with one identifier the newest counts, and a local notification has no log`() {
    #expect(log([Self.push(1), Self.push(1) { $0.payload = [1] }]) == [received, delivered])
    var log = DeliveryLog()
    for kind in [Event.Kind.due("tea"), .presented(Event.Presented())] {
      log.read(EventReport(Event(sequence: 1, moment: Self.start, app: Self.app, push: Label.push(1), kind: kind)))
    }
    #expect(log.lines.isEmpty)
  }

  @Test func `A log whose beginning the journal has lost begins with what is left`() {
    var log = DeliveryLog()
    log.read(EventReport(Event(sequence: 9, moment: Self.start, push: Label.push(1), kind: .discarded(.expired))))
    #expect(log.lines.map(\.status) == [.expired])
  }

  @Test func `Ten statuses, each with a label of its own, and Apple's five lines`() {
    #expect(DeliveryStatus.allCases.count == 10)
    #expect(Set(DeliveryStatus.allCases.map(\.label)).count == 10)
    let steps: [DeliveryStep] = [
      .received, .delivered, .storedOffline, .storedForPower, .unregistered, .expired, .offline, .disabled, .replaced,
      .withdrawn,
    ]
    #expect(steps.count(where: \.isApples) == 5)
    let statuses = steps.flatMap { step in [false, true].compactMap { step.status(fromStorage: $0) } }
    #expect(Set(statuses) == Set(DeliveryStatus.allCases))
  }

  @Test func `The development service's identifier is in the event of the push, and of the same push again`() {
    var handset = Handset()
    let manifest = AppManifest(id: Self.app, name: "Mail")
    _ = handset.handle(.install(manifest, token: Label.token(1)), at: Self.start)
    for (number, name) in [(7, "accepted"), (8, "duplicate")] {
      let input = Self.push(1) { ($0.hasProviderID, $0.uniqueID) = (true, Label.push(number)) }
      let report = handset.handle(input, at: Self.start).events.map { EventReport($0) }[0]
      #expect(report.event == name && report.names(Label.push(number)) && report.names(Label.push(1)))
      #expect(!report.names(Label.push(9)))
    }
  }
}
