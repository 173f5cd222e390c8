// Waiting for a month of expirations takes a month. The virtual clock stands still until it is moved, so that tests and
// demonstrations process every deadline at its own moment.

import HandsetCore
import Synchronization

/// A clock that only `move` moves.
public final class VirtualClock: Clock {
  private let moment: Mutex<Moment>

  /// - Parameter start: uptime is rounded down to whole microseconds, so that both clocks count in the same steps.
  public init(startingAt start: Moment) {
    moment = Mutex(Moment(uptime: .microseconds(start.uptime.inMicroseconds), wall: start.wall))
  }

  public var runsByItself: Bool { false }

  public func now() -> Moment { moment.withLock { $0 } }

  /// Moves uptime and wall time forward by the same duration, saturating. Zero and less change nothing.
  public func move(by duration: Duration) {
    guard duration > .zero else { return }
    moment.withLock { moment in
      moment.uptime += duration
      moment.wall = moment.wall.advanced(by: duration)
    }
  }
}
