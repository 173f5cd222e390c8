// Guessing a password becomes slower with each guess. Guesses are counted by network, because a client with one IPv6
// address has billions of them. An address that sent a right password is counted by itself from then on, so that
// guesses by its neighbours do not make it wait.

import Synchronization

/// The pace at which a client may try passwords.
package final class GuessPace: Sendable {
  /// Attempts without a wait. Each further one waits twice as long as the one before.
  package static let freeAttempts = 5
  package static let firstPause: Duration = .seconds(1)
  package static let longestPause: Duration = .seconds(60)
  /// The time without an attempt after which a network is forgotten.
  package static let attemptsRemembered: Duration = .seconds(15 * 60)
  /// Networks whose attempts are remembered; one more replaces the least recent.
  package static let networks = 256
  /// Addresses whose right passwords are remembered; one more replaces the least recent.
  package static let knownClients = 256

  /// The unit that attempts are counted by: a network, or a known client's address and account.
  private struct Source: Hashable {
    var client: String
    var account: String?
  }

  private struct Attempts {
    var count = 0
    var last: Duration
    /// The earliest time of the next attempt, on the clock of `now`.
    var next: Duration
  }

  private struct State {
    var attempts: [Source: Attempts] = [:]
    var known: [Source: Duration] = [:]

    func source(_ peer: String?, _ account: String) -> Source {
      let client = Source(client: peer ?? "", account: account)
      return known[client] == nil ? Source(client: GuessPace.network(of: peer)) : client
    }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Duration

  /// - Parameter now: a monotonic clock.
  package init(now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  /// Counts an attempt as a wrong one until `succeeded` is called, so that many at once count as many.
  /// - Returns: the time that this attempt has to wait; nil if it may be made now.
  package func begin(from peer: String?, as account: String = "") -> Duration? {
    let now = now()
    return state.withLock { state in
      state.attempts = state.attempts.filter { now - $0.value.last < GuessPace.attemptsRemembered }
      let source = state.source(peer, account)
      var attempts = state.attempts[source] ?? Attempts(last: now, next: now)
      guard attempts.next <= now else { return attempts.next - now }
      attempts.count += 1
      attempts.last = now
      if attempts.count >= GuessPace.freeAttempts {
        let doublings = min(attempts.count - GuessPace.freeAttempts, 16)
        attempts.next = now + min(GuessPace.firstPause * (1 << doublings), GuessPace.longestPause)
      }
      if state.attempts[source] == nil, state.attempts.count >= GuessPace.networks,
        let quietest = state.attempts.min(by: { $0.value.last < $1.value.last })?.key
      {
        state.attempts[quietest] = nil
      }
      state.attempts[source] = attempts
      return nil
    }
  }

  /// Undoes `begin`: the attempt was not made after all.
  package func takeBack(from peer: String?, as account: String = "") {
    state.withLock { state in
      let source = state.source(peer, account)
      guard var attempts = state.attempts[source] else { return }
      attempts.count -= 1
      attempts.next = attempts.last
      state.attempts[source] = attempts.count > 0 ? attempts : nil
    }
  }

  package func succeeded(from peer: String?, as account: String = "") {
    let now = now()
    state.withLock { state in
      state.attempts[state.source(peer, account)] = nil
      state.known[Source(client: peer ?? "", account: account)] = now
      if state.known.count > GuessPace.knownClients,
        let oldest = state.known.min(by: { $0.value < $1.value })?.key
      {
        state.known[oldest] = nil
      }
    }
  }

  /// Returns true if a password of this account was right from this address.
  package func isKnown(_ peer: String?, as account: String = "") -> Bool {
    state.withLock { $0.known[Source(client: peer ?? "", account: account)] != nil }
  }

  package var networkCount: Int { state.withLock { $0.attempts.count } }

  /// Returns an IPv4 address, or the first 64 bits of an IPv6 address.
  package static func network(of peer: String?) -> String {
    guard let peer else { return "" }
    guard let bytes = CertificateNames.address(peer), bytes.count == 16 else { return peer }
    // An IPv4 address, as a socket that listens to both sees it.
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return bytes[12...].map(String.init).joined(separator: ".")
    }
    return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
  }
}
