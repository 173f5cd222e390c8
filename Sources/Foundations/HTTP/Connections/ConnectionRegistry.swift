// The open connections: excess ones are refused, and a shutdown ends them in order. A stranger, a client that has not
// authenticated, gives way to a new client, so a crowd of strangers keeps no client out, not even one at their address.
// Some places stay for strangers, who may authenticate soon: for these the holder of the most connections gives way.

import NIOCore
import Synchronization

package final class ConnectionRegistry: Sendable {
  package struct Full: Error {
    package enum Limit: String, Sendable {
      case connections
      case connectionsPerAddress = "connections of one address"
    }

    package var limit: Limit
    /// True if there was a place the last time. Only then is it logged, because a flood would fill the log.
    package var isNew: Bool
  }

  private struct Member {
    var channel: any Channel
    var address: ClientAddress?
    var number: UInt64
    /// The authenticated client; nil before that, and after the connection was asked to end.
    var holder: String?
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    /// The connections of each address, and the time when one of them last sent its first bytes, or finished its
    /// handshake.
    var shares: [ClientAddress: (count: Int, progress: NIODeadline?)] = [:]
    var isOpen = true
    var wasFull = false
    var arrivals: UInt64 = 0
    var kept: [String: Int] = [:]

    mutating func remove(_ id: ObjectIdentifier) {
      release(id)
      guard let member = members.removeValue(forKey: id), let address = member.address else { return }
      shares[address]?.count -= 1
      if shares[address]?.count == 0 { shares[address] = nil }
    }

    mutating func keep(_ id: ObjectIdentifier, for holder: String) {
      members[id]?.holder = holder
      kept[holder, default: 0] += 1
    }

    /// Makes the connection a stranger.
    mutating func release(_ id: ObjectIdentifier) {
      guard let holder = members[id]?.holder else { return }
      members[id]?.holder = nil
      kept[holder, default: 0] -= 1
      if kept[holder] == 0 { kept[holder] = nil }
    }

    /// Makes the oldest connection of the holder a stranger, and returns its channel.
    mutating func releaseOldest(of holder: String) -> (any Channel)? {
      let oldest = members.lazy.filter { $0.value.holder == holder }.min { $0.value.number < $1.value.number }
      if let oldest { release(oldest.key) }
      return oldest?.value.channel
    }

    /// Removes the oldest stranger, and returns its channel; nil if there is none.
    /// - Parameter address: the address of the strangers considered; nil for any.
    mutating func removeOldestStranger(from address: ClientAddress? = nil) -> (any Channel)? {
      let strangers = members.lazy.filter { _, member in
        member.holder == nil && (address == nil || member.address == address)
      }
      let oldest = strangers.min { $0.value.number < $1.value.number }
      guard let oldest else { return nil }
      remove(oldest.key)
      return oldest.value.channel
    }
  }

  private let state = Mutex(State())
  private let limit: Int
  private let limitPerAddress: Int
  private let limitPerHolder: Int
  private let limitOfHolders: Int
  private let closed: @Sendable (any EventLoop) -> Void

  /// - Parameters:
  ///   - limitPerHolder: connections that one holder may keep; a tenth of all places, and at least one if there are
  ///     several, is then left to strangers. Nil: no limit but `limit`.
  ///   - closed: called when a connection has closed, on its event loop.
  package init(
    limit: Int, limitPerAddress: Int, limitPerHolder: Int? = nil,
    closed: @escaping @Sendable (any EventLoop) -> Void = { _ in }
  ) {
    self.limit = limit
    self.limitPerAddress = limitPerAddress
    self.limitPerHolder = limitPerHolder ?? limit
    limitOfHolders = limitPerHolder == nil ? limit : max(1, limit - max(1, limit / 10))
    self.closed = closed
  }

  /// Adds a channel until it closes. If no place is left, the oldest stranger is closed: one of the same address if the
  /// limit per address is reached.
  /// - Parameter holder: the authenticated client; nil for a stranger.
  package func add(_ channel: any Channel, from address: ClientAddress?, holder: String? = nil) throws(Full) {
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
      state.arrivals += 1
      state.members[id] = Member(channel: channel, address: address, number: state.arrivals)
      if let holder { state.keep(id, for: holder) }
      if let address { state.shares[address, default: (count: 0, progress: nil)].count += 1 }
      return evicted
    }
    evicted?.close(promise: nil)
    let eventLoop = channel.eventLoop
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.remove(id) }
      self.closed(eventLoop)
    }
  }

  package var counts: [String: Int] { state.withLock(\.kept) }

  package func count(of holder: String) -> Int { state.withLock { $0.kept[holder] ?? 0 } }

  /// Keeps the place of a connection whose client has authenticated. If this holder, or all holders together, then have
  /// one too many, the oldest of this holder, or of the largest one, is asked to end: it takes no further requests.
  package func keep(_ channel: any Channel, for holder: String) {
    let id = ObjectIdentifier(channel)
    let released = state.withLock { state -> (any Channel)? in
      guard let member = state.members[id], member.holder == nil else { return nil }
      state.keep(id, for: holder)
      if state.kept[holder, default: 0] > limitPerHolder { return state.releaseOldest(of: holder) }
      guard state.kept.values.reduce(0, +) > limitOfHolders else { return nil }
      return state.kept.max { ($0.value, $1.key) < ($1.value, $0.key) }.flatMap { state.releaseOldest(of: $0.key) }
    }
    released?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  package func noteProgress(of address: ClientAddress?, at now: NIODeadline) {
    if let address { state.withLock { $0.shares[address]?.progress = now } }
  }

  /// Returns true if any connection of the address has made progress lately: a client that opens hundreds at once is
  /// not slow as long as it works through them.
  package func isProgressing(_ address: ClientAddress?, within duration: Duration, now: NIODeadline) -> Bool {
    guard let address, let progress = state.withLock({ $0.shares[address]?.progress }) else { return false }
    return now < progress + TimeAmount(duration)
  }

  package func refuseMore() -> [any Channel] {
    state.withLock { state in
      state.isOpen = false
      return state.members.values.map(\.channel)
    }
  }

  package var count: Int { state.withLock { $0.members.count } }
}
