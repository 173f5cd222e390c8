import Testing

@testable import Commands
@testable import DeskbellDaemon

struct DemoLayoutTests {
  private static let sizes = [
    (80, 24), (80, 50), (100, 30), (120, 40), (125, 24), (126, 24), (160, 45), (200, 50), (300, 90),
  ]

  private static let began = ContinuousClock.now

  private static func model(alert: Bool = false) -> DemoModel {
    var message = WordsTests.note(1, title: "Sort the mail?", body: "Five letters, two parcels.")
    (message.appName, message.buttons) = ("Mailroom", ["Close", "Sort"])
    var model = DemoModel()
    model.state = StateReport(
      version: "", handset: 1, name: "1", isOnBoard: true, deviceID: "", uptimeMicroseconds: 0,
      wallMicroseconds: 86_400_000_000, daemonUptimeMicroseconds: 0,
      presentation: PresentationReport(
        badge: 1234, digits: "1234", segments: [0b000_0110, 0b101_1011, 0b100_1111, 0b110_0110], dimmed: false,
        lamp: .init(
          pattern: "blink", colour: "white", sinceUptimeMicroseconds: 0,
          steps: [
            .init(lit: true, milliseconds: 200, brightness: 100), .init(lit: false, milliseconds: 200, brightness: 0),
          ]), banner: alert ? nil : message, alert: alert ? message : nil, alertsBelow: 0),
      unseen: 1, apps: 1, devices: [], lastEvent: 0, quietHours: true, utcOffsetSeconds: -60)
    model.center = (1...6).map {
      message.body = "Number \($0)."
      message.isSeen = $0 > 4
      return message
    }
    (model.scene, model.sceneCount, model.title) = (4, 6, "An alert, and its buttons")
    model.caption = ["An alert stays until a button is pressed.", "On a board the two are push buttons."]
    (model.keys, model.panel, model.soundOutput) = (
      "v Sort   c Close", "http://127.0.0.1:1/#token=x", "muted: drawn only"
    )
    model.lines = [
      DemoLine(kind: .command, text: "$ deskbell push"), DemoLine(kind: .output, text: "  It rang: badge 1234, alert."),
    ]
    let waveform = WaveformReport(sound: "stamp", milliseconds: 500, peaks: [100, 50, 25, 0])
    model.playing = (waveform: waveform, began: began, hasEnded: false)
    model.lampBegan = began
    return model
  }

