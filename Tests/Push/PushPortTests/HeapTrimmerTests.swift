import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import PushPort

@Suite("Memory of closed connections")
struct HeapTrimmerTests {
  @Test("Memory is returned while connections close, until none is left to return; then no timer runs")
  func rounds() {
    let loop = EmbeddedEventLoop()
    let rounds = Mutex<[NIODeadline]>([])
    let trimmer = HeapTrimmer { rounds.withLock { $0.append(loop.now) } }
    func seconds() -> [UInt64] { rounds.withLock { $0.map { $0.uptimeNanoseconds / 1_000_000_000 } } }

    trimmer.connectionHasClosed(on: loop)
    loop.advanceTime(by: .seconds(3))
    trimmer.connectionHasClosed(on: loop)
    trimmer.connectionHasClosed(on: loop)
    loop.advanceTime(by: .hours(1))
    // TLS may hold memory of the second connection until 8 s.
    #expect(seconds() == [2, 4, 6, 8, 10])

    trimmer.connectionHasClosed(on: loop)
    loop.advanceTime(by: .hours(1))
    #expect(seconds().dropFirst(5) == [3_605, 3_607, 3_609])
  }
}
