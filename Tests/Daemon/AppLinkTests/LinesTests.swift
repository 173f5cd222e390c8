// Lines of other authors' programs, cut anywhere and of any length.

import HandsetCore
import Testing

@testable import AppLink

@Suite struct LinesTests {
  private func lines(_ pieces: [String], limit: Int = 8) -> [Lines.Line] {
    var lines = Lines(limit: limit)
    let found = pieces.flatMap { lines.append(Array($0.utf8)[...]) }
    return found + lines.finish()
  }

  @Test("A line is the same however its bytes arrive")
  func pieces() {
    let text = "one\ntwo\r\n\nlast"
    let whole = lines([text])
    #expect(whole.map(\.text) == ["one", "two", "", "last"])
    #expect(lines(text.map(String.init)) == whole)
  }

  @Test("A line of the limit is whole, one byte more is cut and keeps its beginning")
  func limit() {
    #expect(lines(["12345678\n"]) == [.init(text: "12345678", isCut: false)])
    #expect(lines(["123456789\nx\n"]) == [.init(text: "12345678", isCut: true), .init(text: "x", isCut: false)])
  }

  @Test(arguments: [("newData", DeliveryResult.newData), (" noData\t", .noData), ("failed", .failed)])
  func words(_ text: String, _ result: DeliveryResult) {
    #expect(DeliveryResult(word: .init(text: text, isCut: false)) == result)
  }

  @Test("A cut line is no result, even if its rest is one", arguments: ["", " ", "newdata", "new Data"])
  func noWords(_ text: String) {
    #expect(DeliveryResult(word: .init(text: text, isCut: false)) == nil)
    #expect(DeliveryResult(word: .init(text: "newData", isCut: true)) == nil)
  }
}
