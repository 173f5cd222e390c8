// Work touches code and heap that waiting does not need, and the kernel maps 64 KB of the program around each page that is
// touched. On a board of 512 MB that memory is somebody else's: it is given back once it is quiet.

import CMemory
import NIOCore
import Synchronization

/// Gives memory back when nothing has been committed for a while. No timer runs after that.
final class IdleMemory: CommitSink {
  enum Limits {
    /// Without a commit.
    static let quiet = TimeAmount.seconds(10)
  }

  private let eventLoop: any EventLoop
  private let giveBack: @Sendable () -> Void
  /// Nil while nothing was committed since memory was given back.
  private let lastCommit = Mutex<NIODeadline?>(nil)

  /// - Parameter giveBack: takes some milliseconds.
  init(eventLoop: any EventLoop, giveBack: @escaping @Sendable () -> Void = IdleMemory.giveAllBack) {
    self.eventLoop = eventLoop
    self.giveBack = giveBack
  }

  /// The heap's free pages, and the program's own, which come from the page cache again where they are needed.
  static let giveAllBack: @Sendable () -> Void = {
    malloc_trim(0)
    memory_give_back_program()
  }

  func publish(_ batch: CommittedBatch) {
    let isFirst = lastCommit.withLock { last in
      defer { last = eventLoop.now }
      return last == nil
    }
    if isFirst { wait(Limits.quiet) }
  }

  private func wait(_ time: TimeAmount) {
    eventLoop.scheduleTask(in: time) { [self] in
      let left = lastCommit.withLock { last in
        let left = last.map { $0 + Limits.quiet - eventLoop.now } ?? .zero
        if left <= .zero { last = nil }
        return left
      }
      if left > .zero { wait(left) } else { giveBack() }
    }
  }
}
