// Pushes come from many connections, each answered only after its commit. While one commit waits for the disk the next
// ones gather here, and share the following commit.

import HandsetCore
import Synchronization

/// Inputs on their way to the handset.
final class Mailbox: Sendable {
  enum Limits {
    /// Inputs that wait, answers pending, and the bytes in them. One more is turned away.
    static let waiting = 4_096
    static let waitingBytes = 16 * 1024 * 1024
    /// Reports of drivers and refusals that wait. One more is dropped, and counted.
    static let reports = 1_024
    /// Inputs that share one commit, and the bytes in them. One by itself may have more.
    static let batch = 256
    static let batchBytes = 1024 * 1024
    /// Bytes that an input takes beside those that it brings.
    static let inputOverhead = 512
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

    var bytes: Int { Limits.inputOverhead + input.bytes }
  }

  private struct State {
    var letters: [Letter] = []
    var reports = 0
    /// In those that are no reports.
    var bytes = 0
    var isBeingEmptied = false
    var dropped = 0
  }

  private let state = Mutex(State())

  /// Whether the letter was taken, and whether somebody must be sent to empty the mailbox.
  func put(_ letter: Letter) -> (taken: Bool, wasIdle: Bool) {
    state.withLock { state in
      if letter.completion == nil {
        guard state.reports < Limits.reports else {
          state.dropped += 1
          return (false, false)
        }
        state.reports += 1
      } else {
        guard state.letters.count - state.reports < Limits.waiting, state.bytes + letter.bytes <= Limits.waitingBytes
        else { return (false, false) }
        state.bytes += letter.bytes
      }
      state.letters.append(letter)
      defer { state.isBeingEmptied = true }
      return (true, !state.isBeingEmptied)
    }
  }

  /// The oldest letters, as many as share a commit; none ends the emptying. Also how many reports were dropped since.
  func take() -> (letters: [Letter], dropped: Int) {
    state.withLock { state in
      defer { state.dropped = 0 }
      guard !state.letters.isEmpty else {
        state.isBeingEmptied = false
        // A slice of nothing would share the memory that the next letter is written to.
        return ([], state.dropped)
      }
      var bytes = 0
      let batch = Array(
        state.letters.prefix(Limits.batch).prefix { letter in
          defer { bytes += letter.bytes }
          return bytes == 0 || bytes + letter.bytes <= Limits.batchBytes
        })
      state.letters.removeFirst(batch.count)
      for letter in batch {
        if letter.completion == nil { state.reports -= 1 } else { state.bytes -= letter.bytes }
      }
      return (batch, state.dropped)
    }
  }
}

extension Input {
  /// Bytes that it brings: as many as its sender likes.
  fileprivate var bytes: Int {
    switch self {
    case .push(let push): push.payload.count
    case .publish(let push, let propertyList): push.payload.count + propertyList.count
    case .schedule(let request): request.payload.count
    case .install(let manifest, _): manifest.strings.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    default: 0
    }
  }
}
