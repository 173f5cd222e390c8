// The open connections: one too many is refused, and a shutdown ends them in order. A stranger, which is a client that has
// not authenticated, gives way to a new client: a crowd of strangers keeps no provider out, not even one at their address.

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

  /// What there is of one address.
  private struct Share {
    var count = 0
    /// When one of its connections last sent its first bytes, or finished its handshake.
    var progress: NIODeadline?
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var shares: [ClientAddress: Share] = [:]
    var isOpen = true
    var wasFull = false
    var strangers: UInt64 = 0

    mutating func remove(_ id: ObjectIdentifier) {
      guard let member = members.removeValue(forKey: id), let address = member.address else { return }
      shares[address]?.count -= 1
      if shares[address]?.count == 0 { shares[address] = nil }
    }

    /// Takes the place of the stranger that came first.
    ///
    /// - Parameter address: only of those that came from there; nil for any.
    /// - Returns: its channel; nil where there is none.
    mutating func removeOldestStranger(from address: ClientAddress? = nil) -> (any Channel)? {
      let strangers = members.lazy.filter { _, member in
        member.strangerNumber != nil && (address == nil || member.address == address)
      }
      let oldest = strangers.min { ($0.value.strangerNumber ?? 0) < ($1.value.strangerNumber ?? 0) }
      guard let oldest else { return nil }
      remove(oldest.key)
      return oldest.value.channel
    }
  }

  private let state = Mutex(State())
  private let heapTrimmer = HeapTrimmer()
  private let limit: Int
  private let limitPerAddress: Int

  init(limit: Int, limitPerAddress: Int) {
    self.limit = limit
    self.limitPerAddress = limitPerAddress
  }

  /// Adds a channel until it closes. Where there is no place left, the oldest stranger is closed, of the same address where
  /// the address has no place left.
  func add(_ channel: any Channel, from address: ClientAddress?) throws(Full) {
    let id = ObjectIdentifier(channel)
    let evicted = try state.withLock { state throws(Full) -> (any Channel)? in
      func refuse(_ limit: Full.Limit) -> Full {
        defer { state.wasFull = true }
        return Full(limit: limit, isNew: state.isOpen && !state.wasFull)
      }
      guard state.isOpen else { throw refuse(.connections) }
      var evicted: (any Channel)?
      if let address, state.shares[address]?.count ?? 0 >= limitPerAddress {
        evicted = state.removeOldestStranger(from: address)
        if evicted == nil { throw refuse(.connectionsPerAddress) }
      } else if state.members.count >= limit {
        evicted = state.removeOldestStranger()
        if evicted == nil { throw refuse(.connections) }
      } else {
        state.wasFull = false
      }
      state.strangers += 1
      state.members[id] = Member(channel: channel, address: address, strangerNumber: state.strangers)
      if let address { state.shares[address, default: Share()].count += 1 }
      return evicted
    }
    evicted?.close(promise: nil)
    let eventLoop = channel.eventLoop
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.remove(id) }
      self.heapTrimmer.connectionHasClosed(on: eventLoop)
    }
  }

  /// A provider has authenticated: the connection keeps its place.
  func keep(_ channel: any Channel) {
    state.withLock { $0.members[ObjectIdentifier(channel)]?.strangerNumber = nil }
  }

  /// A connection of that address has made progress.
  func noteProgress(of address: ClientAddress?, at now: NIODeadline) {
    guard let address else { return }
    state.withLock { $0.shares[address]?.progress = now }
  }

  /// Whether any connection of the address has made progress lately: a client that opens hundreds at once is not slow, as
  /// long as it works through them.
  func isProgressing(_ address: ClientAddress?, _ limits: GatewayLimits, now: NIODeadline) -> Bool {
    guard let address, let progress = state.withLock({ $0.shares[address]?.progress }) else { return false }
    return now < progress + TimeAmount(limits.handshakeDuration)
  }

  /// Refuses further connections, and returns the open ones.
  func refuseMore() -> [any Channel] {
    state.withLock { state in
      state.isOpen = false
      return state.members.values.map(\.channel)
    }
  }

  var count: Int { state.withLock { $0.members.count } }
}
