import Testing

@testable import Commands
@testable import DeskbellDaemon

struct DemoPictureTests {
  @Test func aRowThatDidNotChangeIsNotDrawnAgain() {
    var before = Canvas(width: 5, height: 2)
    before.put("same", row: 0, column: 0)
    var after = before
    after.put("new", row: 1, column: 1, .red)
    #expect(after.drawing(over: before, isColoured: true) == "\u{1B}[2;1H \u{1B}[0;38;5;196mnew\u{1B}[0m\u{1B}[K")
    #expect(after.drawing(over: after, isColoured: true) == "")
    #expect(after.drawing(over: nil, isColoured: false) == "\u{1B}[2J\u{1B}[1;1Hsame\u{1B}[K\u{1B}[2;1H new\u{1B}[K")
  }

  @Test func aRowThatFillsTheWidthKeepsItsLastCharacter() {
    var canvas = Canvas(width: 3, height: 1)
    canvas.put("abc", row: 0, column: 0)
    #expect(canvas.drawing(over: nil, isColoured: false) == "\u{1B}[2J\u{1B}[1;1Habc")
  }

  @Test(arguments: [(4, 2), (5, 1)])
  func anotherSizeIsDrawnFromNothing(width: Int, height: Int) {
    let drawing = Canvas(width: 5, height: 2).drawing(over: Canvas(width: width, height: height), isColoured: false)
    #expect(drawing.hasPrefix("\u{1B}[2J"))
  }

  @Test func whatDoesNotFitIsCut() {
    var canvas = Canvas(width: 8, height: 1)
    canvas.put("a parcel", row: 0, column: 1, maxWidth: 5)
    canvas.put("outside", row: 1, column: 0)
    canvas.put("outside", row: 0, column: 8)
    #expect(canvas.text == " a pa…")
  }

  @Test func unlitSegmentsAreNotText() {
    var canvas = Canvas(width: 3, height: 1)
    canvas.put("|", row: 0, column: 0, .unlit)
    canvas.put("|", row: 0, column: 2, .red)
    #expect(canvas.text == "  |")
    #expect(canvas.drawing(over: nil, isColoured: false) == "\u{1B}[2J\u{1B}[1;1H  |")
  }

  @Test func aLinkIsOneForTheTerminal() {
    var canvas = Canvas(width: 4, height: 1)
    canvas.put("open", row: 0, column: 0, .link("http://a"))
    #expect(
      canvas.drawing(over: nil, isColoured: false)
        == "\u{1B}[2J\u{1B}[1;1H\u{1B}]8;;http://a\u{1B}\\open\u{1B}]8;;\u{1B}\\")
  }

  @Test(arguments: [(0, true), (199, true), (200, false), (399, false), (400, true)])
  func theLampFollowsItsPattern(milliseconds: Int, isLit: Bool) {
    let lamp = PresentationReport.Lamp(
      pattern: "blink", sinceUptimeMicroseconds: 0,
      steps: [
        .init(lit: true, milliseconds: 200, brightness: 100), .init(lit: false, milliseconds: 200, brightness: 0),
      ])
    let began = ContinuousClock.now
    #expect(DemoBoard.isLit(lamp, since: began, at: began + .milliseconds(milliseconds)) == isLit)
  }
}
