// Pushes come from many connections, each answered only after its commit. While one commit waits for the disk, further
// pushes collect here and share the next commit. If more wait than one commit takes, apps take turns: a push waits for
// few pushes of another app, however many arrived before it.

import HandsetCore
import HandsetStore
import NIOCore
import NIOPosix
import Synchronization

/// The queue of inputs for the handsets. It is made before the parts that submit inputs and before the host, which
/// takes them out.
public final class InputQueue: Sendable {
  public enum Limits {
    /// The inputs that may wait for their answers, and the bytes in them. Further ones are refused. One app's pushes
    /// may use as many of both as are free: half of them if no other app's wait, a third each beside one other app's.
    /// So there is always room for another app's.
    public static let waiting = 4_096
    public static let waitingBytes = 16 * 1024 * 1024
    /// Reports of drivers and refusals that may wait. Further ones are dropped, and counted.
    static let reports = 1_024
    /// The inputs that share one commit, and the bytes in them. A single input may have more.
    static let batch = 256
    static let batchBytes = 1024 * 1024
    /// The batches of one app's pushes alone after which a batch may have its full size: until then one should take no
    /// longer than `BatchPace.duration`, since another app's push may come at any time.
    static let batchesAlone = 64
    /// The inputs that wake the host at once; with fewer it is woken when all data that arrived with them is read.
    static let wakingBatch = 32
    /// The fewest inputs that are freed by the event loops which made them.
    static let freedBatch = 8
    /// The reports that an event loop handles with an input that came alone: those of the last push, mostly.
    static let lentReports = 8
    /// The time that reports wait for a commit that is made anyway.
    static let reportDelay = TimeAmount.milliseconds(5)
    /// The bytes of an input in addition to its content.
    static let inputOverhead = 512
    /// The same for a broadcast, which many handsets take: so a batch has few of them.
    static let broadcastOverhead = 64 * 1024
    /// The broadcasts that a stream's batch may have.
    public static let streamBroadcasts = 16
  }

  public enum Recipient: Hashable, Sendable {
    case handset(HandsetID)
    /// The handset that has the push's device token; the one on the board if none has it.
    case tokenOwner
    case all
    /// The handsets whose app takes broadcasts, among these, or among all if it is nil; the input is refused with
    /// `unknownApp` if there is none.
    case broadcast(AppID, among: [HandsetID]?)
    case due
  }

  /// An input that waits. A class: an input is large, and all of its ways through the queue pass one reference.
  final class Entry: Sendable {
    let input: Input
    let recipient: Recipient
    /// Called with the outcome; nil if nothing waits for it.
    let completion: (@Sendable (Input.Outcome) -> Void)?
    let bytes: Int
    /// The event loop that made it; nil if none did.
    let eventLoop: (any EventLoop)?
    /// The number in the order of arrival. Safe: only the queue sets it, under its lock and before the host can have
    /// the entry.
    nonisolated(unsafe) fileprivate(set) var number: Int

    init(
      input: Input, recipient: Recipient, completion: (@Sendable (Input.Outcome) -> Void)? = nil,
      eventLoop: (any EventLoop)? = nil, number: Int = 0
    ) {
      (self.input, self.recipient, self.completion, self.number) = (input, recipient, completion, number)
      self.eventLoop = eventLoop
      bytes = Limits.inputOverhead + input.bytes
    }
  }

  struct Batch: Sendable {
    var entries: [Entry]
    /// The streams whose inputs are among the entries, in the order in which they were submitted.
    var streams: [StreamEntry] = []
    var dropped = 0
  }

  /// The sources that take turns. An app has one turn, to however many handsets its provider pushes, and its pushes
  /// keep their order. Commands and the inputs of apps and devices share one turn. Across batches they have no order
  /// with pushes: a client that needs one waits for the first answer. Reports have a turn of their own, since the
  /// number of refused pushes is unlimited. A consumer of a stream has one turn for a whole batch.
  private enum Source: Hashable {
    case app(AppID)
    case stream(String)
    case daemon
    case reports

