// Those who follow the events read them from the journal; all they have to be told is that there are more. So a slow
// reader holds nothing up and misses nothing.

import Synchronization

/// Wakes everybody who waits for the next event.
final class EventBell: Sendable {
  private struct State {
    var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// An element each time there may be more; several that nobody took are one. Ends with the bell.
  func listen() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  func ring() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  /// Ends all streams: the daemon stops.
  func finish() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }
}
