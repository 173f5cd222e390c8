// Alarms on a wall clock that can be set, and the kernel's timer as far as it can be tested without setting the clock.

import DaemonTestSupport
import HandsetCore
import Synchronization
import Testing

@testable import Clocks

@Suite(.timeLimit(.minutes(10))) struct WallAlarmTests {
  @Test func onlyWhatIsDueRingsAndOnlyOnce() async throws {
    let clock = SettableClock(1)
    let alarms = WallAlarms(timer: clock) { clock.now }
    let rings = Rings()
    let first = alarms.alarm { rings.ring("first") }
    let second = alarms.alarm { rings.ring("second") }
    let idle = alarms.alarm { rings.ring("idle") }
    #expect(clock.armed == nil)
    first.set(WallTime(seconds: 20))
    second.set(WallTime(seconds: 10))
    #expect(clock.armed == WallTime(seconds: 10))
    clock.pass(to: 10)
    #expect(await rings.next(1) == ["second"])
    // Set back: all ring, in the order of their addition, and those that were not due are still set.
    clock.set(to: 1)
    #expect(await rings.next(3) == ["first", "second", "idle"])
    // Set far ahead: none is set any more.
    clock.set(to: 1_000)
    #expect(await rings.next(3) == ["first", "second", "idle"])
    clock.set(to: 2_000)
    #expect(await rings.next(3) == ["first", "second", "idle"])
    second.set(WallTime(seconds: 2_001))
    clock.pass(to: 2_001)
    #expect(await rings.next(1) == ["second"])
    withExtendedLifetime(idle) {}
    await alarms.stop()
  }

  @Test func anAlarmThatIsReleasedRingsNoMore() async throws {
    let clock = SettableClock(1)
    let alarms = WallAlarms(timer: clock) { clock.now }
    let rings = Rings()
    let kept = alarms.alarm { rings.ring("kept") }
    var released: WallAlarms.Alarm? = alarms.alarm { rings.ring("released") }
    released?.set(WallTime(seconds: 5))
    #expect(clock.armed == WallTime(seconds: 5))
    released = nil
    #expect(clock.armed == nil)
    clock.set(to: 50)
    #expect(await rings.next(1) == ["kept"])
    withExtendedLifetime(kept) {}
    await alarms.stop()
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
