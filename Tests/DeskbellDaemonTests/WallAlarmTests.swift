// Alarms on a clock that somebody sets: the real one cannot be set in a test, so a clock stands in that can, and the
// kernel's timer is tried as far as it goes without.

import Dispatch
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import DeskbellDaemon

/// A wall clock and its timer, both to be moved by a test.
final class SettableClock: WallTimer {
  private struct State {
    var now: WallTime
    var armed: WallTime?
    var news: WallTimerNews?
    var isSetUnnoticed = false
  }

  private let state: Mutex<State>
  private let changed = DispatchSemaphore(value: 0)

  init(_ seconds: Int64) {
    state = Mutex(State(now: WallTime(seconds: seconds)))
  }

  var now: WallTime { state.withLock(\.now) }
  var armed: WallTime? { state.withLock(\.armed) }

  /// Time passes.
  func pass(to seconds: Int64) {
    state.withLock { $0.now = WallTime(seconds: seconds) }
    changed.signal()
  }

  /// Somebody sets the clock.
  /// - Parameter unnoticed: the wait does not tell it, the next arming does: so the kernel has it in between.
  func set(to seconds: Int64, unnoticed: Bool = false) {
    state.withLock { state in
      state.now = WallTime(seconds: seconds)
      if unnoticed { state.isSetUnnoticed = true } else { state.news = .clockWasSet }
    }
    changed.signal()
  }

  func arm(at time: WallTime?) -> WallTimerNews {
    defer { changed.signal() }
    return state.withLock { state in
      state.armed = time
      defer { state.isSetUnnoticed = false }
      return state.isSetUnnoticed ? .clockWasSet : .nothingElse
    }
  }

  func wait() -> WallTimerNews {
    while true {
      let end: WallTimerNews? = state.withLock { state in
        if let news = state.news {
          state.news = nil
          return news
        }
        if let armed = state.armed, armed <= state.now {
          state.armed = nil
          return .nothingElse
        }
        return nil
      }
      if let end { return end }
      changed.wait()
    }
  }
}

/// Rings, in order, each awaited.
struct Rings: Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func ring(_ name: String) { continuation.yield(name) }

  /// The next so many, sorted: rings of one moment are one set.
  func next(_ count: Int) async -> [String] {
    var names: [String] = []
    for await name in stream {
      names.append(name)
      if names.count == count { break }
    }
    return names
  }
}

@Suite(.timeLimit(.minutes(10))) struct WallAlarmTests {
  @Test func scheduleRingsWhatIsDueOnce() {
    var schedule = WallSchedule()
    let (first, second, idle) = (schedule.add(), schedule.add(), schedule.add())
    #expect(schedule.earliest == nil)
    schedule.set(first, to: WallTime(seconds: 20))
    schedule.set(second, to: WallTime(seconds: 10))
    #expect(schedule.earliest == WallTime(seconds: 10))
    #expect(schedule.ring(at: WallTime(microseconds: 9_999_999), clockWasSet: false) == [])
    #expect(schedule.ring(at: WallTime(seconds: 10), clockWasSet: false) == [second])
    #expect(schedule.earliest == WallTime(seconds: 20))
    // Set back: all are told, and what was not due still is to come.
    #expect(schedule.ring(at: WallTime(seconds: 1), clockWasSet: true) == [first, second, idle])
    #expect(schedule.earliest == WallTime(seconds: 20))
    // Set far ahead.
    #expect(schedule.ring(at: WallTime(seconds: 1_000), clockWasSet: true) == [first, second, idle])
    #expect(schedule.earliest == nil)
    schedule.remove(second)
    schedule.set(second, to: WallTime(seconds: 5))
    #expect(schedule.earliest == nil)
    #expect(schedule.ring(at: WallTime(seconds: 1_000), clockWasSet: true) == [first, idle])
  }

  @Test("A clock that is set tells every alarm, and what it jumped over rings")
  func steps() async throws {
    let clock = SettableClock(100)
    let alarms = WallAlarms(timer: clock) { clock.now }
    let rings = Rings()
    let renewal = alarms.alarm { rings.ring("renewal") }
    let handset = alarms.alarm { rings.ring("handset") }
    handset.set(WallTime(seconds: 160))
    renewal.set(WallTime(seconds: 5_000))
    #expect(clock.armed == WallTime(seconds: 160))
    clock.pass(to: 160)
    #expect(await rings.next(1) == ["handset"])
    clock.set(to: 50)
    #expect(await rings.next(2) == ["renewal", "handset"])
    clock.set(to: 6_000)
    #expect(await rings.next(2) == ["renewal", "handset"])
    handset.set(WallTime(seconds: 6_100))
    // The kernel may tell it only when the timer is armed anew.
    clock.set(to: 6_050, unnoticed: true)
    renewal.set(WallTime(seconds: 9_000))
    #expect(await rings.next(2) == ["renewal", "handset"])
    clock.pass(to: 6_100)
    #expect(await rings.next(1) == ["handset"])
    await alarms.stop()
    #expect(clock.armed.map { $0 < WallTime(seconds: 1) } != false)
  }

  @Test("The kernel's timer on the wall clock rings at its time, not before, and at once for what is past")
  func kernelTimer() async throws {
    let alarms = WallAlarms(timer: try KernelWallTimer())
    let rings = Rings()
    let alarm = alarms.alarm { rings.ring("alarm") }
    let due = SystemClock().now().wall.advanced(by: .milliseconds(30))
    alarm.set(due)
    #expect(await rings.next(1) == ["alarm"])
    #expect(SystemClock().now().wall >= due)
    alarm.set(WallTime(seconds: 0))
    #expect(await rings.next(1) == ["alarm"])
    alarm.set(WallTime(microseconds: .min))
    #expect(await rings.next(1) == ["alarm"])
    alarm.set(WallTime(microseconds: .max))
    alarm.set(nil)
    await alarms.stop()
  }
}

