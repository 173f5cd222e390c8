// Readers of events read them from the store and only need a signal that there are more. So a slow reader delays
// nothing and misses nothing.

import HandsetCore
import Host
import Synchronization
import SystemThreads

/// A sink that wakes the readers of a handset's events when there are new ones.
final class EventStreamSink: CommitSink {
  struct State {
    fileprivate(set) var listeners: [HandsetID: [UInt64: Signal<Void>.Sender]] = [:]
    fileprivate var next: UInt64 = 0
  }

  let state = Mutex(State())

  /// Returns an element each time there may be more events of that handset; unread ones are merged into one.
  func listen(to handset: HandsetID) -> AsyncStream<Void> {
    let signal = Signal<Void>()
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.listeners[handset, default: [:]][state.next] = signal.sender
      return state.next
    }
    signal.sender.onTermination = { [self] _ in
      _ = state.withLock { $0.listeners[handset]?.removeValue(forKey: number) }
    }
    return signal.values
  }

  func hasListeners(to handset: HandsetID) -> Bool {
    state.withLock { $0.listeners[handset]?.isEmpty == false }
  }

  func publish(_ batch: CommittedBatch) {
    let waiting = state.withLock { state in
      state.listeners.filter { id, _ in batch.turns.contains { $0.handset == id && !$0.turn.events.isEmpty } }
    }
    for listeners in waiting.values {
      for listener in listeners.values { listener.yield() }
    }
  }
}
