// Work touches code and heap that are not needed while waiting, and the kernel maps 64 KB of the program around each
// page that is touched. On a board with 512 MB other programs need that memory, so it is returned.

import CMemory
import Host
import NIOCore
import Synchronization

/// A sink that returns memory when nothing has been committed for a while. No timer runs after that.
final class IdleMemory: CommitSink {
  /// The time without a commit: short after the start, of which little is needed later, and each time twice as long.
  private static let firstQuiet = TimeAmount.milliseconds(100)
  private static let longestQuiet = TimeAmount.seconds(10)

  private let eventLoop: any EventLoop
  private let giveBack: @Sendable () -> Void
  /// The time of the last commit; nil if nothing was committed since memory was returned.
  private let lastCommit = Mutex<NIODeadline?>(nil)
  private let quiet = Mutex(IdleMemory.firstQuiet)

  /// - Parameter giveBack: takes some milliseconds.
  init(eventLoop: any EventLoop, giveBack: @escaping @Sendable () -> Void = IdleMemory.giveAllBack) {
    self.eventLoop = eventLoop
    self.giveBack = giveBack
  }

  /// Returns to the kernel the heap's free pages, and the program's, which are read from the page cache when needed.
  static let giveAllBack: @Sendable () -> Void = {
    malloc_trim(0)
    memory_give_back_program()
  }

  func publish(_ batch: CommittedBatch) {
    let isFirst = lastCommit.withLock { last in
      defer { last = eventLoop.now }
      return last == nil
    }
    if isFirst { wait(quiet.withLock { $0 }) }
  }

  private func wait(_ time: TimeAmount) {
    eventLoop.scheduleTask(in: time) { [self] in
      let quiet = quiet.withLock { $0 }
      let left = lastCommit.withLock { last in
        let left = last.map { $0 + quiet - eventLoop.now } ?? .zero
        if left <= .zero { last = nil }
        return left
      }
      if left > .zero { return wait(left) }
      self.quiet.withLock { $0 = min($0 * 2, IdleMemory.longestQuiet) }
      giveBack()
    }
  }
}
