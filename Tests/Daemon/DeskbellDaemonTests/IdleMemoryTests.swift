// Memory is returned once the daemon is quiet, and no timer runs after that.

import HandsetCore
import NIOCore
import NIOEmbedded
import Testing

@testable import DeskbellDaemon
@testable import Host

@Suite struct IdleMemoryTests {
  @Test("A tenth of a second after the start, and after later commits twice as long each time, up to ten seconds")
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
    #expect(after(0.15) == 1)
    sink.publish(CommittedBatch(.dark))
    sink.publish(CommittedBatch(.dark))
    #expect(after(0.199) == 1)
    #expect(after(0.001) == 2)
    #expect(after(100) == 2)
    for (count, seconds) in zip(3..., [0.4, 0.8, 1.6, 3.2, 6.4, 10, 10]) {
      sink.publish(CommittedBatch(.dark))
      #expect(after(seconds - 0.001) == count - 1)
      #expect(after(0.001) == count)
    }
  }

  @Test("What the program needs again comes back by itself")
  func programGoesOn() {
    IdleMemory.giveAllBack()
    #expect(Handset().apps.isEmpty)
  }
}
