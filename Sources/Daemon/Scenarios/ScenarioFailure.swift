import FoundationEssentials

/// Why a scenario failed: its place in the file, a sentence, and what happened.
public struct ScenarioFailure: Error, Sendable, Hashable, Codable {
  public var file: String
  public var line: Int
  public var sentence: String
  public var expected: String?
  /// The requests, one a line.
  public var happened: [String] = []
  public var explain: [String] = []
  /// The provider's last line.
  public var provider: String?
  /// The provider's output, and the number of its last line: `out/503-twice/provider.log:41`.
  public var log: String?

  /// The report for people.
  public var text: String {
    let indent = String(repeating: " ", count: 12)
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var lines = ["FAIL \(name):\(line)  \(sentence)"]
    func add(_ word: String, _ values: [String]) {
      for (place, value) in values.enumerated() {
        let head = place == 0 ? "  " + word + String(repeating: " ", count: max(1, 10 - word.count)) : indent
        lines.append(head + value)
      }
    }
    add("expected", expected.map { [$0] } ?? [])
    add("happened", happened)
    add("explain", explain)
    if let log {
      let said = provider.map { "\"\($0)\"" } ?? "printed nothing"
      add("provider", ["\(said)   log: \(log)"])
    }
    return lines.joined(separator: "\n")
  }
}

/// The end of one scenario.
public struct ScenarioResult: Sendable, Hashable, Codable {
  public var file: String
  public var scenario: String
  public var passed: Bool
  /// Real time.
  public var milliseconds: Int64
  public var requests: Int
  public var failure: ScenarioFailure?

  public init(
    file: String, scenario: String, milliseconds: Int64, requests: Int, failure: ScenarioFailure?
  ) {
    (self.file, self.scenario, self.milliseconds, self.requests) = (file, scenario, milliseconds, requests)
    self.failure = failure
    passed = failure == nil
  }
}
