// Nothing due means no wake-up. What is due has one timer on each of the handset's two clocks: uptime, which nobody can
// set, and wall time, which may jump.

import Clocks
import HandsetCore
import NIOCore
import Synchronization

/// Calls back when the handset wants to be woken, and when the wall clock was set.
final class Waker: Sendable {
  private struct State {
    var deadline: Deadline?
    var pause: Duration = .zero
    var timer: Scheduled<Void>?
    var alarm: WallAlarms.Alarm?
    var wake: @Sendable () -> Void = {}
  }

  private let eventLoop: any EventLoop
  private let clock: any Clock
  private let state = Mutex(State())

  /// - Parameter clock: one that does not run by itself is not waited for: whoever moves it wakes the handset.
  init(eventLoop: any EventLoop, clock: any Clock) {
    self.eventLoop = eventLoop
    self.clock = clock
  }

  /// From now on deadlines come true.
  /// - Parameters:
  ///   - alarms: nil where the clock does not run by itself.
  ///   - wake: called on any thread.
  func start(alarms: WallAlarms?, _ wake: @escaping @Sendable () -> Void) {
    let alarm = alarms?.alarm { [weak self] in self?.ring() }
    state.withLock { state in
      state.wake = wake
      state.alarm = alarm
    }
  }

  /// Forgets the deadline before.
  /// - Parameters:
  ///   - deadline: nil for none.
  ///   - pause: of real time, also on a virtual clock; one that comes before it is over waits for its end.
  func set(_ deadline: Deadline?, after pause: Duration = .zero) {
    state.withLock { state in
      guard state.deadline != deadline || state.pause != pause else { return }
      forget(&state)
      (state.deadline, state.pause) = (deadline, pause)
      guard let deadline else { return }
      let now = clock.now()
      if let left = deadline.timeLeft(at: now), left <= (clock.runsByItself ? pause : .zero) {
        state.timer = ring(in: pause)
      } else if clock.runsByItself {
        if let uptime = deadline.uptime { state.timer = ring(in: uptime - now.uptime) }
        state.alarm?.set(deadline.wall)
      }
    }
  }

  /// No deadline comes true any more, and the clock may be set unnoticed.
  func stop() {
    let alarm = state.withLock { state in
      forget(&state)
      state.wake = {}
      defer { state.alarm = nil }
      return state.alarm
    }
    // Let go outside of the lock: an alarm that ends takes the lock of the alarms.
    _ = alarm
  }

  private func ring(in duration: Duration) -> Scheduled<Void> {
    // One more, so that what is due is past when the timer fires.
    eventLoop.scheduleTask(in: .microseconds(max(duration.inMicroseconds, 0) + 1)) { [weak self] in self?.ring() }
  }

  private func ring() {
    let wake = state.withLock { state in
      // Asked for again, the same deadline counts as new: it came, and could not be dealt with.
      forget(&state)
      return state.wake
    }
    wake()
  }

  private func forget(_ state: inout State) {
    state.deadline = nil
    state.timer?.cancel()
    state.timer = nil
    state.alarm?.set(nil)
  }
}
