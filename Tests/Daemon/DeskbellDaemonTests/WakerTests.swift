import Clocks
import DaemonTestSupport
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

/// A deadline has no public initialiser, as only a handset makes them. Tests make them too.
func deadline(uptime: Duration? = nil, wall: WallTime? = nil) -> Deadline? { Deadline(uptime: uptime, wall: wall) }

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
      let rings = Counter()
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

      // Deadlines during the pause wait too; later ones keep their own time, which a virtual clock does not reach.
      waker.set(deadline(uptime: TimeRig.start.uptime + .milliseconds(50)), after: .milliseconds(100))
      #expect(after(.milliseconds(100)) == 3)
      #expect(after(.microseconds(1)) == (runsByItself ? 4 : 3))
      waker.set(deadline(uptime: TimeRig.start.uptime + .milliseconds(500)), after: .milliseconds(100))
      #expect(after(.milliseconds(500)) == (runsByItself ? 4 : 3))
      #expect(after(.microseconds(1)) == (runsByItself ? 5 : 3))
      waker.stop()
    }
  }

  @Test("A deadline that moves on wakes at its last time only, and an earlier one at its own")
  func movesOn() {
    struct Running: Clock {
      let loop: EmbeddedEventLoop
      func now() -> Moment {
        let passed = Duration.nanoseconds(Int64(loop.now.uptimeNanoseconds))
        return Moment(uptime: passed, wall: TimeRig.start.wall.advanced(by: passed))
      }
    }
    let loop = EmbeddedEventLoop()
    let rings = Counter()
    let waker = Waker(eventLoop: loop, clock: Running(loop: loop), alarms: nil) { rings.add() }
    func after(_ milliseconds: Int64) -> Int {
      loop.advanceTime(by: .milliseconds(milliseconds))
      return rings.count
    }
    waker.set(deadline(uptime: .milliseconds(100)))
    #expect(after(60) == 0)
    waker.set(deadline(uptime: .milliseconds(160)))
    #expect(after(60) == 0)
    waker.set(deadline(uptime: .milliseconds(220)))
    #expect(after(99) == 0)
    #expect(after(2) == 1)
    waker.set(deadline(uptime: .milliseconds(1000)))
    waker.set(deadline(uptime: .milliseconds(300)))
    #expect(after(78) == 1)
    #expect(after(2) == 2)
    waker.set(deadline(uptime: .milliseconds(400)))
    waker.set(nil)
    #expect(after(1000) == 2)
    // A damaged row may have the last possible time.
    waker.set(deadline(uptime: .seconds(Int64.max)))
    #expect(after(1000) == 2)
    waker.stop()
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
