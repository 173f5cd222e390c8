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
    /// Rings at that uptime, or before the deadline: one that moves on with every push, as the end of a banner does, sets
    /// no timer again.
    var timer: (task: Scheduled<Void>, uptime: Duration)?
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
      let now = clock.now()
      let isKept = !again && pause == state.pause && isInTime(state.timer?.uptime, for: deadline, at: now)
      if !isKept { forget(&state) }
      (state.deadline, state.pause) = (deadline, pause)
      arm(&state, at: now)
    }
  }

  /// Forgets the deadline.
  func stop() { set(nil, again: true) }

  /// Whether a timer that rings at that uptime rings before an uptime deadline that is to come.
  private func isInTime(_ uptime: Duration?, for deadline: Deadline?, at now: Moment) -> Bool {
    guard let uptime, let deadline, let due = deadline.uptime, uptime <= due else { return false }
    return deadline.timeLeft(at: now).map { $0 > .zero } ?? false
  }

  private func arm(_ state: inout State, at now: Moment) {
    guard let deadline = state.deadline else { return }
    if let left = deadline.timeLeft(at: now), left <= (clock.runsByItself ? state.pause : .zero) {
      set(&state, in: state.pause, at: now)
    } else if clock.runsByItself {
      if let uptime = deadline.uptime { set(&state, in: uptime - now.uptime, at: now) }
      alarm?.set(deadline.wall)
    }
  }

  private func set(_ state: inout State, in duration: Duration, at now: Moment) {
    guard state.timer == nil else { return }
    // One more, so that what is due is past when the timer rings.
    let task = eventLoop.scheduleTask(in: .microseconds((max(duration, .zero) + .microseconds(1)).inMicroseconds), ring)
    state.timer = (task, now.uptime + duration)
  }

  /// The deadline may have moved on since the timer was set.
  @Sendable private func ring() {
    let isDue = state.withLock { state in
      state.timer = nil
      let now = clock.now()
      guard state.pause == .zero, let left = state.deadline?.timeLeft(at: now), left > .zero else { return true }
      arm(&state, at: now)
      return false
    }
    if isDue { wake() }
  }

  private func forget(_ state: inout State) {
    state.timer?.task.cancel()
    state.timer = nil
    alarm?.set(nil)
  }
}
