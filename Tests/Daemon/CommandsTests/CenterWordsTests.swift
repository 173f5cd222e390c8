import Testing

@testable import Commands
@testable import DeskbellDaemon

@Suite struct CenterWordsTests {
  private func note(
    _ id: UInt64, _ body: String, app: String = "com.example.mail", thread: String? = nil
  ) -> NotificationReport {
    WordsTests.note(id, title: nil, body: body, seen: true, app: app, thread: thread)
  }

  private func lines(_ notes: [NotificationReport]) -> [String] {
    CenterCommand.text(notes).split(separator: "\n").dropFirst().map { line in
      "\(line.prefix { $0 != " " }) \(line.split(separator: "Mail", maxSplits: 1).last ?? "")"
        .split(separator: " ").joined(separator: " ")
    }
  }

  @Test("The notifications of a thread are listed together, at the place of its newest; threads of two apps differ")
  func threads() {
    let notes = [
      note(6, "six", thread: "a"), note(5, "five"), note(4, "four", thread: "a"), note(3, "three", thread: "b"),
      note(2, "two", app: "com.example.news", thread: "a"), note(1, "one", thread: "a"),
    ]
    #expect(lines(notes) == ["6 six", "4 └ four", "1 └ one", "5 five", "3 three", "2 two"])
  }

  @Test func actions() {
    var asking = note(1, "Dinner?")
    asking.actions = ["Accept", "Reply"].map {
      .init(id: $0.uppercased(), title: $0, opensApp: false, isDestructive: false, needsUnlock: false)
    }
    #expect(lines([asking]) == ["1 Dinner? [Accept] [Reply]"])
  }
}
