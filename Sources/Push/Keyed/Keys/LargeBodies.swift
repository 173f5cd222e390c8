import HTTP
import Synchronization

/// The places for reading bodies beyond `PortLimits.messageBodyBytes`: few, so that many connections cannot fill the
/// memory with them; and fewer for one access key, so that its slow bodies leave some to others.
final class LargeBodies: Sendable {
  private let taken = Mutex<[AccessKey: Int]>([:])

  /// - Throws: 503 if the key has its maximum of places, or none is free.
  fileprivate func take(for key: AccessKey, _ limits: PortLimits) throws(KeyedRefusal) {
    let problem: String? = taken.withLock { taken in
      let own = taken[key] ?? 0
      guard own < limits.largeBodiesPerKey else { return "with this access key" }
      // Few keys have a place, so the sum is short.
      guard taken.values.reduce(0, +) < limits.largeBodies else { return "with all access keys" }
      taken[key] = own + 1
      return nil
    }
    if let problem { throw .unavailable("too many large bodies are being read \(problem)") }
  }

  fileprivate func giveBack(_ key: AccessKey) {
    taken.withLock { taken in
      let left = (taken[key] ?? 0) - 1
      taken[key] = left > 0 ? left : nil
    }
  }
}

/// The limits on reading one request's body, and its place if it is large. Used on the connection's event loop only.
final class BodyAllowance {
  private(set) var limit: Int
  let skipLimit: Int
  /// The refusal, if no more than `limit` may be read.
  private(set) var refusal: KeyedRefusal?
  private var hasPlace = false
  private let key: AccessKey
  private let port: Port

  /// Sets the limits by the length in the request's head.
  /// - Parameter skips: true if a body that is too large is read and discarded.
  /// - Throws: 413, or 503 if the places for large bodies are taken.
  init(for head: RequestHead, with key: AccessKey, skips: Bool = false, _ port: Port) throws(KeyedRefusal) {
    let limits = port.limits
    (self.key, self.port) = (key, port)
    (limit, skipLimit) = (limits.messageBodyBytes, skips ? limits.skippedBodyBytes : 0)
    let length = head.headers["content-length"].map { Int($0) ?? .max } ?? 0
    let longest = max(limits.largeBodyBytes, skipLimit)
    guard length <= longest else { throw .tooLarge(longest) }
    if length > limit { try extend() }
  }

  deinit {
    if hasPlace { port.largeBodies.giveBack(key) }
  }

  private func extend() throws(KeyedRefusal) {
    try port.largeBodies.take(for: key, port.limits)
    hasPlace = true
    limit = max(limit, port.limits.largeBodyBytes)
  }

  /// Returns the limit of a body that is longer than its head said; nil if no place is free.
  func more() -> Int? {
    guard !hasPlace else { return limit }
    do throws(KeyedRefusal) {
      try extend()
      return limit
    } catch {
      refusal = error
      return nil
    }
  }
}
