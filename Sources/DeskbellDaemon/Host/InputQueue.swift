// Pushes come from many connections, each answered only after its commit. While one commit waits for the disk the next
// ones gather here, and share the following commit.

import HandsetCore
import NIOCore
import NIOPosix
import Synchronization

/// Inputs on their way to the handsets. It is made before everything that submits inputs and before the host, which
/// takes them out.
final class InputQueue: Sendable {
  enum Limits {
    /// Inputs that wait, answers pending, and the bytes in them. One more is turned away.
    static let waiting = 4_096
    static let waitingBytes = 16 * 1024 * 1024
    /// Of these, one app's pushes: others always find a place.
    static let waitingPerApp = 2_048
    /// Reports of drivers and refusals that wait. One more is dropped, and counted.
    static let reports = 1_024
    /// Inputs that share one commit, and the bytes in them. One by itself may have more.
    static let batch = 256
    static let batchBytes = 1024 * 1024
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

    var bytes: Int { Limits.inputOverhead + input.bytes }
  }

  /// Entries that share a commit.
  struct Batch: Sendable {
    var entries: [Entry]
    /// Reports that were dropped since the batch before.
    var dropped = 0
  }

  private struct State {
    var entries: [Entry] = []
    var reports = 0
    /// Whether a timer runs for them, and whether it has rung.
    var (reportsAreTimed, reportsAreDue) = (false, false)
    /// In those that are no reports.
    var bytes = 0
    /// Whether handsets are to be woken. Once is enough, however often it was asked for.
    var wakes = false
    var dropped = 0
    var isClosed = false
    /// Whether the host is woken once all is read that has arrived.
    var wakeIsScheduled = false
    /// The host, while it waits for the next entry.
    var waiting: CheckedContinuation<Void, Never>?

    /// Looked at only where so many wait that one app may have too many.
    func hasRoom(for input: Input) -> Bool {
      guard entries.count >= Limits.waitingPerApp, let app = input.topic else { return true }
      return entries.count { $0.input.topic == app } < Limits.waitingPerApp
    }

    /// Whether there is a batch: reports make none until they are due, or are one.
    var isReady: Bool {
      entries.count > reports || wakes || isClosed || reportsAreDue || reports >= Limits.batch
    }
  }

  private let state = Mutex(State())

  // MARK: Submitting

  /// Submits an input. Never blocks.
  /// - Parameter completion: called exactly once, on any thread, when the input is stored or will never be.
  func submit(_ input: Input, to recipient: Recipient, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    let entry = Entry(input: input, recipient: recipient, completion: completion)
    let isTaken = put { state in
      guard state.entries.count - state.reports < Limits.waiting, state.bytes + entry.bytes <= Limits.waitingBytes,
        state.hasRoom(for: input)
      else { return false }
      state.bytes += entry.bytes
      state.entries.append(entry)
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
      state.reports += 1
      state.entries.append(Entry(input: input, recipient: .handset(handset)))
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
      if eventLoop != nil, !state.isClosed, state.entries.count < Limits.wakingBatch {
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

  // MARK: Taking

  var isEmpty: Bool { state.withLock { !$0.isReady } }

  /// The oldest entries, as many as share a commit; waits until there are some. Nil once the queue is closed and empty.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Batch? {
    while true {
      if let batch = take() { return batch }
      if state.withLock(\.isClosed) { return take() }
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
  func take() -> Batch? {
    state.withLock { state in
      guard state.isReady, !state.entries.isEmpty || state.wakes else { return nil }
      var (count, bytes, reports) = (0, 0, 0)
      while count < min(state.entries.count, Limits.batch) {
        let more = state.entries[count].bytes
        guard count == 0 || bytes + more <= Limits.batchBytes else { break }
        if state.entries[count].completion == nil { reports += 1 } else { state.bytes -= more }
        (count, bytes) = (count + 1, bytes + more)
      }
      state.reports -= reports
      var batch = Batch(entries: [], dropped: state.dropped)
      // Mostly all of them, and then none is copied.
      swap(&batch.entries, &state.entries)
      if count < batch.entries.count {
        state.entries = Array(batch.entries[count...])
        batch.entries.removeSubrange(count...)
      }
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
  fileprivate var topic: AppID? {
    switch self {
    case .push(let push), .publish(let push, _, _): push.topic
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
