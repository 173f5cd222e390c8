// How much a client has granted on a stream. NIO keeps account of that until our side of the stream has ended; what the
// client sends afterwards may still break the rule [RFC 9113, 6.9.1].

struct StreamWindows {
  static let largest = 0x7FFF_FFFF

  /// Of streams on which the client has granted anything: what that was, less what was sent since. The window is at least
  /// that large, as before the first grant no more is sent than it was at the beginning.
  private var grants: [UInt32: Int] = [:]

  /// - Returns: whether the window is now larger than one may be. The account begins anew then.
  mutating func grant(_ increment: Int, on stream: UInt32) -> Bool {
    let sum = grants[stream, default: 0] + increment
    grants[stream] = sum > Self.largest ? nil : sum
    return sum > Self.largest
  }

  mutating func spend(_ bytes: Int, on stream: UInt32) {
    guard !grants.isEmpty, let sum = grants[stream] else { return }
    grants[stream] = sum - bytes
  }

  mutating func forget(_ stream: UInt32) {
    if !grants.isEmpty { grants[stream] = nil }
  }
}
