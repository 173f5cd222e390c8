// Knows which connections are open: to refuse one too many, and to end all in order. Who has not shown yet who it is
// gives way to who comes: a crowd of strangers keeps no provider out.

import NIOCore
import Synchronization

final class ConnectionRegistry: Sendable {
  /// No place is left.
  struct Full: Error {
    enum Limit: String, Sendable {
      case connections
      case connectionsPerAddress = "connections of one address"
    }

    var limit: Limit
    /// Whether there was a place the last time: worth a line in the log, which a flood of connections is not.
    var isNew: Bool
  }

  private struct Member {
    var channel: any Channel
    var address: ClientAddress?
    /// Nil once it has authenticated.
    var strangerNumber: UInt64?
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var counts: [ClientAddress: Int] = [:]
    var isOpen = true
    var wasFull = false
    var strangers: UInt64 = 0

    mutating func remove(_ id: ObjectIdentifier) {
      guard let member = members.removeValue(forKey: id), let address = member.address else { return }
      counts[address] = counts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    var oldestStranger: (id: ObjectIdentifier, member: Member)? {
      members.lazy.filter { $0.value.strangerNumber != nil }
        .min { ($0.value.strangerNumber ?? 0) < ($1.value.strangerNumber ?? 0) }
        .map { ($0.key, $0.value) }
    }
  }

  private let state = Mutex(State())
  private let leftovers = Leftovers()
  private let limit: Int
  private let limitPerAddress: Int

  init(limit: Int, limitPerAddress: Int) {
    self.limit = limit
    self.limitPerAddress = limitPerAddress
  }

  /// Takes a channel in, if need be in the place of the stranger who came first; one that closes is forgotten.
  func add(_ channel: any Channel, from address: ClientAddress?) throws(Full) {
    let id = ObjectIdentifier(channel)
    let evicted = try state.withLock { state throws(Full) -> (any Channel)? in
      func refuse(_ limit: Full.Limit) -> Full {
        defer { state.wasFull = true }
        return Full(limit: limit, isNew: state.isOpen && !state.wasFull)
      }
      guard state.isOpen else { throw refuse(.connections) }
      if let address, state.counts[address, default: 0] >= limitPerAddress { throw refuse(.connectionsPerAddress) }
      var evicted: (any Channel)?
      if state.members.count >= limit {
        guard let stranger = state.oldestStranger else { throw refuse(.connections) }
        evicted = stranger.member.channel
        state.remove(stranger.id)
      } else {
        state.wasFull = false
      }
      state.strangers += 1
      state.members[id] = Member(channel: channel, address: address, strangerNumber: state.strangers)
      if let address { state.counts[address, default: 0] += 1 }
      return evicted
    }
    evicted?.close(promise: nil)
    let eventLoop = channel.eventLoop
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.remove(id) }
      self.leftovers.connectionHasClosed(on: eventLoop)
    }
  }

  /// The client has shown who it is: it keeps its place.
  func keep(_ channel: any Channel) {
    state.withLock { $0.members[ObjectIdentifier(channel)]?.strangerNumber = nil }
  }

  /// Lets nobody else in, and returns who is in.
  func refuseMore() -> [any Channel] {
    state.withLock { state in
      state.isOpen = false
      return state.members.values.map(\.channel)
    }
  }

  var count: Int { state.withLock { $0.members.count } }
}
