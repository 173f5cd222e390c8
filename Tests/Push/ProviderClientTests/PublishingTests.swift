// Calls to the 2008 service, as sent.

import Foundation
import Testing

@testable import HTTP2Session
@testable import ProviderClient

@Suite struct PublishingTests {
  private let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d0d", name: "In box/2")
  private let server = Endpoint(host: "localhost", port: 2197)

  @Test func eachCallHasItsMethodAndPath() {
    let path = "/com.example.mail/0d0d/In%20box%2F2"
    func line(_ call: PublishingCall) -> [String] { [call.method, call.path] }
    #expect(line(.create(node)) == ["POST", path + "?action=create"])
    #expect(line(.delete(node)) == ["POST", path + "?action=delete"])
    #expect(line(.publish([1], through: node)) == ["PUT", path])
  }

  @Test func thePasswordIsNeverIndexed() {
    let head = PublishingCall.publish([1, 2], through: node).head(
      server, PublishingUser(name: "a.b", password: "pä:ss"))
    let text = String(decoding: head.bytes, as: UTF8.self)
    let credential = Data("a.b:pä:ss".utf8).base64EncodedString()
    #expect(text.hasSuffix("authorizationBasic \(credential)content-typeapplication/x-plist"))
    #expect(text.contains(":authoritylocalhost:2197content-length2"))
    // NGHTTP2_NV_FLAG_NO_INDEX.
    #expect(head.fields.map(\.flags) == [0, 0, 0, 0, 0, 1, 0])
  }

  @Test func aPropertyListSaysWhatIsGiven() {
    let list = PropertyList(body: "a & b <c>\r\n", showsOpenButton: false, badge: 3, sound: "bell")
    #expect(
      String(decoding: list.encoded(), as: UTF8.self)
        == #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
        + "<key>UIAlertBody</key><string>a &amp; b &lt;c&gt;&#13;\n</string>"
        + "<key>UIAlertShowOpenButton</key><false/><key>UIApplicationBadge</key><integer>3</integer>"
        + "<key>UIAlertSound</key><string>bell</string></dict></plist>")
    #expect(String(decoding: PropertyList().encoded(), as: UTF8.self).hasSuffix("<dict></dict></plist>"))
  }
}
