// Guessing a password becomes slower with each guess. Guesses are counted by network, because a client with one IPv6
// address has billions of them.

import Glibc
import Synchronization

/// How soon a network may try to sign in again.
final class SignInPace: Sendable {
  private struct Attempts {
    var count = 0
    var last: Duration
    /// On the clock of `now`.
    var next: Duration
  }

  private let networks = Mutex<[String: Attempts]>([:])
  private let now: @Sendable () -> Duration

  /// - Parameter now: a monotonic clock.
  init(now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  /// Counts an attempt as a wrong one until `succeeded` is called, so that many at once count as many.
  /// - Returns: how long this one has to wait; nil where it may be made now.
  func begin(from peer: String?) -> Duration? {
    let (now, network) = (now(), SignInPace.network(of: peer))
    return networks.withLock { networks in
      networks = networks.filter { now - $0.value.last < PanelLimits.attemptsRemembered }
      var attempts = networks[network] ?? Attempts(last: now, next: now)
      guard attempts.next <= now else { return attempts.next - now }
      attempts.count += 1
      attempts.last = now
      if attempts.count >= PanelLimits.freeAttempts {
        let doublings = min(attempts.count - PanelLimits.freeAttempts, 16)
        attempts.next = now + min(PanelLimits.firstPause * (1 << doublings), PanelLimits.longestPause)
      }
      if networks[network] == nil, networks.count >= PanelLimits.networks,
        let quietest = networks.min(by: { $0.value.last < $1.value.last })?.key
      {
        networks[quietest] = nil
      }
      networks[network] = attempts
      return nil
    }
  }

  func succeeded(from peer: String?) {
    let network = SignInPace.network(of: peer)
    networks.withLock { $0[network] = nil }
  }

  var networkCount: Int { networks.withLock { $0.count } }

  /// An IPv4 address, or the first 64 bits of an IPv6 one.
  static func network(of peer: String?) -> String {
    guard let peer else { return "" }
    var six = in6_addr()
    guard inet_pton(AF_INET6, peer, &six) == 1 else { return peer }
    let bytes = withUnsafeBytes(of: six) { Array($0) }
    // IPv4, as a socket sees it that listens to both.
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return bytes[12...].map(String.init).joined(separator: ".")
    }
    return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
  }
}