    /// True if its inputs are pushes, behind which others may have to wait.
    var isPusher: Bool {
      switch self {
      case .app, .stream: true
      case .daemon, .reports: false
      }
    }
  }

  /// The waiting inputs of one source: first in, first out.
  private final class Line {
    let source: Source
    var entries = CircularBuffer<Entry>()
    var batches: [StreamEntry] = []
    var (places, bytes) = (0, 0)

    init(_ source: Source) {
      self.source = source
    }
  }

  /// The wait of the host, and where it continues. Its continuation is not checked, because the check costs time with
  /// each push. It is resumed once: the resuming thread has removed it under the lock, and a wait that ends at once is
  /// never stored here.
  private struct Wait {
    let continuation: UnsafeContinuation<Void, Never>
    let executor: HostExecutor?
  }

  private struct State {
    private var lines: [Source: Line] = [:]
    /// The line of the last input, which may be empty: pushes mostly come many in a row for one app, a dictionary
    /// hashes its name, and a new line would have to grow again.
    private var lastLine: Line?
    /// The lines in the order of their turns. None is empty.
    private var turns = CircularBuffer<Line>()
    /// The inputs that are no reports, and the bytes in them.
    private(set) var (inputs, bytes) = (0, 0)
    private(set) var reports = 0
    private var arrivals = 0
    /// True if a timer runs for the reports, and if it has fired.
    var (reportsAreTimed, reportsAreDue) = (false, false)
    /// True if reports wait for the next input or a reader.
    var reportsWait = false
    /// The source of the last push, and the number of batches since without pushes of another source.
    private var (lastPusher, batchesAlone): (Source?, Int) = (nil, 0)
    /// True if handsets are to be woken. One wake is enough for any number of requests.
    var wakes = false
    var dropped = 0
    var isClosed = false
    /// True if the host is woken once all data that has arrived is read.
    var wakeIsScheduled = false
    var waiting: Wait?

    /// True if there is a batch: reports alone make one only when they are due, or as many as a batch has.
    var isReady: Bool {
      inputs > 0 || wakes || isClosed || reportsAreDue || reports >= Limits.batch
    }

    mutating func append(_ entry: StreamEntry) -> Bool {
      let line = line(of: .stream(entry.consumer))
      guard hasRoom(for: entry.places, bytes: entry.bytes, in: line) else { return false }
      var entry = entry
      entry.number = arrivals
      line.batches.append(entry)
      add(entry.places, entry.bytes, to: line)
      return true
    }

    mutating func append(_ entry: Entry, of source: Source) -> Bool {
      let line = line(of: source)
      guard source == .reports || hasRoom(for: 1, bytes: entry.bytes, in: line) else { return false }
      entry.number = arrivals
      line.entries.append(entry)
      add(1, entry.bytes, to: line)
      return true
    }

    private func line(of source: Source) -> Line {
      if let lastLine, lastLine.source == source { return lastLine }
      return lines[source] ?? Line(source)
    }

    private func hasRoom(for places: Int, bytes: Int, in line: Line) -> Bool {
      let free = (places: Limits.waiting - inputs, bytes: Limits.waitingBytes - self.bytes)
      let own = line.source.isPusher ? (places: line.places, bytes: line.bytes) : (places: 0, bytes: 0)
      return own.places + places <= free.places && own.bytes + bytes <= free.bytes
    }

    /// Counts the places and bytes that were added to a line, and gives it turns if it had none.
    private mutating func add(_ places: Int, _ bytes: Int, to line: Line) {
      count(places, bytes, of: line.source)
      arrivals += places
      if line.places == 0 {
        lines[line.source] = line
        turns.append(line)
      }
      lastLine = line
      (line.places, line.bytes) = (line.places + places, line.bytes + bytes)
    }

