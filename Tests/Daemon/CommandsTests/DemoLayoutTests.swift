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
          pattern: "blink", sinceUptimeMicroseconds: 0,
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
    model.playing = .init(waveform: .init(sound: "stamp", milliseconds: 500, peaks: [100, 50, 25, 0]), began: began)
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
