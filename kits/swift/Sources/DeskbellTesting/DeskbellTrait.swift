import Testing

/// Gives a test a bench. See `.deskbell(app:)`.
public struct DeskbellTrait: TestTrait, SuiteTrait, TestScoping {
  /// A test's access to the bench.
  public enum Share: Sendable {
    /// The whole bench: such tests run one after the other, and each begins with an empty bench.
    case alone
    /// A handset of its own: such tests run side by side, but for those with the whole bench. They share the clock, so
    /// none of them should advance it.
    case handset
  }

  let app: String
  let share: Share

  /// Every test of a suite with the trait has a bench.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // The suite of a test has this trait too: the test only chooses another app.
    if let bell = Deskbell.ofTest {
      return try await Deskbell.$ofTest.withValue(try await bell.with(app: app), operation: function)
    }
    let control = try await BenchProcess.control
    let handsets = try await control.get("/v1/handsets", as: [HandsetName].self).map(\.name)
    try await Turns.shared.take(share, of: handsets) { handset in
      let resource = handset.map { "/v1/handsets/\($0)/bench/reset" } ?? "/v1/bench/reset"
      try await control.bytes("POST", resource)
      try await watch(try await Deskbell(control, app: app, handset: handset), test, testCase, function)
    }
  }

  /// Runs a test, and tells the story if it fails.
  private func watch(
    _ bell: Deskbell, _ test: Test, _ testCase: Test.Case?, _ function: @Sendable () async throws -> Void
  ) async throws {
    let story = Story(bell)
    // The story is read where the first issue is recorded: later, more may have happened.
    let issues = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.isFailure, let text = story.first() else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: text))
      return issue
    }
    do {
      try await issues.provideScope(for: test, testCase: testCase) {
        try await Deskbell.$ofTest.withValue(bell, operation: function)
        for name in try await bell.unfiredFaults() where !story.isTold {
          Issue.record(
            "Fault '\(name)' was armed and never struck: no request came to which it applies.",
            sourceLocation: test.sourceLocation)
        }
      }
    } catch {
      // An error that a test throws passes by the handler of issues.
      if !Task.isCancelled, let text = story.first() {
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: test.sourceLocation)
      }
      story.attach(test)
      try? await bell.removeFaults()
      throw error
    }
    story.attach(test)
    try await bell.removeFaults()
  }
}

private struct HandsetName: Decodable {
  var name: String
}

extension Trait where Self == DeskbellTrait {
  /// Gives a test, or each test of a suite, a bench with an app that is installed and registered.
  ///
  ///     @Test(.deskbell(app: "mail"))
  ///     func rings() async throws {
  ///       let bell = Deskbell.current
  ///       …
  ///     }
  ///
  /// - Parameters:
  ///   - app: the app's bundle identifier. Any word will do.
  ///   - share: the whole bench, one test after the other; or a handset of its own, side by side.
  public static func deskbell(app: String, share: DeskbellTrait.Share = .alone) -> DeskbellTrait {
    DeskbellTrait(app: app, share: share)
  }
}
