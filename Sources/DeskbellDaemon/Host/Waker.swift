// Nothing due means no wake-up. What is due has one timer on each of the handsets' two clocks: uptime, which nobody can
// set, and wall time, which may jump.

import Clocks
import HandsetCore
import NIOCore
import Synchronization

/// Calls back at the earliest deadline of all handsets, and when the wall clock was set.
final class Waker: Sendable {
  private struct State {
    var deadline: Deadline?
    var pause: Duration = .zero
    var timer: Scheduled<Void>?
  }

  /// What the deadlines go by.
  let clock: any Clock
  private let eventLoop: any EventLoop
  /// Nil where the clock does not run by itself.
  private let alarm: WallAlarms.Alarm?
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - clock: no timer is set for one that does not run by itself; moving it wakes the handsets.
  ///   - alarms: on the wall clock; not used where the clock does not run by itself.
  ///   - wake: called on any thread.
  init(eventLoop: any EventLoop, clock: any Clock, alarms: WallAlarms?, wake: @escaping @Sendable () -> Void) {
    self.eventLoop = eventLoop
    self.clock = clock
    self.wake = wake
    alarm = clock.runsByItself ? alarms?.alarm(wake) : nil
  }

  /// What was asked for last.
  var asked: (deadline: Deadline?, pause: Duration) { state.withLock { ($0.deadline, $0.pause) } }

  /// Forgets the deadline before.
  /// - Parameters:
  ///   - deadline: nil for none.
  ///   - pause: of real time, also on a virtual clock; one that comes before it is over waits for its end.
  ///   - again: whether the same deadline counts as new: it came, and could not be dealt with.
  func set(_ deadline: Deadline?, after pause: Duration = .zero, again: Bool = false) {
    state.withLock { state in
      guard again || state.deadline != deadline || state.pause != pause else { return }
      forget(&state)
      (state.deadline, state.pause) = (deadline, pause)
      guard let deadline else { return }
      let now = clock.now()
      if let left = deadline.timeLeft(at: now), left <= (clock.runsByItself ? pause : .zero) {
        state.timer = ring(in: pause)
      } else if clock.runsByItself {
        if let uptime = deadline.uptime { state.timer = ring(in: uptime - now.uptime) }
        alarm?.set(deadline.wall)
      }
    }
  }

  /// Forgets the deadline.
  func stop() { set(nil, again: true) }

  private func ring(in duration: Duration) -> Scheduled<Void> {
    // One more, so that what is due is past when the timer fires.
    eventLoop.scheduleTask(in: .microseconds(max(duration.inMicroseconds, 0) + 1), wake)
  }

  private func forget(_ state: inout State) {
    state.deadline = nil
    state.timer?.cancel()
    state.timer = nil
    alarm?.set(nil)
  }
}
