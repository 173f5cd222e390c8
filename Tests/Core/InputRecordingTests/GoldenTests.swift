// Written journals stay readable for ever, and so do the requests in a database, which have the same form: each line of
// the golden files is read, written again, and compared key by key. A field that was renamed is listed.

import Foundation
import Testing

@testable import InputRecording

@Suite struct GoldenTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let files = [
    tests.appending(path: "Golden/form-1.jsonl"), tests.appending(path: "Golden/form-2.jsonl"),
    tests.appending(path: "../../Released/0.1.0/inputs.journal"),
  ]

  /// Returns true for keys of form 1 that are no longer written: a scheduled notification had all of a push's keys.
  private static func isDropped(_ path: String) -> Bool {
    let dropped = ["token", "topic", "type", "contentAvailable", "priority", "faults"]
    return dropped.contains { path.hasSuffix(".request.content.\($0)") }
  }

  @Test("What was written is read, and written as it was", arguments: files)
  func comesBack(_ file: URL) throws {
    let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count > 40)
    let isOld = try #require(lines.first).range(of: Data(#""journal":1"#.utf8)) != nil
    for (index, line) in lines.enumerated() {
      let place = "\(file.lastPathComponent):\(index + 1)"
      let again: Data
      do {
        again = try RecordedLine.encoder().encode(JSONDecoder().decode(RecordedLine.self, from: line))
      } catch {
        Issue.record("\(place): \(GoldenTests.describe(error))")
        continue
      }
      var golden = try GoldenTests.leaves(of: line)
      var written = try GoldenTests.leaves(of: again)
      if isOld {
        golden = golden.filter { !GoldenTests.isDropped($0.key) }
        // In form 1 a node was in the push; now only a publication has one.
        golden = golden.filter { !$0.key.hasPrefix("input.push.content.node.") }
        golden = Dictionary(
          uniqueKeysWithValues: golden.map {
            ($0.key.replacing("input.publish.content.node.", with: "input.publish.node."), $0.value)
          })
        if golden["journal"] != nil { golden["journal"] = "2" }
        if let status = golden["input.refused.status"] {
          #expect(written["input.refused.push.status"] == status)
          golden = golden.filter { !$0.key.hasPrefix("input.refused.") }
          written = written.filter { !$0.key.hasPrefix("input.refused.") }
        }
      }
      for (path, value) in golden where written[path] != value {
        Issue.record("\(place): '\(path)' was \(value) and is \(written[path] ?? "not written")")
      }
      // New keys are added to a golden file, and stay there.
      if !isOld {
        for (path, value) in written where golden[path] == nil {
          Issue.record("\(place): '\(path)' is written, \(value), and is not in the golden file")
        }
      }
    }
  }

  @Test("The golden file has every kind of input")
  func isComplete() throws {
    let lines = try String(contentsOf: GoldenTests.files[1], encoding: .utf8)
    for input in JournalFormTests.inputs {
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

  private static func describe(_ error: any Error) -> String {
    func path(_ context: DecodingError.Context, _ last: String? = nil) -> String {
      (context.codingPath.map(\.stringValue) + (last.map { [$0] } ?? [])).joined(separator: ".")
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "'\(path(context, key.stringValue))' is not read"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      "'\(path(context))': \(context.debugDescription)"
    default: "\(error)"
    }
  }
}
