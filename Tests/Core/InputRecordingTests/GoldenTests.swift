// Recorded inputs of every release are read for ever, and so are the requests in a database, which have the same form:
// each line of the golden file and of the releases' files is read, written again, and compared key by key. A field that
// was renamed is listed.

import Foundation
import Testing

@testable import InputRecording

@Suite struct GoldenTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  /// A file of this version: a new key is added to it, and stays there.
  private static let golden = tests.appending(path: "Golden/form-2.jsonl")

  /// Returns the file that each release has recorded.
  private static func released() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: tests.appending(path: "../../Released"), includingPropertiesForKeys: nil
    ).map { $0.appending(path: "inputs.jsonl") }.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  @Test("What was written is read, and written as it was")
  func comesBack() throws {
    let released = try GoldenTests.released()
    #expect(!released.isEmpty, "Tests/Released has no release")
    for file in [GoldenTests.golden] + released {
      let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
      #expect(lines.count > 40)
      for (index, line) in lines.enumerated() {
        try GoldenTests.check(line, "\(file.path):\(index + 1)", isComplete: file == GoldenTests.golden)
      }
    }
  }

  /// - Parameters:
  ///   - place: the line's file and number.
  ///   - isComplete: true if the line has every key that this version writes.
  private static func check(_ line: Data, _ place: String, isComplete: Bool) throws {
    let again: Data
    do {
      again = try RecordedLine.encoder().encode(JSONDecoder().decode(RecordedLine.self, from: line))
    } catch {
      Issue.record("\(place): \(error)")
      return
    }
    let (before, after) = (try leaves(of: line), try leaves(of: again))
    for (path, value) in before where after[path] != value {
      Issue.record("\(place): '\(path)' was \(value) and is \(after[path] ?? "not written")")
    }
    // Settings are texts by their keys, which `SettingsTests` reads back.
    for (path, value) in after where isComplete && before[path] == nil && !path.contains(".settings.") {
      Issue.record("\(place): '\(path)' is written, \(value), and is not in the golden file")
    }
  }

  @Test("The golden file has every kind of input")
  func isComplete() throws {
    let lines = try String(contentsOf: GoldenTests.golden, encoding: .utf8)
    for input in RecordedLineTests.inputs {
      let kind = "\(input)".prefix { $0 != "(" }
      #expect(lines.contains("{\"input\":{\"\(kind)\":{"), "\(kind)")
    }
  }

  /// Returns the values by their paths: `input.push.content.level`, with the indices of lists; empty lists have none.
  private static func leaves(of line: Data) throws -> [String: String] {
    var leaves: [String: String] = [:]
    func walk(_ value: Any, _ path: [String]) {
      if let object = value as? [String: Any] {
        for (key, value) in object { walk(value, path + [key]) }
        if object.isEmpty { leaves[path.joined(separator: ".")] = "{}" }
      } else if let list = value as? [Any] {
        for (index, value) in list.enumerated() { walk(value, path + ["\(index)"]) }
      } else {
        leaves[path.joined(separator: ".")] = "\(value)"
      }
    }
    walk(try JSONSerialization.jsonObject(with: line), [])
    return leaves
  }
}
