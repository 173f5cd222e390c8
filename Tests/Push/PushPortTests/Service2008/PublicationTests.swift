// Tests of converting a property list to the handset's one kind of push.

import Foundation
import HandsetCore
import Testing

@testable import PushPort

@Suite("Publications")
struct PublicationTests {
  private static let id = PushID(high: 1, low: 2)

  private func push(_ inside: String) throws(PublishingRefusal) -> Push {
    try Push(
      propertyList: Array(plist("<dict>\(inside)</dict>").utf8), app: bell, id: PublicationTests.id,
      now: now, depth: 16)
  }

  private func payload(_ inside: String) throws -> String {
    String(decoding: try push(inside).payload, as: UTF8.self)
  }

  @Test("The four keys are the message, the button, the badge and the sound (B1, N4, A1)")
  func keys() throws {
    let taken = try push(
      """
      <key>UIAlertBody</key><string>Tea &amp; cake</string><key>UIAlertShowOpenButton</key><false/>
      <key>UIApplicationBadge</key><integer>3</integer><key>UIAlertSound</key><string>letter</string>
      """)
    #expect(
      taken
        == Push(
          id: PublicationTests.id, token: nil, topic: bell,
          message: Message(body: .literal("Tea & cake"), actionTitle: .none), badge: .number(3),
          sound: .named("letter"), expiration: .at(now.advanced(by: Policy.defaultExpiration)),
          payload: Array(
            #"{"aps":{"alert":{"action-loc-key":null,"body":"Tea & cake"},"badge":3,"sound":"letter"}}"#.utf8)))
    #expect((taken.type, taken.priority, taken.level, taken.contentAvailable) == (.alert, 10, .active, false))
  }

  @Test("Each key has a plain name too, and each alone is a publication")
  func aliases() throws {
    let values: [NotificationKey: String] = [
      .alertBody: "<string>Hello</string>", .showOpenButton: "<true/>", .badge: "<integer>0</integer>",
      .sound: "<string>default</string>",
    ]
    for key in NotificationKey.allCases {
      let value = try #require(values[key])
      let pushes = try key.spellings.map { try push("<key>\($0)</key>\(value)") }
      #expect(pushes.count == 2 && pushes[0] == pushes[1])
    }
    #expect(try push("<key>Badge</key><integer>0</integer>").badge == .number(0))
    #expect(try push("<key>Sound</key><string>default</string>").sound == .system)
    #expect(try push("<key>AlertBody</key><string>x</string>").message?.actionTitle == .standard)
    #expect(try push("<key>ShowOpenButton</key><false/>").message == nil)
  }

  @Test("An app gets its own keys as JSON beside aps, whatever their type")
  func ownKeys() throws {
    #expect(
      try payload(
        """
        <key>Badge</key><integer>1</integer><key>shelf</key><array><integer>2</integer><real>2.5</real><true/></array>
        <key>when</key><date>2008-06-11T10:30:00Z</date><key>seal</key><data>aGk=</data>
        <key>from</key><dict><key>name</key><string>Ada/"Lovelace"</string></dict>
        """)
        == #"{"aps":{"badge":1},"from":{"name":"Ada/\"Lovelace\""},"seal":"aGk=","shelf":[2,2.5,true],"when":"2008-06-11T10:30:00Z"}"#
    )
    #expect(try payload("<key>AlertBody</key><string>Hi</string>") == #"{"aps":{"alert":"Hi"}}"#)
  }

  @Test(
    "What is wrong refuses the whole publication, with a reason (B2)",
    arguments: [
      ("<key>Badge</key><integer>-1</integer>", "Badge: expected an integer of 0 or more, got -1"),
      ("<key>Badge</key><real>1.5</real>", "Badge: expected an integer of 0 or more, got 1.5"),
      (
        "<key>UIApplicationBadge</key><string>3</string>",
        "UIApplicationBadge: expected an integer of 0 or more, got the string '3'"
      ),
      ("<key>Badge</key><true/>", "Badge: expected an integer of 0 or more, got true"),
      (
        "<key>Badge</key><integer>1</integer><key>UIAlertBody</key><string/>",
        "UIAlertBody: expected a string that is not empty, got an empty string"
      ),
      ("<key>AlertBody</key><integer>1</integer>", "AlertBody: expected a string that is not empty, got 1"),
      ("<key>ShowOpenButton</key><integer>0</integer>", "ShowOpenButton: expected a boolean, got 0"),
      ("<key>Sound</key><string/>", "Sound: expected the name of a sound, or default, got an empty string"),
      ("<key>Sound</key><array/>", "Sound: expected the name of a sound, or default, got an array"),
      (
        "<key>Badge</key><integer>1</integer><key>UIApplicationBadge</key><integer>1</integer>",
        "UIApplicationBadge and Badge are the same key; expected one of them"
      ),
      (
        "",
        "it says nothing: expected at least one of UIAlertBody, UIAlertShowOpenButton, UIApplicationBadge, UIAlertSound"
      ),
      (
        "<key>mine</key><true/>",
        "it says nothing: expected at least one of UIAlertBody, UIAlertShowOpenButton, UIApplicationBadge, UIAlertSound"
      ),
      (
        "<key>Badge</key><integer>1</integer><key>aps</key><dict/>",
        "the key aps is taken: under it the app gets what the known keys say"
      ),
    ])
  func refused(inside: String, detail: String) {
    let refusal = #expect(throws: PublishingRefusal.self) { try push(inside) }
    #expect(refusal == PublishingRefusal(.badPropertyList, detail))
  }

  @Test("No dictionary is 400, no property list 415, with the place")
  func otherThings() {
    func refusal(_ text: String) -> PublishingRefusal? {
      #expect(throws: PublishingRefusal.self) {
        try Push(
          propertyList: Array(text.utf8), app: bell, id: PublicationTests.id, now: now, depth: 16)
      }
    }
    #expect(
      refusal("<plist><array/></plist>")
        == PublishingRefusal(.badPropertyList, "the property list is an array; expected a dictionary"))
    #expect(
      refusal("<plist>\n<dict>x</dict></plist>")
        == PublishingRefusal(.notPropertyList, "line 2, column 7: there is text between its elements"))
    #expect(refusal("") == PublishingRefusal(.notPropertyList, "the body is empty"))
  }
}
