// QR codes in the terminal [ISO/IEC 18004].

import Testing

@testable import Commands
@testable import DeskbellDaemon

@Suite("QR codes") struct QRCodeTests {
  @Test("A code with its white edge and the three finder patterns")
  func finders() throws {
    let code = try #require(QRCode("https://bell.local"))
    let lines = code.text(hasColor: false).split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    // 18 bytes need version 2: 25 squares, and an edge of 4 on each side.
    #expect(lines.count == 17)
    #expect(lines.allSatisfy { $0.count == 33 })
    let finder = ["█▀▀▀▀▀█", "█ ███ █", "█ ▀▀▀ █", "▀▀▀▀▀▀▀"]
    for (place, row) in finder.enumerated() {
      #expect(String(lines[2 + place][4..<11]) == row)
      #expect(String(lines[2 + place][22..<29]) == row)
    }
    #expect(lines[0...1].allSatisfy { $0.allSatisfy { $0 == " " } })
    #expect(code.text(hasColor: true).hasPrefix("\u{1B}[38;5;16;48;5;231m "))
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: 2_954)) == nil)
  }

  @Test("A topic's code rings when it is opened; a hook's is its address; a key that is not new has none")
  func addresses() {
    var topic = KeyReport(name: "parcels", app: "a.b", handset: nil, template: nil, key: "tk_>?~")
    #expect(KeyWords.opening(topic) == nil)
    topic.url = "https://bell.local:2197/parcels"
    // "Bearer tk_>?~" in base64url, without padding.
    #expect(KeyWords.opening(topic) == "https://bell.local:2197/parcels/trigger?auth=QmVhcmVyIHRrXz4_fg")
    topic.httpURL = "http://bell.local:2199/parcels"
    #expect(KeyWords.opening(topic)?.hasPrefix("http://bell.local:2199/parcels/trigger?auth=") == true)
    topic.key = nil
    #expect(KeyWords.opening(topic) == nil)
    var hook = KeyReport(name: "ci", app: "a.b", handset: nil, template: "github", key: "tk_x")
    hook.url = "https://bell.local:2197/h/tk_x"
    #expect(KeyWords.opening(hook) == hook.url)
  }
}
