// The requests of pushes and of local notifications that 0.1.0 stored get the present form of both, with every word.

import FoundationEssentials
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct RequestsOfFirstReleaseTests {
  private static let app = """
    INSERT INTO handset VALUES (1, 4, 99, 1, 0, 0);
    INSERT INTO app VALUES (1, '\(Rig.mail)', 'Mail', 1, NULL, NULL, '', '[]', '{}', 0);
    INSERT INTO app_state VALUES (1, '\(Rig.mail)', x'01', 'registered', 'alert', NULL, 'notRunning', 3, 0, NULL);
    INSERT INTO token VALUES (1, x'01', '\(Rig.mail)', NULL);
    """

  private static let plain = Push(
    id: pushID(1), token: DeviceToken(bytes: [1, 255])!, topic: Rig.mail, payload: [0, 9])

  private static func with(_ change: (inout Push) -> Void) -> Push {
    var push = plain
    change(&push)
    return push
  }

  static let pushes: [(String, Push)] = [
    (
      #"{"contentAvailable":false,"faults":[],"isSystemSound":false,"level":"active","priority":10,"type":"alert"}"#,
      plain
    ),
    (
      #"""
      {"badBadge":"\"-1\"","collapseID":"c","contentAvailable":true,"expiration":-7,
      "faults":[{"path":"aps.alert","problem":"ü"}],"hasProviderID":true,"isSystemSound":true,"level":"time-sensitive",
      "message":{"action":"localized","actionKey":"A","subtitle":{"literal":""},"title":{"arguments":["1",""],"key":"K"}},
      "priority":5,"threadID":"t","type":"liveactivity"}
      """#,
      with {
        $0.badge = .bad("\"-1\"")
        $0.collapseID = "c"
        $0.contentAvailable = true
        $0.expiration = .at(WallTime(microseconds: -7))
        $0.faults = [PayloadFault(path: "aps.alert", problem: "ü")]
        $0.hasProviderID = true
        $0.sound = .system
        $0.level = .timeSensitive
        $0.message = Message(
          title: .localized(key: "K", arguments: ["1", ""]), subtitle: .literal(""), actionTitle: .localized(key: "A"))
        $0.priority = 5
        $0.threadID = "t"
        $0.type = .liveactivity
      }
    ),
    (
      #"""
      {"badge":0,"contentAvailable":false,"criticalVolume":0.25,"faults":[],"isSystemSound":false,"level":"critical",
      "message":{"action":"none","body":{"key":"K"}},"node":"Inbox","priority":10,"sound":"s","type":"alert"}
      """#,
      with {
        $0.token = nil
        $0.badge = .number(0)
        $0.sound = .critical(name: "s", volume: 0.25)
        $0.level = .critical
        $0.message = Message(body: .localized(key: "K", arguments: []), actionTitle: .none)
      }
    ),
    (
      #"""
      {"contentAvailable":false,"faults":[],"isSystemSound":false,"level":"active",
      "message":{"action":"standard","body":{"literal":"b"}},"priority":10,"sound":"s","type":"alert"}
      """#,
      with {
        $0.sound = .named("s")
        $0.message = Message(body: .literal("b"))
      }
    ),
  ]

  @Test(arguments: pushes) func `A push that was kept`(request: String, push: Push) throws {
    try withDirectory { directory in
      try prepareFirstRelease(in: directory)
      let token = push.token?.hex ?? ""
      try sql(
        directory,
        Self.app
          + """
          INSERT INTO kept VALUES (1, '\(Rig.mail)', '\(push.id)', 5, 9, x'\(token)',
            '\(request.replacing("'", with: "''"))', x'0009');
          """)
      let (contents, damage) = try HandsetStore(directory: directory).load(handset: 1)
      #expect(damage == [])
      #expect(contents.kept == [Rig.mail: KeptPush(push: push, number: 5, expires: WallTime(microseconds: 9))])
    }
  }

  private static func local(
    _ trigger: LocalNotification.Trigger, _ due: PendingNotification.Due,
    _ change: (inout LocalNotification) -> Void = { _ in }
  ) -> PendingNotification {
    var request = LocalNotification(
      app: Rig.mail, identifier: "tea", push: pushID(1), trigger: trigger, payload: [0, 9])
    change(&request)
    return PendingNotification(request: request, due: due)
  }

  private static let seven = CalendarTime(hour: 7)

  static let locals: [(request: String, columns: String, PendingNotification)] = [
    (
      #"{"badge":3,"intervalMicroseconds":1500001,"level":"active","repeats":false}"#, "2000003, 5, NULL, NULL, NULL",
      local(
        .interval(.microseconds(1_500_001), repeats: false),
        .uptime(.microseconds(2_000_003), wall: WallTime(microseconds: 5))
      ) { $0.content.badge = .number(3) }
    ),
    (
      #"""
      {"action":"standard","body":{"literal":"b"},"calendar":{"day":29,"hour":7,"minute":0,"month":2,"second":1,
      "weekday":3,"year":2028},"level":"passive","repeats":true,"sound":"default","threadID":"t"}
      """#,
      "NULL, 5, 4, 2, 3",
      local(
        .calendar(CalendarTime(year: 2028, month: 2, day: 29, weekday: 3, hour: 7, second: 1), repeats: true),
        .wall(
          WallTime(microseconds: 5), from: WallTime(microseconds: 4),
          presented: WallTime(microseconds: 2)...WallTime(microseconds: 3))
      ) {
        $0.content.message = Message(body: .literal("b"))
        $0.content.level = .passive
        $0.content.sound = .system
        $0.content.threadID = "t"
      }
    ),
    (
      #"""
      {"action":"key","actionKey":"A","calendar":{"hour":7,"minute":0,"second":0},"level":"active","repeats":false,
      "sound":"named","soundName":"s","title":{"arguments":["x"],"key":"K"}}
      """#,
      "NULL, 5, 4, NULL, NULL",
      local(
        .calendar(seven, repeats: false),
        .wall(WallTime(microseconds: 5), from: WallTime(microseconds: 4), presented: nil)
      ) {
        $0.content.message = Message(
          title: .localized(key: "K", arguments: ["x"]), actionTitle: .localized(key: "A"))
        $0.content.sound = .named("s")
      }
    ),
    (
      #"""
      {"action":"none","calendar":{"hour":7,"minute":0,"second":0},"level":"critical","repeats":false,
      "sound":"critical","soundVolume":1}
      """#,
      "NULL, 5, 4, NULL, NULL",
      local(
        .calendar(seven, repeats: false),
        .wall(WallTime(microseconds: 5), from: WallTime(microseconds: 4), presented: nil)
      ) {
        $0.content.message = Message(actionTitle: .none)
        $0.content.level = .critical
        $0.content.sound = .critical(name: nil, volume: 1)
      }
    ),
  ]

  @Test(arguments: locals) func `A scheduled notification`(
    request: String, columns: String, pending: PendingNotification
  ) throws {
    try withDirectory { directory in
      try prepareFirstRelease(in: directory)
      try sql(
        directory,
        Self.app
          + """
          INSERT INTO local_notification VALUES (1, '\(Rig.mail)', 'tea', '\(pushID(1))', '\(request)', x'0009', \(columns));
          """)
      let (contents, damage) = try HandsetStore(directory: directory).load(handset: 1)
      #expect(damage == [])
      #expect(contents.pending == [pending])
    }
  }

  @Test func `What is no JSON stops no start`() throws {
    try withDirectory { directory in
      try prepareFirstRelease(in: directory)
      try sql(
        directory,
        Self.app
          + """
          INSERT INTO kept VALUES (1, '\(Rig.mail)', '\(pushID(1))', 5, 9, x'01', '{', x'');
          INSERT INTO local_notification
            VALUES (1, '\(Rig.mail)', 'tea', '\(pushID(1))', '{', x'', NULL, 5, 4, NULL, NULL);
          """)
      let (contents, damage) = try HandsetStore(directory: directory).load(handset: 1)
      #expect(contents.apps.count == 1)
      #expect(damage.map(\.table) == ["kept", "local_notification"])
    }
  }
}
