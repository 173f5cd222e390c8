/// The limit of pushes under way on one connection: APNs allows one stream until it has seen a valid token, then as
/// many as its SETTINGS say [APNs].
struct StreamGate: Sendable {
  /// The server's MAX_CONCURRENT_STREAMS; no limit until it names one [RFC 9113, 6.5.2].
  var maxConcurrentStreams = Int.max
  private(set) var open = 0
  private(set) var tokenIsKnownGood = false

  /// True if one more stream may begin now.
  var mayBegin: Bool { open < (tokenIsKnownGood ? maxConcurrentStreams : min(1, maxConcurrentStreams)) }

  mutating func began() { open += 1 }

  /// - Parameter status: the answer's, nil if there was none. 403 refuses a token, 401 refuses a password.
  mutating func ended(status: Int?) {
    open -= 1
    if let status, status != 403, status != 401 { tokenIsKnownGood = true }
  }
}