    private mutating func count(_ places: Int, _ bytes: Int, of source: Source) {
      if source == .reports {
        reports += places
      } else {
        (inputs, self.bytes) = (inputs + places, self.bytes + bytes)
      }
    }

    /// Removes the entries of the next commit: one from each line in turn, until there are enough. Within the batch the
    /// entries are in the order of their arrival, since all are answered together.
    mutating func removeBatch(limit: Int) -> Batch {
      let limit = batchesAlone < Limits.batchesAlone ? min(limit, Limits.batch) : Limits.batch
      let isOrdered = turns.count == 1
      var (batch, passedOver): (Batch, [Line]) = (Batch(entries: []), [])
      var (places, bytes, areSeveral) = (0, 0, false)
      batch.entries.reserveCapacity(min(inputs + reports, limit))
      while places < limit, let line = turns.first {
        let taken: (places: Int, bytes: Int)
        if let entry = line.entries.first {
          taken = (1, entry.bytes)
          guard places == 0 || bytes + taken.bytes <= Limits.batchBytes else { break }
          batch.entries.append(entry)
          line.entries.removeFirst()
        } else {
          let entry = line.batches[0]
          taken = (entry.places, entry.bytes)
          guard places == 0 || (places + taken.places <= limit && bytes + taken.bytes <= Limits.batchBytes) else {
            // The batch comes first in the next commit; other lines use the rest of this one.
            passedOver.append(turns.removeFirst())
            continue
          }
          batch.entries += entry.entries
          batch.streams.append(line.batches.removeFirst())
        }
        (places, bytes) = (places + taken.places, bytes + taken.bytes)
        endTurn(of: line, taking: taken.places, taken.bytes)
        if line.source.isPusher, line.source != lastPusher { (lastPusher, areSeveral) = (line.source, true) }
      }
      while let line = passedOver.popLast() { turns.prepend(line) }
      batchesAlone = areSeveral ? 0 : batchesAlone + 1
      if !isOrdered { batch.entries.sort { $0.number < $1.number } }
      return batch
    }

    /// Counts the inputs taken from the first line, and gives the next line its turn.
    private mutating func endTurn(of line: Line, taking places: Int, _ bytes: Int) {
      (line.places, line.bytes) = (line.places - places, line.bytes - bytes)
      count(-places, -bytes, of: line.source)
      turns.removeFirst()
      if line.places == 0 { lines[line.source] = nil } else { turns.append(line) }
    }
  }

  private let state = Mutex(State())
  private let timers: any EventLoopGroup

  /// - Parameter timers: the clock by which reports become due.
  public init(timers: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
    self.timers = timers
  }

  // MARK: Submitting

  /// Submits an input. Never blocks.
  /// - Parameter completion: called exactly once, on any thread, when the input is stored or will never be.
  public func submit(_ input: Input, to recipient: Recipient, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    let source = input.topic.map { Source.app($0) } ?? .daemon
    let eventLoop = MultiThreadedEventLoopGroup.currentEventLoop
    let entry = Entry(input: input, recipient: recipient, completion: completion, eventLoop: eventLoop)
    if !put(from: eventLoop, { $0.append(entry, of: source) }) { completion(.failed(InputQueue.noRoom)) }
  }

  /// Submits a batch of a stream: all of it is stored in one commit with the position, in this order, or nothing is.
  /// Never blocks. A consumer's next batch is submitted only when the previous one is stored: otherwise it could be
  /// stored alone.
  /// - Parameter completion: called exactly once, on any thread: with nil when it is stored; otherwise with the reason
  ///   why it never will be.
  public func submit(_ batch: StreamBatch, completion: @escaping @Sendable (String?) -> Void) {
    let entry = StreamEntry(batch, completion: completion)
    if !put({ $0.append(entry) }) { completion(InputQueue.noRoom) }
  }

  private static let noRoom = "as many inputs as can are waiting already"

