// A connection without a socket: a client that sends arbitrary bytes in pieces of any size, tasks that run on the
// caller's thread, and time that passes at once.

import Glibc
import NIOCore
import NIOEmbedded
import Synchronization

final class FuzzedConnection {
  let channel = EmbeddedChannel()
  let executor = FuzzedExecutor()
  /// The server's answer.
  private(set) var answer = ByteBuffer()
  /// Returns true if another thread works for a task.
  var isBusy: () -> Bool = { false }

  init() throws(FuzzTarget.Finding) {
    do {
      try channel.pipeline.syncOperations.addHandler(HalfCloser())
    } catch {
      throw FuzzTarget.Finding(description: "no connection: \(error)")
    }
  }

  /// Connects, sends the bytes, advances the time, and shuts the server down. Then the connection must be closed.
  func run(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
    guard let address = try? SocketAddress(ipAddress: "192.0.2.1", port: 49_152) else { return }
    channel.connect(to: address, promise: nil)
    var rest = bytes[...]
    while !rest.isEmpty, channel.isActive {
      let piece = rest.prefix(1 + Int(rest[rest.startIndex]) * 2)
      rest = rest.dropFirst(piece.count)
      // An error of the decoder is thrown here again.
      _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
      try settle()
    }
    // Some clients close their side, others are silent.
    if bytes.count.isMultiple(of: 2) { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    try settle()
    for seconds in [3, 60, 3600] as [Int64] {
      channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
      try settle()
    }
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    try settle()
    channel.embeddedEventLoop.advanceTime(by: .minutes(10))
    try settle()
    try hold(!channel.isActive, "the connection is open after the shutdown")
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  /// Runs until there is no more work at this moment.
  private func settle() throws(FuzzTarget.Finding) {
    repeat { channel.embeddedEventLoop.run() } while try executor.runJobs(waiting: isBusy())
    while var bytes = try? channel.readOutbound(as: ByteBuffer.self) { answer.writeBuffer(&bytes) }
  }

  /// A handler that closes one side, which a channel without a socket cannot do.
  private final class HalfCloser: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
  }
}

/// An executor that keeps the jobs of tasks until `runJobs` is called.
final class FuzzedExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  // Semaphores are safe on any thread, and this pointer never changes.
  nonisolated(unsafe) private let arrived = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(arrived, 0, 0) }

  deinit {
    sem_destroy(arrived)
    arrived.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    sem_post(arrived)
  }

  /// - Parameter waiting: true if a job will come.
  /// - Returns: true if there were any.
  func runJobs(waiting: Bool) throws(FuzzTarget.Finding) -> Bool {
    if waiting {
      var end = timespec()
      clock_gettime(CLOCK_REALTIME, &end)
      end.tv_sec += 20
      try hold(sem_timedwait(arrived, &end) == 0, "a task does not go on")
    }
    while sem_trywait(arrived) == 0 {}
    let waiting = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in waiting { job.runSynchronously(on: asUnownedTaskExecutor()) }
    return !waiting.isEmpty
  }
}
