// Pushes come from many connections, each answered only after its commit. While one commit waits for the disk the next
// ones gather here, and share the following commit. Where more wait than one commit takes, apps take turns: a push waits
// for few of another app's, however many came before it.

import HandsetCore
import NIOCore
import NIOPosix
import Synchronization

/// Inputs on their way to the handsets. It is made before everything that submits inputs and before the host, which
/// takes them out.
final class InputQueue: Sendable {
  enum Limits {
    /// Inputs that wait, answers pending, and the bytes in them. One more is turned away. One app's pushes have at most as
    /// many of both as are free: half of them where no other app's wait, a third each beside one other's. So there is
    /// always room for another app's.
    static let waiting = 4_096
    static let waitingBytes = 16 * 1024 * 1024
    /// Reports of drivers and refusals that wait. One more is dropped, and counted.
    static let reports = 1_024
    /// Inputs that share one commit, and the bytes in them. One by itself may have more.
    static let batch = 256
    static let batchBytes = 1024 * 1024
    /// Batches of one app's pushes alone, after which a batch is as large as it may be: until then one should take no
    /// longer than `BatchPace.duration`, since another app's push may come at any time.
    static let batchesAlone = 64
    /// So many wake the host at once; fewer do when all is read that has arrived with them.
    static let wakingBatch = 32
    /// How long reports wait for a commit that is made anyway.
    static let reportDelay = TimeAmount.milliseconds(5)
    /// Bytes that an input takes beside those that it brings.
    static let inputOverhead = 512
  }

  /// The handsets that an input is for.
  enum Recipient: Hashable, Sendable {
    case handset(HandsetID)
    /// The one that has the push's device token; the one on the board where none has.
    case tokenOwner
    case all
    /// Those that asked to be woken by now.
    case due
  }

  struct Entry: Sendable {
    var input: Input
    var recipient: Recipient
    /// Nil where nothing waits for the answer.
    var completion: (@Sendable (Input.Outcome) -> Void)?
    /// In the order of arrival; set by the queue.
    var number = 0

    var bytes: Int { Limits.inputOverhead + input.bytes }
  }

  /// Entries that share a commit.
  struct Batch: Sendable {
    var entries: [Entry]
    /// Reports that were dropped since the batch before.
    var dropped = 0
  }

  /// What has a turn. An app has one turn, to however many handsets its provider pushes, and its pushes keep their order.
  /// Commands, and what apps and devices did, have one turn together. Beyond a batch they have no order with pushes: a client
  /// that needs one waits for the first answer. Reports have a turn of their own, since refused pushes come in any number.
  private enum Source: Hashable {
    case app(AppID)
    case daemon
    case reports
  }

  /// The entries of one source that wait: first in, first out.
  private final class Line {
    let source: Source
    var entries = CircularBuffer<Entry>()
    var bytes = 0

    init(_ source: Source) {
      self.source = source
    }
  }

  private struct State {
    private var lines: [Source: Line] = [:]
    /// The lines in the order of their turns. None is empty.
    private var turns = CircularBuffer<Line>()
    /// Entries that are no reports, and the bytes in them.
    private(set) var (inputs, bytes) = (0, 0)
    private(set) var reports = 0
    private var arrivals = 0
    /// Whether a timer runs for them, and whether it has rung.
    var (reportsAreTimed, reportsAreDue) = (false, false)
    /// The app whose push was taken last, and how many batches have none of another one.
    private var (lastApp, batchesAlone): (AppID?, Int) = (nil, 0)
    /// Whether handsets are to be woken. Once is enough, however often it was asked for.
    var wakes = false
    var dropped = 0
    var isClosed = false
    /// Whether the host is woken once all is read that has arrived.
    var wakeIsScheduled = false
    /// The host, while it waits for the next entry.
    var waiting: CheckedContinuation<Void, Never>?