@Suite(.timeLimit(.minutes(10))) struct WakerTests {
  @Test("A wall deadline comes true on the wall clock, an uptime one on the other, and a step wakes without any")
  func deadlines() async throws {
    let clock = SettableClock(100)
    let alarms = WallAlarms(timer: clock) { clock.now }
    struct Moments: Clock {
      let clock: SettableClock
      func now() -> Moment { Moment(uptime: SystemClock().now().uptime, wall: clock.now) }
    }
    let moments = Moments(clock: clock)
    let rings = Rings()
    let waker = Waker(eventLoop: MultiThreadedEventLoopGroup.singleton.next(), clock: moments, alarms: alarms) {
      rings.ring("wake")
    }
    clock.set(to: 120)
    #expect(await rings.next(1) == ["wake"])
    waker.set(deadline(wall: WallTime(seconds: 200)))
    #expect(clock.armed == WallTime(seconds: 200))
    clock.pass(to: 200)
    #expect(await rings.next(1) == ["wake"])
    let end = moments.now().uptime + .milliseconds(20)
    waker.set(deadline(uptime: end))
    #expect(clock.armed == nil)
    #expect(await rings.next(1) == ["wake"])
    #expect(moments.now().uptime >= end)
    waker.stop()
    await alarms.stop()
  }

  @Test("What is due waits for the end of the pause, in real time, and no asking again makes that longer")
  func pauses() {
    struct Still: Clock {
      var runsByItself = true
      func now() -> Moment { TimeRig.start }
    }
    for runsByItself in [true, false] {
      let loop = EmbeddedEventLoop()
      let rings = Rung()
      let waker = Waker(eventLoop: loop, clock: Still(runsByItself: runsByItself), alarms: nil) { rings.add() }
      func after(_ time: TimeAmount) -> Int {
        loop.advanceTime(by: time)
        return rings.count
      }
      let due = deadline(uptime: TimeRig.start.uptime - .seconds(1))
      waker.set(due, after: .milliseconds(100))
      #expect(after(.milliseconds(100)) == 0)
      #expect(after(.microseconds(1)) == 1)
      waker.set(due, after: .milliseconds(200), again: true)
      #expect(after(.milliseconds(150)) == 1)
      waker.set(due, after: .milliseconds(200))
      #expect(after(.milliseconds(50)) == 1)
      #expect(after(.microseconds(1)) == 2)
      waker.set(due, after: .seconds(10))
      waker.set(due)
      #expect(after(.microseconds(1)) == 3)
      #expect(after(.seconds(20)) == 3)

      // What comes meanwhile waits too; what comes later has its own time, which a virtual clock does not bring.
      waker.set(deadline(uptime: TimeRig.start.uptime + .milliseconds(50)), after: .milliseconds(100))
      #expect(after(.milliseconds(100)) == 3)
      #expect(after(.microseconds(1)) == (runsByItself ? 4 : 3))
      waker.set(deadline(uptime: TimeRig.start.uptime + .milliseconds(500)), after: .milliseconds(100))
      #expect(after(.milliseconds(500)) == (runsByItself ? 4 : 3))
      #expect(after(.microseconds(1)) == (runsByItself ? 5 : 3))
      waker.stop()
    }
  }

  @Test("On a virtual clock only what is due wakes")
  func virtual() async throws {
    let clock = VirtualClock(startingAt: TimeRig.start)
    let rings = Rings()
    let waker = Waker(eventLoop: MultiThreadedEventLoopGroup.singleton.next(), clock: clock, alarms: nil) {
      rings.ring("wake")
    }
    waker.set(deadline(wall: TimeRig.start.wall.advanced(by: .microseconds(1))))
    waker.set(deadline(uptime: TimeRig.start.uptime))
    #expect(await rings.next(1) == ["wake"])
    waker.stop()
  }
}

/// How often a waker rang.
private final class Rung: Sendable {
  private let rings = Mutex(0)

  var count: Int { rings.withLock(\.self) }

  func add() { rings.withLock { $0 += 1 } }
}
