// Knows which connections are open: to refuse one too many, and to end all in order.

import NIOCore
import Synchronization

final class ConnectionRegistry: Sendable {
  /// No place is left.
  struct Full: Error {
    /// Whether there was one the last time: worth a line in the log, which a flood of connections is not.
    var isNew: Bool
  }

  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isOpen = true
    var wasFull = false
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes a channel in; one that closes is forgotten.
  func add(_ channel: any Channel) throws(Full) {
    let id = ObjectIdentifier(channel)
    try state.withLock { state throws(Full) in
      guard state.isOpen, state.channels.count < limit else {
        defer { state.wasFull = true }
        throw Full(isNew: state.isOpen && !state.wasFull)
      }
      state.wasFull = false
      state.channels[id] = channel
    }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { state in _ = state.channels.removeValue(forKey: id) }
    }
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