  private static func screen(_ model: DemoModel, _ columns: Int, _ rows: Int) -> [Substring] {
    DemoPicture.screen(model, columns: columns, rows: rows, at: began).text
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test(arguments: sizes)
  func areasFillTheScreenAndDoNotOverlap(columns: Int, rows: Int) {
    let layout = DemoLayout(columns: columns, rows: rows, noticeRows: 2)
    var used = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    for area in [layout.phone, layout.board, layout.caption, layout.lines, layout.notice] {
      for row in area.row..<area.row + area.height {
        for column in area.column..<area.column + area.width { used[row][column] += 1 }
      }
    }
    #expect(used.joined().allSatisfy { $0 <= 1 })
    #expect(used.dropFirst().dropLast().allSatisfy { row in row.count { $0 == 0 } <= 2 })
    #expect(layout.lines.height >= 5)
  }

  @Test(arguments: sizes)
  func everythingIsSeen(columns: Int, rows: Int) {
    let lines = DemoLayoutTests.screen(DemoLayoutTests.model(alert: true), columns, rows)
    #expect(lines.count == rows)
    #expect(lines.contains { $0.count == columns })
    let text = lines.joined(separator: "\n")
    for words in [
      " Deskbell  An alert", "4 of 6", "quiet hours", "[Close]", "[Sort]", "Five letters", "● Sort the mail?",
      "lamp blink",
      "badge 1234", "♪ stamp  0.5 s", "muted: drawn only", "An alert stays", "push buttons.", "$ deskbell push",
      "It rang: badge", " v Sort   c Close", "p the web panel", "▄███▄", "▄▄▄ ",
    ] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func theSmallestScreen() {
    let screen = """
       Deskbell  An alert, and its buttons                                     4 of 6
      ┌─ the phone ───────────────────────────────┐  ┌─ the board ───────────────────┐
      │ 23:59                         quiet hours │  │ ╲ │ ╱        ▄▄▄   ▄▄▄        │
      │ ┌─ Mailroom ────────────────────────────┐ │  │ ▄███▄     █     █     █ █   █ │
      │ │ Sort the mail?                        │ │  │ █████        ▀▀▀   ▀▀▀   ▀▀▀  │
      │ │ Five letters, two parcels.            │ │  │ ▀███▀     █ █         █     █ │
      │ │ [Close]           [Sort]              │ │  │ ╱ │ ╲        ▀▀▀   ▀▀▀        │
      │ └───────────────────────────────────────┘ │  │ lamp blink         badge 1234 │
      │ Notification Center            and 3 more │  │ ♪ stamp  0.5 s                │
      │ ● Sort the mail? · Number 1.              │  │ ████████                      │
      │ ● Sort the mail? · Number 2.              │  │ ███████████████▄▄▄▄▄▄▄▁▁▁▁▁▁▁ │
      │ ● Sort the mail? · Number 3.              │  │ muted: drawn only             │
      └───────────────────────────────────────────┘  └───────────────────────────────┘
       An alert stays until a button is pressed.
       On a board the two are push buttons.
      ────────────────────────────────────────────────────────────────────────────────
       $ deskbell push
         It rang: badge 1234, alert.





       v Sort   c Close                                               p the web panel
      """
    #expect(DemoLayoutTests.screen(DemoLayoutTests.model(alert: true), 80, 24).joined(separator: "\n") == screen)
  }

  @Test(arguments: sizes)
  func theAddressIsWhole(columns: Int, rows: Int) {
    var model = DemoLayoutTests.model()
    let address = "http://127.0.0.1:45519/#token=ncatxdjIIXMXshsyJ0_EW8Q48iO_OoDtHHscxPwy1EE"
    model.notice = address
    #expect(DemoLayoutTests.screen(model, columns, rows).contains { $0.hasSuffix(" " + address) })
  }

  @Test(arguments: [(79, 24), (80, 23), (20, 10), (1, 1)])
  func aSmallTerminalSaysWhatIsNeeded(columns: Int, rows: Int) {
    let text = DemoLayoutTests.screen(DemoLayoutTests.model(), columns, rows).joined(separator: " ")
    #expect(columns < 20 || text.contains("80 × 24") && text.contains("press q"))
  }

  @Test func captionsFitInTheSmallestTerminal() {
    for scene in DemoStory.scenes {
      #expect(scene.caption.count <= DemoLayout.captionRows && scene.caption.allSatisfy { $0.count <= 78 })
    }
  }

  @Test func theLampDiffersWithoutColours() {
    for isLarge in [false, true] {
      let (lit, dark) = (true, false)
      let pictures = [lit, dark].map { DemoBoard.lampPicture(isLit: $0, isLarge: isLarge) }
      #expect(pictures[0].joined().contains("█") && !pictures[1].joined().contains("█"))
      #expect(pictures.allSatisfy { $0.count == (isLarge ? 7 : 5) })
    }
  }

  @Test func aPageTakesThePlaceOfPhoneAndBoard() {
    var model = DemoLayoutTests.model()
    model.lines = [DemoLine(kind: .command, text: "$ explain")]
    model.lines += (1...30).map { DemoLine(kind: .output, text: "  \($0)") }
    model.page = 0
    let first = DemoLayoutTests.screen(model, 80, 24)
    #expect(first[2...4].map { $0 } == [" $ explain", "   1", "   2"])
    #expect(first[22] == "   20")
    #expect(first[23].hasPrefix(" space more   q quit"))
    model.page = 1
    let second = DemoLayoutTests.screen(model, 80, 24)
    #expect(second[2] == "   21")
    #expect(second[23].hasPrefix(" space back to the board"))
    // An enlarged terminal has fewer pages.
    #expect(DemoLayoutTests.screen(model, 80, 40)[2] == " $ explain")
  }

  @Test func marksThatDoNotFitBesideTheClockAreCut() {
    var model = DemoLayoutTests.model()
    model.conditions = ["locked", "low-power", "offline", "silent"]
    let line = DemoPicture.boxes(model, at: .now).text.split(separator: "\n")[1]
    #expect(line.prefix(45) == "│ 23:59  locked · low-power · offline · si… │")
  }

  @Test func withoutAStateTheBoxesAreEmpty() {
    let lines = DemoPicture.boxes(DemoModel(), at: .now).text.split(separator: "\n")
    #expect(lines.count == 12)
    #expect(lines.first == "┌─ the phone ───────────────────────────────┐  ┌─ the board ───────────────────┐")
  }
}

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
      pattern: "blink", colour: "white", sinceUptimeMicroseconds: 0,
      steps: [
        .init(lit: true, milliseconds: 200, brightness: 100), .init(lit: false, milliseconds: 200, brightness: 0),
      ])
    let began = ContinuousClock.now
    #expect(DemoBoard.isLit(lamp, since: began, at: began + .milliseconds(milliseconds)) == isLit)
  }
}

