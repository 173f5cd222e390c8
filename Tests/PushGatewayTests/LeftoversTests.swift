import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import PushGateway

@Suite("Memory of connections that are gone")
struct LeftoversTests {
  @Test("It is given back while they close, until all of it is free, and nothing wakes the daemon after")
  func rounds() {
    let loop = EmbeddedEventLoop()
    let rounds = Mutex<[NIODeadline]>([])
    let leftovers = Leftovers { rounds.withLock { $0.append(loop.now) } }
    func seconds() -> [UInt64] { rounds.withLock { $0.map { $0.uptimeNanoseconds / 1_000_000_000 } } }

    leftovers.connectionHasClosed(on: loop)
    loop.advanceTime(by: .seconds(3))
    leftovers.connectionHasClosed(on: loop)
    leftovers.connectionHasClosed(on: loop)
    loop.advanceTime(by: .hours(1))
    // TLS may hold what is of the second until 8 s.
    #expect(seconds() == [2, 4, 6, 8, 10])

    leftovers.connectionHasClosed(on: loop)
    loop.advanceTime(by: .hours(1))
    #expect(seconds().dropFirst(5) == [3_605, 3_607, 3_609])
  }
}
