import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Host

/// The thread that lends itself to the host, for an input that comes alone.
@Suite struct HostExecutorTests {
  private let executor = HostExecutor()

  /// Submits a job by `lend`, and returns true if it ran on the calling thread before `lend` returned.
  private func runsHere() -> Bool {
    let ran = Mutex<pthread_t?>(nil)
    let done = DispatchSemaphore(value: 0)
    var isAtOnce = false
    executor.lend {
      executor.submit {
        ran.withLock { $0 = pthread_self() }
        done.signal()
      }
      isAtOnce = ran.withLock { $0 == pthread_self() }
    }
    done.wait()
    return isAtOnce
  }

  @Test func `A job runs on the lending thread while batches are quick, else on the executor's own`() async throws {
    #expect(!runsHere())
    executor.note(.microseconds(499))
    // Its own thread looks for more before it rests.
    try await wait { runsHere() }
    #expect(runsHere())
    executor.note(.microseconds(500))
    #expect(!runsHere())
    await executor.shutDown()
  }

  @Test func `While another job runs none runs on the thread that lends itself, and the order is kept`() async {
    executor.note(.zero)
    let (order, next) = AsyncStream.makeStream(of: Int.self)
    let (begun, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    executor.submit {
      begun.signal()
      free.wait()
      next.yield(1)
    }
    begun.wait()
    executor.lend { executor.submit { next.yield(2) } }
    next.yield(0)
    free.signal()
    var seen: [Int] = []
    for await number in order.prefix(3) { seen.append(number) }
    #expect(seen == [0, 1, 2])
    await executor.shutDown()
  }

  @Test func `A job that was submitted by a lent one runs on the executor's own thread`() async {
    executor.note(.zero)
    let (threads, told) = AsyncStream.makeStream(of: Bool.self)
    let here = pthread_self()
    executor.lend {
      executor.submit { [executor] in
        executor.submit { told.yield(pthread_self() == here) }
        told.yield(pthread_self() == here)
      }
    }
    var seen: [Bool] = []
    for await isHere in threads.prefix(2) { seen.append(isHere) }
    #expect(seen == [true, false])
    await executor.shutDown()
  }
}
