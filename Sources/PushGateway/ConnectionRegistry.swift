// Knows which connections are open: to refuse one too many, and to end all in order.

import NIOCore
import Synchronization

final class ConnectionRegistry: Sendable {
  struct Full: Error {}

  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isOpen = true
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// False where there are enough already. A channel that closes is forgotten.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isAdded = state.withLock { state in
      guard state.isOpen, state.channels.count < limit else { return false }
      state.channels[id] = channel
      return true
    }
    guard isAdded else { return false }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { state in _ = state.channels.removeValue(forKey: id) }
    }
    return true
  }

  /// Lets nobody else in, and returns who is in.
  func refuseMore() -> [any Channel] {
    state.withLock { state in
      state.isOpen = false
      return Array(state.channels.values)
    }
  }

  var count: Int { state.withLock { $0.channels.count } }
}
