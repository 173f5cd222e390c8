import Testing

/// Gives a test a bench. See `.deskbell(app:)`.
public struct DeskbellTrait: TestTrait, SuiteTrait, TestScoping {
  /// What a test has of the bench.
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
    let bench = try await BenchProcess.shared
    try await Turns.shared.take(share) {
      let bell = try await begin(bench)
      try await watch(bell, test, testCase, function)
    }
  }

  private func begin(_ bench: BenchProcess) async throws -> Deskbell {
    switch share {
    case .alone:
      let control = ControlSocket(path: try bench.value("BELL_CONTROL"))
      try await control.bytes("POST", "/v1/bench/reset")
      return try await Deskbell(bench, app: app, handset: nil)
    case .handset:
      return try await Deskbell(bench, app: app, handset: Turns.shared.nextHandset())
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

/// Lets one test have the whole bench, or several a handset each. They take turns in the order in which they came.
actor Turns {
  static let shared = Turns()

  private var running = 0
  private var isAlone = false
  private var waiting: [(share: DeskbellTrait.Share, continuation: CheckedContinuation<Void, Never>)] = []
  private var handsets = 0

  nonisolated func take(_ share: DeskbellTrait.Share, _ body: () async throws -> Void) async throws {
    await begin(share)
    do {
      try await body()
    } catch {
      await end()
      throw error
    }
    await end()
  }

  /// Returns the name of a handset that no test has had.
  func nextHandset() -> String {
    handsets += 1
    return "\(handsets)"
  }

  private func begin(_ share: DeskbellTrait.Share) async {
    guard !waiting.isEmpty || !fits(share) else { return start(share) }
    await withCheckedContinuation { waiting.append((share, $0)) }
  }

  private func end() {
    running -= 1
    if running == 0 { isAlone = false }
    while let next = waiting.first, fits(next.share) {
      waiting.removeFirst()
      start(next.share)
      next.continuation.resume()
    }
  }

  private func fits(_ share: DeskbellTrait.Share) -> Bool { running == 0 || (share == .handset && !isAlone) }

  private func start(_ share: DeskbellTrait.Share) {
    running += 1
    isAlone = share == .alone
  }
}
