// Every story of Tests/Core/Stories, and a check that the runner fails where it should.

import Foundation
import Testing

@testable import HandsetCore

@Suite struct StoryTests {
  @Test func thereAreStories() {
    #expect(Story.files.count >= 25)
  }

  @Test(arguments: Story.files)
  func story(file: String) throws {
    let story = try Story(file: file)
    let played = story.playOnce()
    func location(_ line: Int) -> SourceLocation {
      SourceLocation(fileID: "Stories/\(file)", filePath: story.path, line: line, column: 1)
    }
    #expect(!story.title.isEmpty, "a story has a title", sourceLocation: location(1))
    #expect(!story.rules.isEmpty, "a story cites its rules", sourceLocation: location(1))
    for (line, problem) in played.problems {
      Issue.record("\(story.path):\(line): \(problem)", sourceLocation: location(line))
    }
    guard played.problems.isEmpty else { return }
    if ProcessInfo.processInfo.environment["UPDATE_STORIES"] == "1" {
      if played.lines != story.lines {
        try (played.lines.joined(separator: "\n") + "\n").write(toFile: story.path, atomically: true, encoding: .utf8)
      }
    } else if let difference = readableDifference(expected: story.lines, actual: played.lines) {
      Issue.record(
        "\(story.path):\(difference.line): expected -, happened +\n\(difference.text)",
        sourceLocation: location(difference.line))
    }
  }

  // MARK: - The runner itself

  private let example = """
    story: One letter
    rules: B1
    0s    install mail
            installed mail
    1s    register mail badge
            registered mail kinds=badge
    2s    push mail badge=1
            accepted mail P1 type=alert
            badge mail P1 number=1
            = badge 1
    """

  @Test func aStoryThatHoldsPlaysToItself() {
    let story = Story(file: "example", text: example)
    let played = story.play()
    #expect(played.problems.isEmpty)
    #expect(played.lines == story.lines)
  }

  @Test func aLineTooManyTooFewOrOtherwiseIsShownWithItsPlace() {
    let story = Story(file: "example", text: example.replacingOccurrences(of: "= badge 1", with: "= badge 2"))
    let difference = readableDifference(expected: story.lines, actual: story.play().lines)
    #expect(difference?.line == 10)
    #expect(
      difference?.text == """
        7\t  2s    push mail badge=1
        8\t          accepted mail P1 type=alert
        9\t          badge mail P1 number=1
        10\t-         = badge 2
        11\t+         = badge 1
        """)
  }

  @Test(arguments: [
    ("0s push", "expected an app"), ("0s psuh mail", "no command 'psuh'"), ("0 wait", "expected a time, not '0'"),
    ("0s push mail bagde=1", "the command does not take 'bagde=1'"), ("0s wait now", "the command does not take 'now'"),
    ("0s push mail badge=1 badge=2", "'badge' twice"), ("0s push mail alert=\"x", "a quotation mark is not closed"),
    ("2s wait\n1s wait", "time goes back to 1s"),
  ])
  func aCommandThatCannotBeReadStopsTheStory(text: String, problem: String) {
    let played = Story(file: "bad", text: text).play()
    #expect(played.problems.map(\.problem) == [problem])
  }

  @Test(arguments: ["0s", "1s", "1h30m", "2d", "999ms", "1s1us"])
  func timesReadBack(text: String) {
    #expect(Duration(story: text)?.story == text)
  }
}
