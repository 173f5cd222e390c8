// A month of expirations takes a month, unless somebody else says what time it is. The virtual clock stands still until
// it is moved, so that tests and demonstrations see everything that falls due, each at its own moment.

import Board
import HandsetCore
import HandsetStore
import Synchronization

/// A clock that only `move` moves.
final class VirtualClock: Clock {
  private let moment: Mutex<Moment>

  /// - Parameter start: uptime is rounded down to whole microseconds, so that both clocks count in the same steps.
  init(startingAt start: Moment) {
    moment = Mutex(Moment(uptime: .microseconds(start.uptime.inMicroseconds), wall: start.wall))
  }

  var runsByItself: Bool { false }

  func now() -> Moment { moment.withLock { $0 } }

  /// Moves both clocks on by the same time; saturating. A time that is not positive changes nothing.
  func move(by duration: Duration) {
    guard duration > .zero else { return }
    moment.withLock { moment in
      moment.uptime += duration
      moment.wall = moment.wall.advanced(by: duration)
    }
  }
}

extension VirtualClock {
  /// Where a virtual clock stood when the daemon last ran with one goes on; otherwise from the real time.
  /// - Parameters:
  ///   - start: after a boot, uptime begins anew.
  ///   - real: the system's clocks.
  /// - Throws: `StoreError` where the note cannot be read, or the first one not be written.
  static func goingOn(
    in store: HandsetStore, after start: Start, real: Moment = SystemClock().now()
  ) throws(StoreError) -> VirtualClock {
    var moment = try store.meta(.virtualClock).flatMap(Moment.init(noted:)) ?? real
    if start == .board { moment.uptime = real.uptime }
    let clock = VirtualClock(startingAt: moment)
    try store.setMeta(.virtualClock, clock.now().note)
    return clock
  }
}

extension MetaKey {
  /// Where the virtual clock stands: uptime and wall time in microseconds.
  static let virtualClock = MetaKey("virtual-clock")
}

extension Moment {
  /// As it is stored: `94000000 1800000000000000`.
  var note: String { "\(uptime.inMicroseconds) \(wall.microseconds)" }

  init?(noted text: String) {
    let numbers = text.split(separator: " ").map { Int64($0) }
    guard numbers.count == 2, let uptime = numbers[0], let wall = numbers[1] else { return nil }
    self.init(uptime: .microseconds(uptime), wall: WallTime(microseconds: wall))
  }
}

/// The virtual clock as the board sees it: lamps and banners go by it, pulses on the wire do not.
struct VirtualBoardClock: BoardClock {
  let clock: VirtualClock

  func now() -> Duration { clock.now().uptime }

  /// Returns at once: nobody paces a program by a clock that stands still, the panel has a wire clock for that.
  func wait(until uptime: Duration) {}

  func realTime(until uptime: Duration) -> Duration? { uptime <= now() ? .zero : nil }
}
