// The allocator keeps for itself what connections held, in holes all over its heaps, and what comes next makes further
// ones: what is resident would creep on for as long as clients come and go.

import CMalloc
import NIOCore
import Synchronization

/// The memory of connections that are gone: it is given back to the kernel.
final class Leftovers: Sendable {
  /// Between two rounds through the heaps, of a millisecond or two, while connections come and go.
  private static let interval = TimeAmount.seconds(2)

  /// How long after a connection has closed some of it may still be held: TLS waits five seconds for a goodbye.
  private static let lag = TimeAmount.seconds(5)

  /// When the last connection closed; nil once what it held is given back.
  private let lastClose = Mutex<NIODeadline?>(nil)
  private let giveBack: @Sendable () -> Void

  init(giveBack: @escaping @Sendable () -> Void = { malloc_trim(0) }) {
    self.giveBack = giveBack
  }

  /// Nothing runs once the memory of the last one is given back: a quiet daemon is not woken.
  func connectionHasClosed(on eventLoop: any EventLoop) {
    let wasWaiting = lastClose.withLock { lastClose in
      defer { lastClose = eventLoop.now }
      return lastClose != nil
    }
    if !wasWaiting { wait(on: eventLoop) }
  }

  private func wait(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: Self.interval) { [self] in
      giveBack()
      let goesOn = lastClose.withLock { lastClose in
        if let close = lastClose, eventLoop.now - close > Self.lag { lastClose = nil }
        return lastClose != nil
      }
      if goesOn { wait(on: eventLoop) }
    }
  }
}
