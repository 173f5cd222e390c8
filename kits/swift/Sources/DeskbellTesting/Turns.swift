/// Lets one test have the whole bench, or several a handset each. They take turns in the order in which they came.
package actor Turns {
  static let shared = Turns()

  private struct Waiting {
    var share: DeskbellTrait.Share
    var handsets: [String]
    var start: CheckedContinuation<String?, Never>
  }

  private var isAlone = false
  /// The handsets that running tests have.
  private var taken: Set<String> = []
  private var waiting: [Waiting] = []

  package init() {}

  package var waitingTests: Int { waiting.count }

  /// Runs a test when its turn has come.
  ///
  /// - Parameter handsets: the names of the bench's handsets.
  package nonisolated func take(
    _ share: DeskbellTrait.Share, of handsets: [String], _ body: (_ handset: String?) async throws -> Void
  ) async throws {
    let handset = await begin(share, handsets)
    do {
      try await body(handset)
    } catch {
      await end(handset)
      throw error
    }
    await end(handset)
  }

  private func begin(_ share: DeskbellTrait.Share, _ handsets: [String]) async -> String? {
    await withCheckedContinuation { start in
      waiting.append(Waiting(share: share, handsets: handsets, start: start))
      goOn()
    }
  }

  private func end(_ handset: String?) {
    if let handset { taken.remove(handset) } else { isAlone = false }
    goOn()
  }

  private func goOn() {
    while let next = waiting.first, !isAlone {
      switch next.share {
      case .alone:
        guard taken.isEmpty else { return }
        isAlone = true
        waiting.removeFirst().start.resume(returning: nil)
      case .handset:
        guard let handset = next.handsets.first(where: { !taken.contains($0) }) else { return }
        taken.insert(handset)
        waiting.removeFirst().start.resume(returning: handset)
      }
    }
  }
}
