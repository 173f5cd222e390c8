// A story is a file of timed inputs and their expected transcript. Playing it gives the same file with the real
// transcript; every difference is a failure, and UPDATE_STORIES=1 writes it back for a person to read.

import Foundation
import Synchronization

@testable import HandsetCore

struct Story {
  var file: String
  var lines: [String]

  /// The folder Tests/Core/Stories, found from this file, which may have been compiled through Sources/Core/Tests.
  static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Stories")

  /// The names of all stories, in order.
  static let files: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".story") }.sorted()
  }()

  /// All stories; one that cannot be read fails in its own test.
  static let all: [Story] = files.compactMap { try? Story(file: $0) }

  init(file: String) throws {
    let text = try String(contentsOf: Story.folder.appendingPathComponent(file), encoding: .utf8)
    self.init(file: file, text: text)
  }

  init(file: String, text: String) {
    self.file = file
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
  }

  var path: String { Story.folder.appendingPathComponent(file).path }

  var title: String { header("story") }

  var rules: [String] { header("rules").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }

  private func header(_ key: String) -> String {
    lines.first { $0.hasPrefix(key + ":") }.map { $0.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces) }
      ?? ""
  }

  struct Played {
    /// The story with the real transcript.
    var lines: [String] = []
    /// The failed checks, whatever the story expects: each with the number of its line.
    var problems: [(line: Int, problem: String)] = []
    /// Every outcome of a rule that occurred in it.
    var rulings: Set<Ruling> = []
  }

  private static let results = Mutex<[String: Played]>([:])

  /// Plays the story of a file, once for all tests.
  func playOnce() -> Played {
    if let played = Story.results.withLock({ $0[file] }) { return played }
    let played = play()
    Story.results.withLock { $0[file] = played }
    return played
  }

  /// Plays the commands; stops at the first one that cannot be read or violates an invariant.
  func play() -> Played {
    var played = Played()
    var player = StoryPlayer()
    for (index, line) in lines.enumerated() {
      // Expectations are written anew.
      if line.hasPrefix(" ") { continue }
      played.lines.append(line)
      let isHeader = line.hasPrefix("story:") || line.hasPrefix("rules:")
      if line.isEmpty || line.hasPrefix("#") || isHeader { continue }
      do {
        let word = line.prefix { $0 != " " }
        let time = try required(Duration(story: word), "expected a time, not '\(word)'")
        let transcript = try player.play(line[word.endIndex...], at: time)
        played.lines += transcript.map { String(repeating: " ", count: 8) + $0 }
      } catch {
        played.problems.append((index + 1, "\(error)"))
      }
      played.problems += player.rig.problems.map { (index + 1, $0) }
      played.rulings = player.rig.everyRuling
      guard played.problems.isEmpty else { return played }
    }
    return played
  }
}

/// Returns the lines that differ, with their numbers in `expected`, and a few lines around them.
func readableDifference(expected: [String], actual: [String]) -> (line: Int, text: String)? {
  let difference = actual.difference(from: expected)
  guard !difference.isEmpty else { return nil }
  var removed: Set<Int> = []
  var inserted: [Int: String] = [:]
  for change in difference {
    switch change {
    case .remove(let offset, _, _): removed.insert(offset)
    case .insert(let offset, let element, _): inserted[offset] = element
    }
  }
  var rows: [(line: Int, text: String, differs: Bool)] = []
  var (old, new) = (0, 0)
  while old < expected.count || new < actual.count {
    if old < expected.count, removed.contains(old) {
      rows.append((old + 1, "- \(expected[old])", true))
      old += 1
    } else if let line = inserted[new] {
      rows.append((old + 1, "+ \(line)", true))
      new += 1
    } else {
      rows.append((old + 1, "  \(expected[old])", false))
      (old, new) = (old + 1, new + 1)
    }
  }
  let near = rows.indices.filter { row in
    rows[max(0, row - 3)...min(rows.count - 1, row + 3)].contains { $0.differs }
  }
  let text = near.map { "\(rows[$0].line)\t\(rows[$0].text)" }.joined(separator: "\n")
  return (rows.first { $0.differs }?.line ?? 1, text)
}
