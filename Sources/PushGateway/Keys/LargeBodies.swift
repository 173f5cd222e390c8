import Synchronization

/// Bodies beyond `GatewayLimits.messageBodyBytes` are read in few places, so that many connections cannot fill the memory
/// with them.
final class LargeBodies: Sendable {
  private let taken = Mutex(0)

  /// One of the places, for as long as it is kept.
  final class Place: Sendable {
    private let bodies: LargeBodies

    fileprivate init(_ bodies: LargeBodies) {
      self.bodies = bodies
    }

    deinit { bodies.taken.withLock { $0 -= 1 } }
  }

  /// Nil where none is free.
  func place(limit: Int) -> Place? {
    let isFree = taken.withLock { taken in
      guard taken < limit else { return false }
      taken += 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}

/// How much of a request's body is read.
struct BodyAllowance {
  let limit: Int
  private let place: LargeBodies.Place?

  /// By the length that the request's head gives.
  /// - Throws: 413, or 503 where all places for large bodies are taken.
  init(for head: RequestHead, _ gateway: Gateway) throws(KeyedRefusal) {
    let limits = gateway.limits
    let length = head.fields["content-length"].flatMap { Int($0) } ?? 0
    guard length <= limits.largeBodyBytes else { throw .tooLarge(limits.largeBodyBytes) }
    guard length > limits.messageBodyBytes else {
      (limit, place) = (limits.messageBodyBytes, nil)
      return
    }
    guard let place = gateway.largeBodies.place(limit: limits.largeBodies) else {
      throw KeyedRefusal(503, "ServiceUnavailable", "too many large bodies are being read; try again in a moment")
    }
    (limit, self.place) = (limits.largeBodyBytes, place)
  }
}