    /// Whether there is a batch: reports make none until they are due, or are one.
    var isReady: Bool {
      inputs > 0 || wakes || isClosed || reportsAreDue || reports >= Limits.batch
    }

    /// Whether one more input may wait.
    func hasRoom(for entry: Entry, of source: Source) -> Bool {
      let free = (entries: Limits.waiting - inputs, bytes: Limits.waitingBytes - bytes)
      guard case .app = source, let line = lines[source] else { return free.entries > 0 && entry.bytes <= free.bytes }
      return line.entries.count < free.entries && line.bytes + entry.bytes <= free.bytes
    }

    mutating func append(_ entry: Entry, of source: Source) {
      if source == .reports {
        reports += 1
      } else {
        (inputs, bytes) = (inputs + 1, bytes + entry.bytes)
      }
      var entry = entry
      (arrivals, entry.number) = (arrivals + 1, arrivals)
      let line = lines[source] ?? Line(source)
      if line.entries.isEmpty {
        lines[source] = line
        turns.append(line)
      }
      line.entries.append(entry)
      line.bytes += entry.bytes
    }

    /// Removes the entries of the next batch: of each line one, until there are enough. Within the batch they are in the
    /// order of their arrival, since all are answered together.
    mutating func removeBatch(limit: Int) -> [Entry] {
      let limit = batchesAlone < Limits.batchesAlone ? min(limit, Limits.batch) : Limits.batch
      let isOrdered = turns.count == 1
      var (batch, batchBytes, areSeveral): ([Entry], Int, Bool) = ([], 0, false)
      batch.reserveCapacity(min(inputs + reports, limit))
      while batch.count < limit, let line = turns.first, let entry = line.entries.first {
        let bytes = entry.bytes
        guard batch.isEmpty || batchBytes + bytes <= Limits.batchBytes else { break }
        batchBytes += bytes
        batch.append(entry)
        remove(bytes, from: line)
        if case .app(let app) = line.source, app != lastApp { (lastApp, areSeveral) = (app, true) }
      }
      batchesAlone = areSeveral ? 0 : batchesAlone + 1
      if !isOrdered { batch.sort { $0.number < $1.number } }
      return batch
    }

    /// Removes the first entry of the line that is first; the next line has its turn.
    private mutating func remove(_ bytes: Int, from line: Line) {
      line.entries.removeFirst()
      line.bytes -= bytes
      if line.source == .reports {
        reports -= 1
      } else {
        (inputs, self.bytes) = (inputs - 1, self.bytes - bytes)
      }
      turns.removeFirst()
      if line.entries.isEmpty { lines[line.source] = nil } else { turns.append(line) }
    }
  }

  private let state = Mutex(State())

  // MARK: Submitting

  /// Submits an input. Never blocks.
  /// - Parameter completion: called exactly once, on any thread, when the input is stored or will never be.
  func submit(_ input: Input, to recipient: Recipient, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    let entry = Entry(input: input, recipient: recipient, completion: completion)
    let source = input.topic.map { Source.app($0) } ?? .daemon
    let isTaken = put { state in
      guard state.hasRoom(for: entry, of: source) else { return false }
      state.append(entry, of: source)
      return true
    }
    if !isTaken { completion(.failed("as many inputs as can are waiting already")) }
  }

  /// Submits an input and waits until it is stored.
  func submit(_ input: Input, to recipient: Recipient) async -> Input.Outcome {
    await withCheckedContinuation { continuation in
      submit(input, to: recipient) { continuation.resume(returning: $0) }
    }
  }

  func submit(_ input: Input, to handset: HandsetID) async -> Input.Outcome {
    await submit(input, to: .handset(handset))
  }