struct DemoLinesTests {
  @Test func longLinesAreBrokenBetweenWords() {
    let word = String(repeating: "x", count: 40)
    #expect(DemoLines.wrapped("  \(word) \(word)", width: 78) == ["  \(word)", "      \(word)"])
    #expect(DemoLines.wrapped("R4    whose token", width: 78) == ["R4    whose token"])
    #expect(DemoLines.wrapped("", width: 78) == [""])
  }

  @Test func tablesContinueBelowTheirLastColumn() {
    #expect(
      DemoLines.wrapped("  N1  the system  the app is not in the foreground: it presents", width: 42) == [
        "  N1  the system  the app is not in the",
        "                  foreground: it presents",
      ])
  }

  @Test(arguments: [1, 2, 3, 10, 79])
  func nothingIsCut(width: Int) {
    let address = "http://127.0.0.1:45519/#token=ncatxdjIIXMXshsyJ0_EW8Q48iO_OoDtHHscxPwy1EE"
    let rows = DemoLines.wrapped("  open \(address)  now", width: width)
    #expect(rows.joined().filter { $0 != " " } == "open\(address)now")
    #expect(rows.allSatisfy { $0.count <= width })
  }

  private static func lines(_ commands: Int, outputs: Int) -> [DemoLine] {
    (1...commands).flatMap { command in
      [DemoLine(kind: .command, text: "$ \(command)")]
        + (0..<outputs).map { DemoLine(kind: .output, text: "  \(command).\($0)") }
    }
  }

  @Test func theNewestCommandStaysAboveItsEffects() {
    let lines = DemoLinesTests.lines(2, outputs: 5)
    func newest(_ height: Int) -> [String] { DemoLines.newest(lines, width: 20, height: height).map(\.text) }
    #expect(newest(4) == ["$ 2", "  2.2", "  2.3", "  2.4"])
    #expect(newest(6) == ["$ 2", "  2.0", "  2.1", "  2.2", "  2.3", "  2.4"])
    #expect(newest(8).prefix(3) == ["  1.3", "  1.4", "$ 2"])
    #expect(newest(20).count == 12)
    #expect(DemoLines.newest([], width: 20, height: 4).isEmpty)
  }

  @Test func aLongCommandLeavesRoomForEffects() {
    let lines = [
      DemoLine(kind: .command, text: "$ one two three four five six"), DemoLine(kind: .output, text: "  a"),
      DemoLine(kind: .event, text: "  b"),
    ]
    #expect(DemoLines.newest(lines, width: 10, height: 4).map(\.text) == ["$ one two", "    three", "  a", "  b"])
  }

  @Test func pagesEndWithParagraphs() {
    let lines = ["$ explain", "", "  1", "  2", "  3", "", "  4", "  5", "", "  6"].map {
      DemoLine(kind: $0.hasPrefix("$") ? .command : .output, text: $0)
    }
    func pages(_ height: Int) -> [[String]] {
      DemoLines.pages(lines, width: 20, height: height).map { $0.map(\.text) }
    }
    #expect(pages(10).count == 1)
    #expect(pages(8) == [["$ explain", "", "  1", "  2", "  3", "", "  4", "  5"], ["  6"]])
    #expect(pages(7) == [["$ explain", "", "  1", "  2", "  3"], ["  4", "  5", "", "  6"]])
    #expect(DemoLines.summary(lines).map(\.text) == ["$ explain", "  6"])
    #expect(pages(2).joined().filter { !$0.isEmpty }.count == 7)
  }
}
