import Foundation
import HandsetCore
import Testing

@testable import PushPort

@Suite("Property lists")
struct PropertyListTests {
  private func read(_ text: String, depth: Int = 16) throws(PublishingRefusal) -> PropertyListValue {
    try PropertyListValue.read(Array(text.utf8), depth: depth)
  }

  private func withoutPlace(_ refusal: PublishingRefusal?) -> String? {
    refusal?.detail.replacing(#/^line \d+, column \d+: /#, with: "")
  }

  @Test("Every kind of value is read")
  func kinds() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <!-- As an editor writes it. -->
      <dict>
        <key>string</key><string>Tom &amp; Jerry &lt;&gt;&quot;&apos; &#9731; <![CDATA[<&>]]> ä</string>
        <key>empty</key><string/>
        <key>integer</key><integer> -42 </integer>
        <key>largest</key><integer>9223372036854775807</integer>
        <key>real</key><real>2.5</real>
        <key>yes</key><true/>
        <key>no</key><false></false>
        <key>date</key><date>2008-06-11T10:30:00Z</date>
        <key>data</key><data>
          aGVs
          bG8=
        </data>
        <key>array</key><array><integer>1</integer><array/></array>
        <key>dict</key><dict><key></key><dict/></dict>
      </dict>
      </plist>
      """
    let expected: PropertyListValue = .dictionary([
      "string": .string("Tom & Jerry <>\"' ☃ <&> ä"), "empty": .string(""), "integer": .integer(-42),
      "largest": .integer(.max), "real": .real(2.5), "yes": .boolean(true), "no": .boolean(false),
      "date": .date("2008-06-11T10:30:00Z"), "data": .data("aGVsbG8="),
      "array": .array([.integer(1), .array([])]), "dict": .dictionary(["": .dictionary([:])]),
    ])
    #expect(try read(text) == expected)
    // The XML declaration is optional, and a byte order mark is allowed.
    #expect(try read("\u{FEFF}<plist><true/></plist>") == .boolean(true))
  }

  @Test(
    "Malformed property lists are refused as such",
    arguments: [
      ("", "the body is empty"),
      ("bplist00\u{01}", "it is a binary property list; convert it with: plutil -convert xml1"),
      ("{\"aps\":{}}", "not well-formed (invalid token)"),
      ("<plist><dict>", "no element found"),
      ("<plist><dict></plist>", "mismatched tag"),
      ("<plist/>", "<plist> holds no value"),
      ("<html/>", "it begins with <html>; expected <plist>"),
      ("<dict/>", "it begins with <dict>; expected <plist>"),
      ("<plist version=\"2.0\"><true/></plist>", "<plist> has version '2.0'; expected version 1.0"),
      ("<plist xmlns=\"x\"><true/></plist>", "<plist> has xmlns 'x'; expected version 1.0"),
      ("<plist><true/><true/></plist>", "<plist> holds more than one value"),
      ("<plist><float>1</float></plist>", "<float> is no element of a property list"),
      ("<plist><dict a=\"b\"/></plist>", "<dict> has an attribute 'a'"),
      ("<plist><dict>words</dict></plist>", "there is text between its elements"),
      ("<plist><dict><true/></dict></plist>", "<true> in a dictionary, without a <key> before it"),
      ("<plist><dict><key>a</key></dict></plist>", "key 'a' has no value"),
      ("<plist><dict><key>a</key><key>b</key></dict></plist>", "key 'a' has no value"),
      ("<plist><array><key>a</key></array></plist>", "<key> outside a dictionary"),
      ("<plist><string><string/></string></plist>", "<string> inside <string>"),
      ("<plist><true>1</true></plist>", "<true> holds text"),
      ("<plist><?php ?><true/></plist>", "a processing instruction has no place in it"),
      ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist/>", "its encoding is 'ISO-8859-1'; expected UTF-8"),
      ("<!DOCTYPE html><plist><true/></plist>", "its DOCTYPE is 'html'; expected plist"),
      ("<plist><string>&nbsp;</string></plist>", "undefined entity"),
      (
        "<!DOCTYPE plist SYSTEM \"x\"><plist><string>&nbsp;</string></plist>",
        "entity 'nbsp': there are amp, lt, gt, quot and apos, and no others"
      ),
      (
        "<!DOCTYPE plist [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]><plist><string>&c;</string></plist>",
        "its DOCTYPE declares things of its own"
      ),
      (
        "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\" []><plist><true/></plist>",
        "its DOCTYPE declares things of its own"
      ),
      ("<plist><string>\u{0}</string></plist>", "not well-formed (invalid token)"),
      ("<plist><true/></plist><plist/>", "junk after document element"),
    ])
  func notPropertyLists(text: String, problem: String) {
    let error = #expect(throws: PublishingRefusal.self) { try read(text) }
    #expect(error?.status == 415)
    #expect(withoutPlace(error) == problem)
  }

  @Test("Bytes that are not UTF-8 are refused, whatever they are")
  func encodings() {
    for bytes in [
      Array("<plist><string>".utf8) + [0xC3, 0x28] + Array("</string></plist>".utf8), [0xFF, 0xFE, 0x3C, 0],
    ] {
      let error = #expect(throws: PublishingRefusal.self) { try PropertyListValue.read(bytes, depth: 16) }
      #expect(error?.status == 415)
    }
  }

  @Test(
    "A wrong value does not make a property list malformed",
    arguments: [
      ("<integer>1.5</integer>", "'1.5' is no integer, or none of 64 bits"),
      ("<integer>9223372036854775808</integer>", "'9223372036854775808' is no integer, or none of 64 bits"),
      ("<integer/>", "'' is no integer, or none of 64 bits"),
      ("<integer>0x10</integer>", "'0x10' is no integer, or none of 64 bits"),
      ("<real>nan</real>", "'nan' is no number with a finite value"),
      ("<real>one</real>", "'one' is no number with a finite value"),
      ("<date>yesterday</date>", "'yesterday' is no date; expected the form 2008-06-11T10:30:00Z"),
      ("<data>?</data>", "<data> holds no base64"),
      ("<dict><key>a</key><true/><key>a</key><true/></dict>", "key 'a' comes twice"),
    ])
  func badValues(inside: String, problem: String) {
    let error = #expect(throws: PublishingRefusal.self) { try read("<plist>\(inside)</plist>") }
    #expect(error?.status == 400)
    #expect(withoutPlace(error) == problem)
  }

  @Test("Sixteen levels are read, one more is refused")
  func depth() throws {
    func nested(_ levels: Int) -> String {
      "<plist>" + String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
        + "</plist>"
    }
    _ = try read(nested(16))
    let error = #expect(throws: PublishingRefusal.self) { try read(nested(17)) }
    #expect(withoutPlace(error) == "it is nested deeper than 16 levels")
    #expect(error?.status == 400)
  }

  @Test("An error has its line and column")
  func place() {
    let error = #expect(throws: PublishingRefusal.self) { try read("<plist>\n<dict>\n  <string/></dict></plist>") }
    #expect(error?.detail == "line 3, column 3: <string> in a dictionary, without a <key> before it")
  }
}

@Suite("Publications")
struct PublicationTests {
  private static let id = PushID(high: 1, low: 2)
  private static let zero =
    "a badge is a positive integer here, not 0: the app clears its badge itself, with its own badge message on the "
    + "apps' socket or 'deskbell app badge \(bell) 0'"

  private func push(_ inside: String) throws(PublishingRefusal) -> Push {
    try Push(
      propertyList: Array(plist("<dict>\(inside)</dict>").utf8), app: bell, id: PublicationTests.id,
      now: now, depth: 16)
  }

  private func payload(_ inside: String) throws -> String {
    String(decoding: try push(inside).payload, as: UTF8.self)
  }

  @Test("The four keys set the message, the button, the badge and the sound (B1, N4, A1)")
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
      .alertBody: "<string>Hello</string>", .showOpenButton: "<true/>", .badge: "<integer>1</integer>",
      .sound: "<string>default</string>",
    ]
    for key in NotificationKey.allCases {
      let value = try #require(values[key])
      let pushes = try key.spellings.map { try push("<key>\($0)</key>\(value)") }
      #expect(pushes.count == 2 && pushes[0] == pushes[1])
    }
    #expect(try push("<key>Badge</key><integer>1</integer>").badge == .number(1))
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
    "A wrong value refuses the whole publication, with a reason (B2)",
    arguments: [
      ("<key>Badge</key><integer>-1</integer>", "Badge: expected an integer of 1 or more, got -1"),
      ("<key>Badge</key><integer>0</integer>", PublicationTests.zero),
      ("<key>UIApplicationBadge</key><integer>0</integer>", PublicationTests.zero),
      ("<key>Badge</key><real>1.5</real>", "Badge: expected an integer of 1 or more, got 1.5"),
      (
        "<key>UIApplicationBadge</key><string>3</string>",
        "UIApplicationBadge: expected an integer of 1 or more, got the string '3'"
      ),
      ("<key>Badge</key><true/>", "Badge: expected an integer of 1 or more, got true"),
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
    #expect(refusal == PublishingRefusal.bad(detail))
  }

  @Test("A list that is no dictionary is 400, a malformed one 415 with the place")
  func otherThings() {
    func refusal(_ text: String) -> PublishingRefusal? {
      #expect(throws: PublishingRefusal.self) {
        try Push(
          propertyList: Array(text.utf8), app: bell, id: PublicationTests.id, now: now, depth: 16)
      }
    }
    #expect(
      refusal("<plist><array/></plist>")
        == PublishingRefusal.bad("the property list is an array; expected a dictionary"))
    #expect(
      refusal("<plist>\n<dict>x</dict></plist>")
        == PublishingRefusal.notPropertyList("line 2, column 7: there is text between its elements"))
    #expect(refusal("") == PublishingRefusal.notPropertyList("the body is empty"))
  }
}
