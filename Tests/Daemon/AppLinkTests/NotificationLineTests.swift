import Testing

@testable import AppLink
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct NotificationLineTests {
  private let notification = Notification(
    id: NotificationID(number: 17), app: mail.app, push: push(1), level: .active, collapseID: nil, isListed: true,
    isSeen: false, alertOrder: nil, hasAction: true)

  @Test("N14: a listening app learns which notification the person opened, each time")
  func opened() async throws {
    let rig = try LinkRig()
    let app = try await rig.listener()
    rig.open(7, payload: "{\n\"aps\":{}}")
    let member = #""push":"\#(push(7))","notification":17,"action":"com.apple.UNNotificationDefaultActionIdentifier""#
    #expect(app.line() == #"{"state":"foreground","opened":{\#(member),"payload":{ "aps":{}}}}"#)
    rig.open(7, text: "a \"b\"\n", payload: "no JSON")
    #expect(app.line() == #"{"state":"foreground","opened":{\#(member),"text":"a \"b\"\n"}}"#)
    rig.open(7, about: "letters/7", payload: nil)
    #expect(app.line() == #"{"state":"foreground","opened":{\#(member),"targetContentID":"letters/7"}}"#)
  }

  @Test("B6, N17: an app sets its badge, lists and removes what is delivered, and learns that it left the foreground")
  func delivered() async throws {
    let rig = try LinkRig()
    let app = try await rig.listener()
    app.write(#"{"badge":3}"# + "\n" + #"{"delivered":true}"# + "\n")
    app.write(#"{"remove":[17,18]}"# + "\n" + #"{"removeAll":true}"# + "\n")
    await rig.recorder.wait(for: .removing(mail, nil))
    #expect(
      rig.recorder.events == [
        .listening(mail, .background), .badge(mail, 3), .listing(mail),
        .removing(mail, [NotificationID(number: 17), NotificationID(number: 18)]), .removing(mail, nil),
      ])
    let content = NotificationContent(
      arrived: WallTime(microseconds: 5), appName: "Mail", title: "T", subtitle: nil, body: "B", actionTitle: nil,
      threadID: "t", payload: [])
    rig.link.sendDelivered(
      mail, [DeliveredNotification(notification, content), DeliveredNotification(notification, nil)])
    let rest = #""notification":17,"push":"\#(push(1))""#
    #expect(
      app.line()
        == #"{"delivered":[{"body":"B","isSeen":false,\#(rest),"thread":"t","title":"T","wallMicroseconds":5},"#
        + #"{"isSeen":false,\#(rest),"wallMicroseconds":0}]}"#)
    rig.link.leftForeground(mail)
    #expect(app.line() == #"{"state":"background"}"#)
    // An error in one of these lines leaves the connection open.
    app.write(#"{"badge":-1}"# + "\n" + #"{"delivered":false}"# + "\n")
    #expect(app.line() == #"{"error":"a badge is 0 or more, not -1"}"#)
    #expect(app.line() == #"{"error":"delivered and removeAll can only be true"}"#)
  }

  @Test("N17: the newest that fit into one line are sent")
  func deliveredLine() {
    let item = DeliveredNotification(notification, nil)
    let one = PushLine.delivered([item], bytes: 1_000)
    #expect(PushLine.delivered([item, item], bytes: one.count) == one)
    #expect(PushLine.delivered([item], bytes: one.count - 1) == Array(#"{"delivered":[]}"#.utf8) + [10])
    #expect(PushLine.delivered([item, item], bytes: 1_000).count == 2 * one.count - 16)
  }

  @Test("N15: an action arrives like a push")
  func response() async throws {
    let rig = try LinkRig()
    let app = try await rig.listener()
    var response = NotificationResponse(
      notification: NotificationID(number: 17), push: push(1), action: "REPLY", text: "Yes")
    response.url = "https://a.example/"
    rig.deliver(1, occasion: .response(response))
    #expect(
      app.line()
        == #"{"push":"\#(push(1))","attempt":1,"state":"background","notification":17,"action":"REPLY","text":"Yes","#
        + #""url":"https://a.example/","payload":{}}"#)
  }
}
