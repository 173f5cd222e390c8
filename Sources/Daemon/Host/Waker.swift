// With nothing due, nothing wakes up. Deadlines have one timer on each of the handsets' two clocks: uptime, which
// cannot be set, and wall time, which may jump.

import Clocks
import HandsetCore
import NIOCore
import Synchronization

/// A timer for the earliest deadline of all handsets, and for changes of the wall clock.
public final class Waker: Sendable {
  /// The time after which lamp and digits show the last commit.
  private static let soon = TimeAmount.milliseconds(20)

  private struct State {
    var deadline: Deadline?
    var pause: Duration = .zero
    /// A timer that fires at the deadline's uptime or earlier: if the deadline moves on with every push, as the end of
    /// a banner does, the timer is kept.
    var timer: (task: Scheduled<Void>, uptime: Duration)?
    var later: Scheduled<Void>?
  }

  let clock: any Clock
  private let eventLoop: any EventLoop
  /// The alarm on the wall clock; nil if the clock does not run by itself.
  private let alarm: WallAlarms.Alarm?
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - clock: if it does not run by itself, no timer is set; moving it wakes the handsets.
  ///   - alarms: on the wall clock; unused if the clock does not run by itself.
  ///   - wake: called on any thread.
  public init(
    eventLoop: any EventLoop, clock: any Clock, alarms: WallAlarms?, wake: @escaping @Sendable () -> Void
  ) {
    self.eventLoop = eventLoop
    self.clock = clock
    self.wake = wake
    alarm = clock.runsByItself ? alarms?.alarm(wake) : nil
  }

  var asked: (deadline: Deadline?, pause: Duration) { state.withLock { ($0.deadline, $0.pause) } }

  /// Replaces the previous deadline.
  /// - Parameters:
  ///   - pause: in real time, even with a virtual clock; an earlier deadline waits until it is over.
  ///   - again: true if the same deadline counts as new, because it has passed and could not be processed.
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

  func stop() {
    set(nil, again: true)
    state.withLock { exchange(&$0.later, with: nil) }?.cancel()
  }

  /// Calls `body` once lamp and digits have shown the last commit: on a single core they would wait for it. Called
  /// again only after that.
  func soon(_ body: @escaping @Sendable () -> Void) {
    let task = eventLoop.scheduleTask(in: Waker.soon, body)
    state.withLock { $0.later = task }
  }

  /// Returns whether a timer for that uptime fires no later than an uptime deadline that is yet to come.
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
    // One microsecond more, so that the deadline is past when the timer fires.
    let task = eventLoop.scheduleTask(in: .microseconds((max(duration, .zero) + .microseconds(1)).inMicroseconds), ring)
    state.timer = (task, now.uptime + duration)
  }

  /// Handles the timer. The deadline may have moved on since it was set.
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
