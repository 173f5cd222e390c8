// Identifiers that come from outside as text: parsing is exact, and the result has the same text.

import Testing

@testable import HandsetCore

@Suite struct IdentifierTests {
  @Test(arguments: [
    "123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000",
    "aBcDeF01-2345-6789-AbCd-eFaBcDeF0123", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "00000000-0000-0000-0000-000000000000",
  ])
  func aPushIDKeepsItsSpelling(text: String) {
    #expect(PushID(text)?.description == text)
  }

  @Test func pushIDsAreEqualWithoutRegardToCase() throws {
    let lower = try #require(PushID("123e4567-e89b-12d3-a456-42661417400f"))
    let upper = try #require(PushID("123E4567-E89B-12D3-A456-42661417400F"))
    #expect(lower == upper)
    #expect(Set([lower, upper]).count == 1)
    #expect(lower.description != upper.description)
    #expect(lower == PushID(high: 0x123e_4567_e89b_12d3, low: 0xa456_4266_1417_400f))
    #expect(lower != PushID("123e4567-e89b-12d3-a456-42661417400e"))
    #expect(lower != PushID("023e4567-e89b-12d3-a456-42661417400f"))
  }

  @Test(arguments: [
    "", "123e4567", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
    "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a456-42661417400g",
    "{123e4567-e89b-12d3-a456-426614174000}", "123e4567_e89b_12d3_a456_426614174000",
    "123e456-7e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a4564-26614174000",
    " 123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740é",
    "-23e4567-e89b-12d3-a456-426614174000", "１23e4567-e89b-12d3-a456-4266141740",
  ])
  func noPushID(text: String) {
    #expect(PushID(text) == nil)
  }

  @Test(arguments: [
    "a", "com.example.Mail", "com.example.mail-2", "com.example.mail_2", "1", "9a", String(repeating: "a", count: 255),
  ])
  func anAppID(text: String) {
    #expect(AppID(text)?.text == text)
  }

  @Test(arguments: [
    "", ".a", "a.", "-a", "a_", "com example", "com/example", "com.exämple", "a\n", "a\0", "*", "com.example.*",
    String(repeating: "a", count: 256),
  ])
  func noAppID(text: String) {
    #expect(AppID(text) == nil)
  }

  @Test func appIDsAreInOrderOfTheirText() {
    #expect(["b", "a.b", "a", "B"].compactMap { AppID($0) }.sorted().map(\.text) == ["B", "a", "a.b", "b"])
  }

  @Test(arguments: [("00", [0]), ("0aFf", [10, 255]), ("DEADbeef", [0xDE, 0xAD, 0xBE, 0xEF])] as [(String, [UInt8])])
  func aDeviceToken(hex: String, bytes: [UInt8]) {
    #expect(DeviceToken(hex: hex)?.bytes == bytes)
    #expect(DeviceToken(hex: hex)?.hex == hex.lowercased())
    #expect(DeviceToken(hex: hex) == DeviceToken(bytes: bytes))
  }

  @Test func aDeviceTokenHasOneToAHundredBytes() {
    #expect(DeviceToken(hex: String(repeating: "a", count: 200))?.bytes.count == 100)
    #expect(DeviceToken(hex: String(repeating: "a", count: 202)) == nil)
    #expect(DeviceToken(bytes: []) == nil)
    #expect(DeviceToken(bytes: [UInt8](repeating: 0, count: 101)) == nil)
  }

  @Test(arguments: ["", "0", "abc", "0g", "0x", " 00", "00 ", "é"])
  func noDeviceToken(hex: String) {
    #expect(DeviceToken(hex: hex) == nil)
  }

  @Test func aSlotOfTheService() throws {
    let app = try #require(AppID("com.example.mail"))
    let node = try #require(NodeID(app: app, name: "Inbox"))
    let slots: [(String, SlotKey)] = [
      ("com.example.mail", .app(app)), ("com.example.mail/Inbox", .node(node)),
      ("com.example.mail#41", .activity(app, ActivityID(41))),
    ]
    for (text, slot) in slots {
      #expect(slot.coded == text)
      #expect(SlotKey(coded: text) == slot)
      #expect(slot.app == app)
    }
    for text in ["", "#41", "com.example.mail#", "com.example.mail#x", "com.example.mail#4/1", "com.example.mail/"] {
      #expect(SlotKey(coded: text) == nil)
    }
  }

  @Test func kindsAreNamed() {
    #expect(NotificationKinds(names: ["alert", "badge"])?.names == ["badge", "alert"])
    #expect(NotificationKinds(names: [String]()) == [])
    #expect(NotificationKinds(names: ["badge", "vibration"]) == nil)
    #expect(NotificationKinds.all.names == ["badge", "sound", "alert"])
  }

  @Test func levelsAreInOrderOfUrgency() {
    #expect(
      InterruptionLevel.allCases.shuffled().sorted().map(\.rawValue) == [
        "passive", "active", "time-sensitive", "critical",
      ])
  }
}