  public func submit(_ input: Input, to recipient: Recipient) async -> Input.Outcome {
    await withCheckedContinuation { continuation in
      submit(input, to: recipient) { continuation.resume(returning: $0) }
    }
  }

  /// Submits a driver's report or a refusal, without waiting for the commit: it shares that of the next input, or soon
  /// gets its own. Beyond `Limits.reports` it is dropped.
  /// - Parameter isAwaited: returns false if nobody would notice the commit: none is made until somebody reads
  ///   (`takeReports`). Called with the queue locked, so that a reader who comes meanwhile finds the report.
  public func report(_ input: Input, to handset: HandsetID, isAwaited: () -> Bool = { true }) {
    let needsTimer = put { state in
      guard state.reports < Limits.reports else {
        state.dropped += 1
        return false
      }
      _ = state.append(Entry(input: input, recipient: .handset(handset)), of: .reports)
      guard !state.reportsAreTimed else { return false }
      if isAwaited() { state.reportsAreTimed = true } else { state.reportsWait = true }
      return state.reportsAreTimed
    }
    guard needsTimer else { return }
    timers.any().scheduleTask(in: Limits.reportDelay) { [self] in
      _ = put { state in
        (state.reportsAreTimed, state.reportsAreDue) = (false, state.reports > 0)
        return true
      }
    }
  }

  public func wake() {
    _ = put { state in
      state.wakes = true
      return true
    }
  }

  /// Refuses further inputs; the host still gets the waiting ones, and then nil.
  public func close() {
    _ = put { state in
      state.isClosed = true
      return true
    }
  }

  /// Changes the queue unless it is closed, and wakes the host if there is something for it.
  /// - Returns: the result of `change`; false if the queue is closed.
  private func put(
    from eventLoop: (any EventLoop)? = MultiThreadedEventLoopGroup.currentEventLoop, _ change: (inout State) -> Bool
  ) -> Bool {
    let (isTaken, waits, waiting) = state.withLock { state in
      guard !state.isClosed else { return (false, false, Wait?.none) }
      let isTaken = change(&state)
      guard state.isReady, state.waiting != nil else { return (isTaken, false, nil) }
      // Inputs that are read together share a commit; if there are many, the host begins while the rest is read.
      if eventLoop != nil, !state.isClosed, state.inputs + state.reports < Limits.wakingBatch {
        defer { state.wakeIsScheduled = true }
        return (isTaken, !state.wakeIsScheduled, nil)
      }
      defer { state.waiting = nil }
      return (isTaken, false, state.waiting)
    }
    waiting?.continuation.resume()
    if waits { eventLoop?.execute { self.wakeHost() } }
    return isTaken
  }

  /// Wakes the host, on this thread if one input waits: two switches of threads would take longer than its commit.
  private func wakeHost() {
    let (waiting, isAlone) = state.withLock { state in
      state.wakeIsScheduled = false
      guard state.isReady else { return (Wait?.none, false) }
      defer { state.waiting = nil }
      return (state.waiting, state.inputs == 1 && state.reports <= Limits.lentReports)
    }
    guard let waiting else { return }
    if isAlone, let executor = waiting.executor {
      executor.lend { waiting.continuation.resume() }
    } else {
      waiting.continuation.resume()
    }
  }

  /// The waiting inputs without the reports, and the bytes in them.
  public var waiting: (inputs: Int, bytes: Int) { state.withLock { ($0.inputs, $0.bytes) } }

  // MARK: Taking

  var isEmpty: Bool { state.withLock { !$0.isReady } }

