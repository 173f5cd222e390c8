import FoundationEssentials
import Testing

@testable import HandsetCore

@Suite struct EventEncodingTests {
  private static let push = PushID("123E4567-e89b-12d3-a456-426614174000")!
  private static let newer = PushID(high: 0, low: 2)

  /// Each kind of event and its fields as JSON.
  static let table: [(kind: Event.Kind, fields: String)] = [
    (.started(.daemon), #""after":"daemon","event":"started""#),
    (.started(.board), #""after":"board","event":"started""#),
    (.installed, #""event":"installed""#),
    (.uninstalled, #""event":"uninstalled""#),
    (.registered([.alert, .badge]), #""event":"registered","kinds":["badge","alert"]"#),
    (.registered([]), #""event":"registered","kinds":[]"#),
    (.unregistered, #""event":"unregistered""#),
    (.lifecycle(.forceQuit), #""event":"lifecycle","state":"forceQuit""#),
    (.setting(key: "style", value: "alert"), #""event":"setting","key":"style","value":"alert""#),
    (.accepted(.background), #""event":"accepted","type":"background""#),
    (
      .refused(status: 413, reason: "PayloadTooLarge", detail: "4097 bytes"),
      #""detail":"4097 bytes","event":"refused","reason":"PayloadTooLarge","status":413"#
    ),
    (
      .refused(status: 410, reason: "Unregistered", detail: "gone"),
      #""detail":"gone","event":"refused","reason":"Unregistered","status":410"#
    ),
    (
      .ignored(PayloadFault(path: "aps.sound", problem: "expected a string, got a number")),
      #""event":"ignored","path":"aps.sound","problem":"expected a string, got a number""#
    ),
    (
      .duplicate(),
      #""event":"duplicate","reason":"came-again","rule":"P1","text":"it came within the last hour and counts once""#
    ),
    (
      .reusedID,
      #""event":"reused-id","reason":"id-in-use","rule":"P1","text":"another push had its apns-id within the last hour: this one is new""#
    ),
    (.badBadge("\"1\"\n"), #""event":"bad-badge","value":"\"1\"\n""#),
    (
      .presented(.init(style: .banner, isListed: true, rung: Rung(sound: "letter"), replaces: newer)),
      #""event":"presented","listed":true,"replaces":"00000000-0000-0000-0000-000000000002","sound":"letter","style":"banner""#
    ),
    (
      .presented(.init(rung: Rung(sound: "default"))),
      #""event":"presented","listed":false,"sound":"default","style":"none""#
    ),
    (
      .presented(.init(style: .alert, rung: Rung(vibration: "pulse", silenced: .quietHours))),
      #""event":"presented","listed":false,"silenced":"quiet-hours","rule":"S5","text":"these are quiet hours","style":"alert","vibration":"pulse""#
    ),
    (.button(.close, .long), #""button":"close","event":"button","press":"long""#),
    (.seen(2), #""count":2,"event":"seen""#),
    (.timeZone("Europe/Berlin"), #""event":"time-zone","name":"Europe/Berlin""#),
    (.foregroundPresentation([.sound]), #""event":"foreground-presentation","kinds":["sound"]"#),
    (
      .scheduled("tea", due: WallTime(seconds: 7)),
      #""dueWallMicroseconds":7000000,"event":"scheduled","identifier":"tea""#
    ),
    (
      .unscheduled("tea", .pendingLimit),
      #""event":"unscheduled","identifier":"tea","reason":"pending-limit","rule":"L2","text":"64 that are due sooner are pending""#
    ),
    (.due("tea"), #""event":"due","identifier":"tea""#),
    (
      .notPresented(.foreground),
      #""event":"not-presented","reason":"foreground","rule":"N2","text":"the app is in the foreground""#
    ),
    (.badge(9_223_372_036_854_775_807), #""event":"badge","number":9223372036854775807"#),
    (.answered(.view), #""button":"view","event":"answered""#),
    (
      .alertDropped(.alertLimit),
      #""event":"alert-dropped","reason":"alert-limit","rule":"N7","text":"32 newer alerts are up""#
    ),
    (
      .alertDropped(.alertNotAllowed),
      #""event":"alert-dropped","reason":"not-allowed","rule":"S1","text":"alerts of this app are no longer allowed""#
    ),
    (
      .cleared(.badgeZero, count: 3),
      #""count":3,"event":"cleared","reason":"badge-zero","rule":"B3","text":"the badge was set to zero""#
    ),
    (.condition(.lowPower, true), #""condition":"low-power","event":"condition","on":true"#),
    (.kept(.offline), #""event":"kept","reason":"offline","rule":"F1","text":"the handset was unreachable""#),
    (.arrived, #""event":"arrived""#),
    (
      .held(.budget),
      #""event":"held","reason":"budget","rule":"U7","text":"three updates were delivered in the last 60 minutes""#
    ),
    (
      .discarded(.replacedOffline, newer: newer),
      #""event":"discarded","reason":"replaced-offline","rule":"F1","text":"a newer push replaced it while the handset was unreachable","replacedBy":"00000000-0000-0000-0000-000000000002""#
    ),
    (
      .discarded(.replaced, newer: newer),
      #""event":"discarded","reason":"replaced","rule":"U4","text":"a newer update replaced it","replacedBy":"00000000-0000-0000-0000-000000000002""#
    ),
    (.discarded(.expired), #""event":"discarded","reason":"expired","rule":"U9","text":"it expired""#),
    (.delivered(.foreground), #""event":"delivered","state":"foreground""#),
    (.delivered(.background, attempt: 2), #""attempt":2,"event":"delivered","state":"background""#),
    (.completed(.noData), #""event":"completed","result":"noData""#),
    (.completed(.failed, reason: "no"), #""detail":"no","event":"completed","result":"failed""#),
    (
      .timedOut(),
      #""event":"timed-out","reason":"not-completed","rule":"U8","text":"the app did not complete it within 30 seconds and was stopped""#
    ),
    (.driver(.lamp(lit: false)), #""event":"lamp","lit":false"#),
    (.driver(.display(text: "  12")), #""event":"display","text":"  12""#),
    (.driver(.displayOverflow(text: "9999")), #""event":"display","overflow":true,"text":"9999""#),
    (.driver(.soundStarted(name: "letter")), #""event":"sound-started","name":"letter""#),
    (
      .driver(.soundEnded(name: "letter", reason: "dismissed")),
      #""detail":"dismissed","event":"sound-ended","name":"letter","reason":"failed""#
    ),
    (.driver(.deviceLost(problem: "no card")), #""event":"device-lost","problem":"no card""#),
    (.driver(.deviceBack(device: "default")), #""device":"default","event":"device-back""#),
    (
      .refused(status: 403, reason: "InvalidProviderToken", detail: "no", source: "192.0.2.7"),
      #""detail":"no","event":"refused","reason":"InvalidProviderToken","source":"192.0.2.7","status":403"#
    ),
    (
      .repeated(.init(rung: Rung(sound: "letter", vibration: "pulse"), time: 3, times: 30, others: 2)),
      #""event":"repeated","others":2,"sound":"letter","time":3,"times":30,"vibration":"pulse""#
    ),
    (
      .repeated(.init(rung: Rung(silenced: .snoozed))),
      #""event":"repeated","rule":"N12","silenced":"snoozed","text":"its app, or all, are snoozed""#
    ),
    (
      .repeatEnded(.times),
      #""event":"repeat-ended","reason":"times","rule":"N11","text":"it has sounded as often as it may, and nobody came""#
    ),
    (.snoozed(until: WallTime(seconds: 7)), #""event":"snoozed","untilWallMicroseconds":7000000"#),
    (.snoozeEnded(.over), #""event":"snooze-ended","reason":"over","rule":"N12","text":"its time is over""#),
    (.callQueued(.dismissed), #""answer":"dismissed","event":"call-queued""#),
    (.called(status: 204, attempts: 3), #""attempts":3,"event":"called","status":204"#),
    (.callFailed("status 503"), #""event":"call-failed","problem":"status 503""#),
    (
      .callEnded(.gaveUp, problem: "status 410"),
      #""count":1,"event":"call-ended","problem":"status 410","reason":"gave-up","rule":"N13","text":"its receiver did not take it""#
    ),
    (
      .responded(action: NotificationResponse.open, hasText: false),
      #""action":"com.apple.UNNotificationDefaultActionIdentifier","event":"responded""#
    ),
    (.selected(action: "ACCEPT"), #""action":"ACCEPT","event":"selected""#),
    (.responded(action: "REPLY", hasText: true), #""action":"REPLY","event":"responded","text":true"#),
    (
      .cleared(.responded, count: 1),
      #""count":1,"event":"cleared","reason":"responded","rule":"N15","text":"an action of it was chosen""#
    ),
    (
      .cleared(.byApp, count: 2),
      #""count":2,"event":"cleared","reason":"by-app","rule":"N17","text":"the app removed them""#
    ),
    (
      .presented(.init(rung: Rung(sound: "letter", silenced: .speakerLost))),
      #""event":"presented","listed":false,"silenced":"speaker-lost","rule":"A5","sound":"letter","style":"none","text":"the speaker does not work, and is not tried again yet""#
    ),
    (.driver(.faultStruck(name: "busy")), #""event":"fault-struck","fault":"busy""#),
    (
      .kept(.fetchInterval),
      #""event":"kept","reason":"fetch-interval","rule":"S3","text":"it waits in the service for the fetch interval""#
    ),
    (
      .fetched(.byPerson, count: 2),
      #""count":2,"event":"fetched","reason":"by-person","rule":"F4","text":"somebody fetched""#
    ),
    (
      .accepted(.voip, unique: newer),
      #""event":"accepted","type":"voip","uniqueID":"00000000-0000-0000-0000-000000000002""#
    ),
    (
      .duplicate(unique: newer),
      #""event":"duplicate","reason":"came-again","rule":"P1","text":"it came within the last hour and counts once","uniqueID":"00000000-0000-0000-0000-000000000002""#
    ),
    (
      .timedOut(isCall: true),
      #""event":"timed-out","reason":"call-not-completed","rule":"T2","text":"the app did not complete the call within 5 seconds and was stopped""#
    ),
    (
      .discarded(.replacedInService, newer: newer),
      #""event":"discarded","reason":"replaced-in-service","rule":"F1","text":"a newer push replaced it while it waited in the service","replacedBy":"00000000-0000-0000-0000-000000000002""#
    ),
  ]

  @Test(arguments: table.indices)
  func isOneFlatObject(index: Int) throws {
    let (kind, fields) = EventEncodingTests.table[index]
    let moment = Moment(
      uptime: .seconds(2) + .microseconds(5), wall: WallTime(microseconds: 1_767_225_600_000_001))
    let event = Event(sequence: 7, moment: moment, app: nil, push: nil, kind: kind)
    let stamps = #""sequence":7,"uptimeMicroseconds":2000005,"wallMicroseconds":1767225600000001"#
    #expect(try object(line(event)) == object("{\(fields),\(stamps)}"))
  }

  private func object(_ json: String) throws -> [String: Event.Field] {
    try JSONDecoder().decode([String: Event.Field].self, from: Data(json.utf8))
  }

  @Test func namesItsAppAndItsPushAsItWasWritten() throws {
    let moment = Moment(uptime: .zero, wall: WallTime(seconds: 0))
    let event = Event(
      sequence: 1, moment: moment, app: AppID("com.example.mail"), push: EventEncodingTests.push, kind: .badge(1))
    #expect(
      try line(event)
        == #"{"app":"com.example.mail","event":"badge","number":1,"push":"123E4567-e89b-12d3-a456-426614174000","sequence":1,"uptimeMicroseconds":0,"wallMicroseconds":0}"#
    )
  }

  /// Returns the line of the report, after comparing it with the event from its record.
  private func line(_ event: Event) throws -> String {
    let report = EventReport(event)
    let record = EventRecord.bytes(of: [event], rulings: [])
    #expect(try EventRecord.events(in: record, from: event.sequence).map(\.report) == [report])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(report), as: UTF8.self) == report.line)
    return report.line
  }
}
