// Memory is returned once the daemon is quiet, and no timer runs after that.

import HandsetCore
import NIOCore
import NIOEmbedded
import Testing

@testable import DeskbellDaemon
@testable import Host

@Suite struct IdleMemoryTests {
  @Test("A tenth of a second after the start, ten seconds after a later commit, once, and again after further ones")
  func quiet() {
    let loop = EmbeddedEventLoop()
    let calls = Counter()
    let sink = IdleMemory(eventLoop: loop) { calls.add() }
    func after(_ seconds: Double) -> Int {
      loop.advanceTime(by: .milliseconds(Int64(seconds * 1_000)))
      return calls.count
    }
    #expect(after(100) == 0)
    sink.publish(CommittedBatch(.dark))
    #expect(after(0.099) == 0)
    #expect(after(0.001) == 1)
    #expect(after(100) == 1)
    sink.publish(CommittedBatch(.dark))
    #expect(after(9) == 1)
    sink.publish(CommittedBatch(.dark))
    sink.publish(CommittedBatch(.dark))
    #expect(after(9) == 1)
    #expect(after(1) == 2)
    #expect(after(100) == 2)
    sink.publish(CommittedBatch(.dark))
    #expect(after(10) == 3)
  }

  @Test("What the program needs again comes back by itself")
  func programGoesOn() {
    IdleMemory.giveAllBack()
    #expect(Handset().apps.isEmpty)
  }
}