  /// Waits for the entries that share the next commit. Returns nil once the queue is closed and empty.
  /// - Parameters:
  ///   - limit: the most entries if several apps push.
  ///   - executor: the caller's, which runs on the thread of an input that came alone; nil if it never does.
  func next(
    limit: Int = Limits.batch, on executor: HostExecutor? = nil, isolation: isolated (any Actor)? = #isolation
  ) async -> Batch? {
    while true {
      if let batch = take(limit: limit) { return batch }
      if state.withLock(\.isClosed) { return take(limit: limit) }
      await withUnsafeContinuation { continuation in
        let goesOn = state.withLock { state in
          guard !state.isReady else { return true }
          state.waiting = Wait(continuation: continuation, executor: executor)
          return false
        }
        if goesOn { continuation.resume() }
      }
    }
  }

  /// Removes the reports that wait for a reader, with what else waits; nil if there are none.
  func takeReports() -> Batch? {
    let wait = state.withLock { state in
      if state.reportsWait { state.reportsAreDue = true }
      return state.reportsWait
    }
    return wait ? take() : nil
  }

  /// Removes the next batch; nil if nothing waits.
  func take(limit: Int = Limits.batch) -> Batch? {
    state.withLock { state in
      guard state.isReady, state.inputs + state.reports > 0 || state.wakes else { return nil }
      var batch = state.removeBatch(limit: limit)
      batch.dropped = state.dropped
      if state.reports == 0 { (state.reportsAreDue, state.reportsWait) = (false, false) }
      // The wake comes before all inputs but old reports: it was due before the others were submitted.
      if state.wakes {
        let reports = batch.entries.prefix { if case .report = $0.input { true } else { false } }
        batch.entries.insert(Entry(input: .wake, recipient: .due), at: reports.count)
      }
      (state.wakes, state.dropped) = (false, 0)
      return batch
    }
  }

  /// Inputs to be freed.
  private final class Spent: Sendable {
    private let entries: Mutex<[Entry]>

    init(_ entries: sending [Entry]) { self.entries = Mutex(entries) }

    func free() { entries.withLock { $0 = [] } }
  }

  /// Frees the inputs of a batch where they were made: memory that one thread takes and another one frees costs both a
  /// lock, and either may have to wait for it.
  static func free(_ batch: inout Batch) {
    guard batch.entries.count >= Limits.freedBatch else { return }
    while let eventLoop = batch.entries.last?.eventLoop {
      let others = batch.entries.partition { $0.eventLoop === eventLoop }
      let spent = Spent(Array(batch.entries[others...]))
      batch.entries.removeSubrange(others...)
      eventLoop.execute { spent.free() }
    }
  }

  // MARK: Streams

  /// Submits a batch, waits until it is stored, and returns the error; nil if there is none.
  public func submit(_ batch: StreamBatch) async -> String? {
    await withCheckedContinuation { continuation in
      submit(batch) { continuation.resume(returning: $0) }
    }
  }

  struct StreamEntry: Sendable {
    let batch: StreamBatch
    let completion: @Sendable (String?) -> Void
    /// The places that it takes in the queue; at least one.
    let places: Int
    let bytes: Int
    var number = 0

    init(_ batch: StreamBatch, completion: @escaping @Sendable (String?) -> Void) {
      self.batch = batch
      self.completion = completion
      places = max(batch.inputs.count, 1)
      bytes = batch.inputs.reduce(Limits.inputOverhead) { $0 + Limits.inputOverhead + $1.input.bytes }
    }

    var consumer: String { batch.position.consumer }

    var entries: [Entry] {
      batch.inputs.enumerated().map { offset, item in
        Entry(input: item.input, recipient: item.recipient, number: number + offset)
      }
    }
  }
}

/// Messages of a stream as inputs, which share one commit with the position behind them: after a crash the stream
/// continues from the position in the database.
public struct StreamBatch: Sendable {
  /// The inputs in the order of the stream; empty if none is for a handset. The host has all of their handsets.
  public var inputs: [(input: Input, recipient: InputQueue.Recipient)]
  public var position: StreamPosition

  public init(inputs: [(input: Input, recipient: InputQueue.Recipient)], position: StreamPosition) {
    (self.inputs, self.position) = (inputs, position)
  }
}
