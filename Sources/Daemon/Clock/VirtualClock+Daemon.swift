// The virtual clock in the daemon: the store keeps its moment across restarts, and the board uses it.

import Board
import Clocks
import HandsetCore
import HandsetStore

extension VirtualClock {
  /// Continues the virtual clock of the last run; the first one starts at the real time.
  /// - Parameters:
  ///   - start: after a boot, uptime starts again.
  ///   - real: the system's clocks.
  /// - Throws: `StoreError` if the stored moment cannot be read or written.
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

extension Moment {
  /// The stored form: `94000000 1800000000000000`.
  var note: String { "\(uptime.inMicroseconds) \(wall.microseconds)" }

  init?(noted text: String) {
    let numbers = text.split(separator: " ").map { Int64($0) }
    guard numbers.count == 2, let uptime = numbers[0], let wall = numbers[1] else { return nil }
    self.init(uptime: .microseconds(uptime), wall: WallTime(microseconds: wall))
  }
}

/// The virtual clock for the board: lamps use it, pulses on the wire do not.
struct VirtualBoardClock: BoardClock {
  let clock: VirtualClock

  func now() -> Duration { clock.now().uptime }

  /// Returns at once: the panel paces programs by its wire clock, not by a clock that stands still.
  func wait(until uptime: Duration) {}

  func realTime(until uptime: Duration) -> Duration? { uptime <= now() ? .zero : nil }
}
