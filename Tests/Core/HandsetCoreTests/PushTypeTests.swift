// The table of push types, and the device tokens of widgets and controls.

import Testing

@testable import HandsetCore

@Suite struct PushTypeTests {
  private let mail = AppID("mail")!

  @Test("Each background mode and each suffix of a topic belongs to one type")
  func table() {
    #expect(PushType.backgroundModes.count == Set(PushType.backgroundModes).count)
    for mode in PushType.backgroundModes { #expect(PushType(backgroundMode: mode)?.rules.delivery?.mode == mode) }
    #expect(PushType(backgroundMode: "remote-notification") == nil)
    let suffixes = PushType.allCases.compactMap(\.rules.topicSuffix)
    #expect(suffixes.count == Set(suffixes).count && suffixes.count == PushType.allCases.count - 3)
    #expect(PushType.allCases.filter { $0.rules.needsProviderToken } == [.location])
    #expect(PushType.allCases.filter { $0.rules.delivery == nil } == [.alert, .background, .liveactivity])
  }

  private func handset(_ types: [PushType]) -> HandsetRig {
    var rig = HandsetRig()
    var manifest = AppManifest(id: mail, name: "Mail")
    manifest.pushTypes = types
    rig.submit(.install(manifest, token: Label.token(1)))
    return rig
  }

  @Test("T4: an app that names a mode of widgets or controls has a token for it, and a push to another one is noted")
  func tokens() {
    var rig = handset([.widgets, .voip])
    let registered = rig.submit(.register(mail, .all, token: Label.token(2)))
    #expect(registered.effects == [.mint(.widgets, mail)])
    rig.submit(.mintedToken(mail, .widgets, Label.token(3)))
    #expect(rig.handset.purposeTokens(of: mail) == [.widgets: Label.token(3)])

    func submit(_ number: Int, _ type: PushType, to token: Int) -> Turn {
      rig.submit(
        .push(Push(id: Label.push(number), token: Label.token(token), topic: mail, type: type, contentAvailable: true)))
    }
    func names(_ turn: Turn) -> [String] { turn.events.map(\.name) }
    #expect(names(submit(1, .widgets, to: 3)) == ["accepted", "reload", "lifecycle", "delivered", "completed"])
    #expect(names(submit(2, .widgets, to: 1)) == ["accepted", "ignored", "reload", "delivered", "completed"])
    // An app that names no such mode has one token for all.
    #expect(names(submit(3, .voip, to: 1)) == ["accepted", "delivered", "completed"])
    #expect(submit(4, .voip, to: 3).verdict == .refused(.tokenOfAnotherUse))

    rig.submit(.unregister(mail))
    guard case .refused(.unregistered) = submit(5, .widgets, to: 3).verdict else {
      Issue.record("the token of an app that unregistered is still good")
      return
    }
    #expect(rig.problems == [])
  }

  @Test("T4: a new bundle without the mode ends the token")
  func newBundle() {
    var rig = handset([.controls])
    rig.submit(.register(mail, .all, token: Label.token(2)))
    rig.submit(.mintedToken(mail, .controls, Label.token(3)))
    rig.submit(.install(AppManifest(id: mail, name: "Mail"), token: Label.token(4)))
    #expect(rig.handset.purposeTokens(of: mail) == [:])
    #expect(rig.problems == [])
  }

  @Test(
    "T4, X1: the events of reloads and of service extensions",
    arguments: [
      (Event.Kind.reload(.widgets), "reload", ["type": Event.Field.text("widgets")]),
      (.extended(.extensionTimedOut), "extended", ["result": .text("timed-out")]),
      (.extended(.extensionFailed, reason: "no"), "extended", ["result": .text("failed"), "detail": .text("no")]),
    ])
  func events(_ kind: Event.Kind, _ name: String, _ fields: [String: Event.Field]) {
    let moment = Moment(uptime: .zero, wall: WallTime(microseconds: 0))
    let report = EventReport(Event(sequence: 1, moment: moment, app: mail, push: Label.push(1), kind: kind))
    #expect(report.event == name && report.fields == fields)
  }
}