  /// Submits a driver's report or a refusal, without waiting for the commit: that of the next input, or soon one of its
  /// own. Past `Limits.reports` it is dropped.
  func report(_ input: Input, to handset: HandsetID) {
    let needsTimer = put { state in
      guard state.reports < Limits.reports else {
        state.dropped += 1
        return false
      }
      state.append(Entry(input: input, recipient: .handset(handset)), of: .reports)
      defer { state.reportsAreTimed = true }
      return !state.reportsAreTimed
    }
    guard needsTimer else { return }
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: Limits.reportDelay) { [self] in
      _ = put { state in
        (state.reportsAreTimed, state.reportsAreDue) = (false, state.reports > 0)
        return true
      }
    }
  }

  /// Wakes the handsets that are due.
  func wake() {
    _ = put { state in
      state.wakes = true
      return true
    }
  }

  /// Takes no further inputs; the host is given those that wait, and then none.
  func close() {
    _ = put { state in
      state.isClosed = true
      return true
    }
  }

  /// Changes the queue unless it is closed, and wakes the host if there is something for it.
  /// - Returns: what `change` does; false where it is closed.
  private func put(_ change: (inout State) -> Bool) -> Bool {
    let eventLoop = MultiThreadedEventLoopGroup.currentEventLoop
    let (isTaken, waits, waiting) = state.withLock { state in
      guard !state.isClosed else { return (false, false, CheckedContinuation<Void, Never>?.none) }
      let isTaken = change(&state)
      guard state.isReady, state.waiting != nil else { return (isTaken, false, nil) }
      // What is read together shares a commit; where it is much, the host begins while the rest is read.
      if eventLoop != nil, !state.isClosed, state.inputs + state.reports < Limits.wakingBatch {
        defer { state.wakeIsScheduled = true }
        return (isTaken, !state.wakeIsScheduled, nil)
      }
      defer { state.waiting = nil }
      return (isTaken, false, state.waiting)
    }
    waiting?.resume()
    if waits { eventLoop?.execute { self.wakeHost() } }
    return isTaken
  }

  private func wakeHost() {
    let waiting = state.withLock { state in
      state.wakeIsScheduled = false
      guard state.isReady else { return CheckedContinuation<Void, Never>?.none }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Inputs that wait, reports apart, and the bytes in them.
  var waiting: (inputs: Int, bytes: Int) { state.withLock { ($0.inputs, $0.bytes) } }

  // MARK: Taking

  var isEmpty: Bool { state.withLock { !$0.isReady } }

  /// The entries that share the next commit; waits until there are some. Nil once the queue is closed and empty.
  /// - Parameter limit: their number where several apps push.
  func next(limit: Int = Limits.batch, isolation: isolated (any Actor)? = #isolation) async -> Batch? {
    while true {
      if let batch = take(limit: limit) { return batch }
      if state.withLock(\.isClosed) { return take(limit: limit) }
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          guard !state.isReady else { return true }
          state.waiting = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    }
  }

  /// The next batch; nil where nothing waits.
  func take(limit: Int = Limits.batch) -> Batch? {
    state.withLock { state in
      guard state.isReady, state.inputs + state.reports > 0 || state.wakes else { return nil }
      var batch = Batch(entries: state.removeBatch(limit: limit), dropped: state.dropped)
      if state.reports == 0 { state.reportsAreDue = false }
      // What is due was due before what was submitted.
      if state.wakes { batch.entries.insert(Entry(input: .wake, recipient: .due), at: 0) }
      (state.wakes, state.dropped) = (false, 0)
      return batch
    }
  }
}

extension Input {
  /// The app that a provider pushes to.
  var topic: AppID? {
    switch self {
    case .push(let push), .publish(let push, _, _): push.topic
    // By a provider with an access key, or by the app.
    case .schedule(let request): request.app
    case .retract(let app, _, _): app
    default: nil
    }
  }

  /// Bytes that it brings: as many as its sender likes.
  fileprivate var bytes: Int {
    switch self {
    case .push(let push): push.payload.count
    case .publish(let push, _, let propertyList): push.payload.count + propertyList.count
    case .schedule(let request): request.payload.count
    case .install(let manifest, _): manifest.strings.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    default: 0
    }
  }
}
