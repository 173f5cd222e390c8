// Alarms on a wall clock that can be set, and the kernel's timer as far as it can be tested without setting the clock.

import DaemonTestSupport
import HandsetCore
import Synchronization
import Testing

@testable import Clocks

@Suite(.timeLimit(.minutes(10))) struct WallAlarmTests {
  @Test func scheduleRingsWhatIsDueOnce() {
    var schedule = WallSchedule()
    let rung = Mutex<[String]>([])
    func add(_ name: String) -> WallSchedule.ID { schedule.add { rung.withLock { $0.append(name) } } }
    func ring(_ now: WallTime, clockWasSet: Bool) -> [String] {
      for ring in schedule.ring(at: now, clockWasSet: clockWasSet) { ring() }
      defer { rung.withLock { $0 = [] } }
      return rung.withLock { $0 }
    }
    let (first, second, _) = (add("first"), add("second"), add("idle"))
    #expect(schedule.earliest == nil)
    schedule.set(first, to: WallTime(seconds: 20))
    schedule.set(second, to: WallTime(seconds: 10))
    #expect(schedule.earliest == WallTime(seconds: 10))
    #expect(ring(WallTime(microseconds: 9_999_999), clockWasSet: false) == [])
    #expect(ring(WallTime(seconds: 10), clockWasSet: false) == ["second"])
    #expect(schedule.earliest == WallTime(seconds: 20))
    // Set back: all ring, and those that were not due are still set.
    #expect(ring(WallTime(seconds: 1), clockWasSet: true) == ["first", "second", "idle"])
    #expect(schedule.earliest == WallTime(seconds: 20))
    // Set far ahead.
    #expect(ring(WallTime(seconds: 1_000), clockWasSet: true) == ["first", "second", "idle"])
    #expect(schedule.earliest == nil)
    _ = schedule.remove(second)
    schedule.set(second, to: WallTime(seconds: 5))
    #expect(schedule.earliest == nil)
    #expect(ring(WallTime(seconds: 1_000), clockWasSet: true) == ["first", "idle"])
  }

  @Test("A clock that is set rings every alarm, also those that it jumped over")
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
    // The kernel may report it only when the timer is armed again.
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
