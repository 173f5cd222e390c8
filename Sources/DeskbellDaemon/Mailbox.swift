// Pushes come from many connections, each answered only after its commit. While one commit waits for the disk the next
// ones gather here, and share the following commit.

import HandsetCore
import Synchronization

/// Inputs on their way to the handset.
final class Mailbox: Sendable {
  enum Limits {
    /// Inputs that wait, answers pending. One more is turned away.
    static let waiting = 4_096
    /// Reports of drivers and refusals that wait. One more is dropped, and counted.
    static let reports = 1_024
    /// Inputs that share one commit.
    static let batch = 256
  }

  /// What an input came to.
  enum Outcome: Sendable {
    case stored(Verdict)
    /// Nothing has changed: the mailbox was full, or the disk would not take it. The text says why.
    case failed(String)
  }

  struct Letter: Sendable {
    var input: Input
    /// Nil for what nobody waits for; a batch of only those is not worth waiting for the disk.
    var completion: (@Sendable (Outcome) -> Void)?
    /// Whether the answer promises that it is on the disk.
    var isDurable = true
  }

  private struct State {
    var letters: [Letter] = []
    var reports = 0
    var isBeingEmptied = false
    var dropped = 0
  }

  private let state = Mutex(State())

  /// Whether the letter was taken, and whether somebody must be sent to empty the mailbox.
  func put(_ letter: Letter) -> (taken: Bool, wasIdle: Bool) {
    state.withLock { state in
      let isReport = letter.completion == nil
      if isReport ? state.reports >= Limits.reports : state.letters.count - state.reports >= Limits.waiting {
        if isReport { state.dropped += 1 }
        return (false, false)
      }
      state.letters.append(letter)
      if isReport { state.reports += 1 }
      defer { state.isBeingEmptied = true }
      return (true, !state.isBeingEmptied)
    }
  }

  /// The oldest letters, at most `Limits.batch`; none ends the emptying. Also how many reports were dropped since.
  func take() -> (letters: [Letter], dropped: Int) {
    state.withLock { state in
      defer { state.dropped = 0 }
      guard !state.letters.isEmpty else {
        state.isBeingEmptied = false
        // A slice of nothing would share the memory that the next letter is written to.
        return ([], state.dropped)
      }
      let batch = Array(state.letters.prefix(Limits.batch))
      state.letters.removeFirst(batch.count)
      state.reports -= batch.count { $0.completion == nil }
      return (batch, state.dropped)
    }
  }
}
