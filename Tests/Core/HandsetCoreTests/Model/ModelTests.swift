// Hundreds of thousands of inputs to the handset and to its model, which must always agree. DESKBELL_MODEL_SEED=7 runs
// that seed alone, DESKBELL_MODEL_OPERATIONS=5000000 runs that many random operations in all, and at most as many sequences
// of three.

import Foundation
import TestSupport
import Testing

@testable import HandsetCore

/// These take longer than all other tests together, so they yield: on a machine with two cores the other tests' sockets
/// would otherwise not be read for half a minute.
@Suite struct ModelTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let operations = environment["DESKBELL_MODEL_OPERATIONS"].flatMap { Int($0) } ?? 200_000
  private static let operationsOfRun = 1000
  private static let seeds =
    environment["DESKBELL_MODEL_SEED"].flatMap { UInt64($0) }.map { [$0] }
    ?? Array(1...UInt64(max(1, operations / operationsOfRun)))

  /// Returns the items in groups that run at the same time, one for each processor: what becomes ready meanwhile waits
  /// for one run of each group.
  private static func groups<Item>(of items: [Item]) -> [[Item]] {
    let count = min(ProcessInfo.processInfo.activeProcessorCount, items.count)
    return (0..<count).map { group in stride(from: group, to: items.count, by: count).map { items[$0] } }
  }

  @Test(arguments: groups(of: seeds))
  func randomOperations(seeds: [UInt64]) async throws {
    for seed in seeds {
      await Task.yield()
      var random = SplitMix64(state: seed)
      let lines = RandomStory.lines(ModelTests.operationsOfRun, using: &random)
      guard let failed = try ModelTests.firstFailure(of: lines) else { continue }
      let report = try ModelTests.counterexample(Array(lines.prefix(failed + 1)))
      Issue.record("seed \(seed): run it alone with DESKBELL_MODEL_SEED=\(seed)\n\(report)")
      return
    }
  }

  /// The operations that begin a sequence of three, and those that come second: all, unless that is more than are asked
  /// for.
  private static let firsts = atMost(sequences / alphabet.count / alphabet.count)
  private static let seconds = atMost(sequences / alphabet.count / firsts.count)
  private static let sequences = environment["DESKBELL_MODEL_OPERATIONS"].flatMap { Int($0) } ?? Int.max
  private static let alphabet = ModelAlphabet.operations

  private static func atMost(_ count: Int) -> Range<Int> { 0..<min(max(count, 1), alphabet.count) }

  /// Every sequence of three operations of the alphabet, on a handset in the middle of its day.
  @Test(arguments: groups(of: Array(firsts)))
  func everyTripleOfOperations(first: [Int]) async throws {
    var start = ModelRig()
    for line in ModelAlphabet.setting { try start.play(line) }
    try #require(start.problems == [])
    for one in first {
      guard let afterOne = try next(start, [one]) else { return }
      for two in ModelTests.seconds {
        await Task.yield()
        guard let afterTwo = try next(afterOne, [one, two]) else { return }
        for three in ModelAlphabet.operations.indices {
          guard try next(afterTwo, [one, two, three]) != nil else { return }
        }
      }
    }
  }

  /// Returns the rig after the last of the operations; nil if the two then differ.
  private func next(_ rig: ModelRig, _ path: [Int]) throws -> ModelRig? {
    var rig = rig
    let (pause, command) = ModelAlphabet.operations[path[path.count - 1]]
    try rig.play(command, at: rig.clock.time + pause)
    if rig.problems.isEmpty { return rig }
    Issue.record("\(try ModelTests.counterexample(ModelAlphabet.story(of: path)))")
    return nil
  }

  /// The model agrees with all stories.
  @Test(arguments: Story.files)
  func everyStory(file: String) throws {
    let lines = try Story(file: file).lines.filter { $0.first?.isNumber ?? false }
    guard let failed = try ModelTests.firstFailure(of: lines) else { return }
    Issue.record("\(file)\n\(try ModelTests.counterexample(Array(lines.prefix(failed + 1))))")
  }

  @Test func theAlphabetIsLongEnough() {
    #expect(ModelAlphabet.operations.count >= 40)
    #expect(Set(ModelAlphabet.operations.map(\.command)).count == ModelAlphabet.operations.count - 1)
  }

  // MARK: - Counterexamples

  /// Returns the index of the first line after which the two differ.
  private static func firstFailure(of lines: [String]) throws -> Int? {
    var rig = ModelRig()
    for (index, line) in lines.enumerated() {
      try rig.play(line)
      if !rig.problems.isEmpty { return index }
    }
    return nil
  }

  /// Returns the fewest lines of the story that still fail, and the failure.
  private static func counterexample(_ lines: [String]) throws -> String {
    let smallest = shrink(lines) { (try? firstFailure(of: $0)) != nil }
    var rig = ModelRig()
    for line in smallest where rig.problems.isEmpty { try rig.play(line) }
    return (smallest + rig.problems).joined(separator: "\n")
  }
}
