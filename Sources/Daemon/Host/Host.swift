// The handsets, with the parts that they must not contain: a clock, a store, sinks. Inputs come in through the queue; a
// batch of them is applied, stored in one commit, answered and published.

import AppLink
import Clocks
import HandsetCore
import HandsetStore
import InputRecording
import Logging
import SystemThreads

public struct LoadedHandset: Sendable {
  public var id: HandsetID
  public var contents: Handset.Contents

  public init(id: HandsetID, contents: Handset.Contents) {
    (self.id, self.contents) = (id, contents)
  }
}

/// The first work of a host, which its other work waits for.
public struct HostStart: Sendable {
  public var start: Start
  /// Is told of notifications that could not be read.
  public var report: @Sendable (HandsetID, StoreDamage) -> Void

  public init(_ start: Start, report: @escaping @Sendable (HandsetID, StoreDamage) -> Void) {
    (self.start, self.report) = (start, report)
  }
}

/// The handsets of a host.
public struct HostHandsets: Sendable {
  public var loaded: [LoadedHandset]
  /// The one that answers for unknown tokens.
  public var board: HandsetID
  /// Nil if `begin` is called.
  public var start: HostStart?

  public init(_ loaded: [LoadedHandset], board: HandsetID, start: HostStart? = nil) {
    (self.loaded, self.board, self.start) = (loaded, board, start)
  }
}

/// The places that the host writes to, and the speaker that it asks before it does.
public struct HostOutputs {
  /// Records the inputs; nil if nobody wants a record.
  public var recorder: InputRecorder?
  public var sinks: [any CommitSink]
  /// Returns true if a sound would not be played now, so that its event says so (rule A5).
  public var speakerIsLost: @Sendable () -> Bool

  public init(
    _ sinks: [any CommitSink], recorder: InputRecorder? = nil, speakerIsLost: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.sinks, self.recorder, self.speakerIsLost) = (sinks, recorder, speakerIsLost)
  }
}

/// The handsets of this daemon, on one thread at a time: their own, or one that lends itself (`HostExecutor`).
public actor Host {
  enum Limits {
    /// The pause before due inputs that could not be stored are retried: the first, and the longest. Each failure
    /// doubles it.
    static let firstRetryPause: Duration = .milliseconds(100)
    static let longestRetryPause: Duration = .seconds(10)
    /// The batches of pushes after which the host checks whether the database has pages to give back: each frees few.
    static let pushesUnseen = 64
    /// The turns of a batch that the next one uses again.
    static let spareTurns = 64
  }

  /// A handset, changed in place: if a second copy of it exists, its tables are copied on their next change. A class,
  /// since a dictionary would move the handset out and back on each change.
  private final class Resident {
    let id: HandsetID
    /// The number of the last batch in which it took a turn.
    var batch = 0
    private var handset: Handset

    init(_ id: HandsetID, _ contents: Handset.Contents) {
      (self.id, handset) = (id, Handset(contents))
    }

    func add(_ notifications: SortedSet<Notification>) {
      var contents = handset.contents
      contents.notifications = notifications
      handset = Handset(contents)
    }

    func inPlace<Result>(_ body: (inout Handset) throws -> Result) rethrows -> Result { try body(&handset) }
  }

  private let handsets: [HandsetID: Resident]
  private var tokenOwners: [DeviceToken: HandsetID] = [:]
  /// The last push's token and the handset that it went to: the next one mostly has the same.
  private var lastOwner: (token: DeviceToken, handset: Resident)?
  private var deadlines = Deadlines()
  private let board: HandsetID
  private let store: HandsetStore
  private let queue: InputQueue
  private let clock: any Clock
  private let waker: Waker
  private let sinks: [any CommitSink]
  private let recorder: InputRecorder?
  private let speakerIsLost: @Sendable () -> Bool
  private let devices: DeviceTable
  private let logger: Logger
  private var storeFails = false
  private var failedCommits = 0
  private var batches = 0
  private var pushesUnseen = 0
  /// True from the order to give free pages back until it is done.
  private var isToGiveBack = false
  private var pace = BatchPace()
  /// Empty turns with the memory of earlier ones.
  private var spareTurns: [HandsetTurn] = []
  /// Empty: the memory for the turns of the next batch.
  private var noTurns: [HandsetTurn] = []
  /// The pause before the next try; zero while the store works.
  private var retryPause: Duration = .zero
  /// The lead of the wall clock when all handsets were last woken.
  private var clockSkew: Duration
  /// The work before the first input and the first reading; nil once it is done.
  private var start: HostStart?
  private var startError: StoreError?

  public nonisolated let executor = HostExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - store: belongs to the host from now on.
  ///   - queue: only the host takes from it.
  ///   - waker: receives the earliest deadline; its clock is the handsets'.
  ///   - outputs: belong to the host from now on.
  ///   - devices: the store is one of them.
  public init(
    _ handsets: HostHandsets, store: sending HandsetStore, queue: InputQueue, waker: Waker,
    outputs: sending HostOutputs, devices: DeviceTable, logger: Logger
  ) {
    self.handsets = Dictionary(uniqueKeysWithValues: handsets.loaded.map { ($0.id, Resident($0.id, $0.contents)) })
    for handset in handsets.loaded { for token in handset.contents.tokens.keys { tokenOwners[token] = handset.id } }
    (board, start) = (handsets.board, handsets.start)
    self.store = store
    self.queue = queue
    self.waker = waker
    self.clock = waker.clock
    (sinks, recorder, speakerIsLost) = (outputs.sinks, outputs.recorder, outputs.speakerIsLost)
    self.devices = devices
    self.logger = logger
    clockSkew = waker.clock.now().skew
  }

  /// Does the first work, unless it is done: reads the notifications, and submits the first input of every handset.
  public func begin() {
    guard let start = exchange(&start, with: nil) else { return }
    do throws(StoreError) {
      for (id, handset) in handsets {
        guard let rest = try store.loadNotifications(of: id) else { continue }
        handset.add(rest.notifications)
        for damage in rest.damage { start.report(id, damage) }
      }
      try begin(start.start)
    } catch {
      startError = error
    }
  }

  /// Submits the first input of every handset, the daemon's start, in one commit.
  public func begin(_ start: Start) throws(StoreError) {
    if let error = apply(InputQueue.Batch(entries: [.init(input: .start(start), recipient: .all)])) { throw error }
    // Noted only now: if the daemon ended before the boot is stored in the handsets, the boot would be forgotten.
    try BootID.note(in: store)
    Rehearsal.run(at: clock.now())
  }

  /// Applies the inputs until the queue is closed and empty.
  /// - Throws: `StoreError` if the first work cannot be done, or if the database is damaged, so that no commit can
  ///   succeed. The next start sets a damaged one aside.
  public func run() async throws(StoreError) {
    begin()
    if let startError { throw startError }
    while var batch = await queue.next(limit: pace.limit, on: executor) {
      let began = (SystemClock.uptime(), SystemClock.processorTime())
      if let error = apply(batch), error.isDamage { throw error }
      executor.note(SystemClock.uptime() - began.0)
      pace.note(batch.entries.count, took: SystemClock.processorTime() - began.1)
      pushesUnseen = batch.entries.allSatisfy({ $0.input.isPush }) ? pushesUnseen + 1 : Limits.pushesUnseen
      InputQueue.free(&batch)
      // Readers get their turn even while inputs are submitted without pause.
      if !queue.isEmpty { await executor.othersFirst() }
      guard pushesUnseen >= Limits.pushesUnseen, queue.isEmpty, !isToGiveBack else { continue }
      pushesUnseen = 0
      isToGiveBack = true
      waker.soon { [self] in Task(executorPreference: executor) { await self.giveBack() } }
    }
    waker.stop()
    // Nothing is given back from now on.
    isToGiveBack = false
    do {
      try store.releaseReservedEvents()
      for (id, handset) in handsets { try handset.inPlace { try store.packNotifications(of: $0, id) } }
      try store.emptyLog()
    } catch {
      logger.debug("event numbers stay reserved, or the log stays: \(error)")
    }
  }

  // MARK: Reading

  /// Reads a handset, its store and the moment together; nothing changes in between.
  public func read<Answer: Sendable>(
    _ id: HandsetID, _ body: @Sendable (Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) rethrows -> Answer {
    applyReports()
    return try handset(id).inPlace { try body($0, store, id, clock.now()) }
  }

  private func handset(_ id: HandsetID) -> Resident {
    guard let handset = handsets[id] else { preconditionFailure("there is no handset \(id)") }
    return handset
  }

  /// Reads the given handsets one after the other, and the number of failed commits.
  public func readEach<Answer: Sendable>(
    _ ids: [HandsetID], _ body: @Sendable (inout Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) rethrows -> (answers: [Answer], failedCommits: Int) {
    applyReports()
    let now = clock.now()
    let answers = try ids.map { id in try handset(id).inPlace { try body(&$0, store, id, now) } }
    return (answers, failedCommits)
  }

  private func applyReports() {
    begin()
    if let batch = queue.takeReports() { apply(batch) }
  }

  /// Checks that the store works. If it has failed before, a write is tried.
  public func storeProblem() -> String? {
    do {
      let boot = try store.meta(.bootID)
      if storeFails { try store.setMeta(.bootID, boot ?? "") }
      noteThatStoreWorks()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func noteThatStoreWorks() {
    guard storeFails else { return }
    storeFails = false
    logger.notice("the store works again")
    devices.set(DeviceTable.store, problem: nil)
  }

  /// Changes the parts of the store that do not belong to handsets.
  public func write<Answer: Sendable>(_ body: @Sendable (HandsetStore) throws -> Answer) rethrows -> Answer {
    try body(store)
  }

  public func wakeAt() -> Deadline? { deadlines.earliest }

  /// Returns the handset that has the device token; nil if none has.
  public func owner(of token: DeviceToken) -> HandsetID? { tokenOwners[token] }

  // MARK: Changes by nobody

  /// Changes handsets outside their rules, in one commit: a test bench brings them back to their start.
  /// - Parameter make: makes the turn of a handset, whose changes are applied here. A turn without changes is left out.
  /// - Throws: `StoreError`; then nothing has changed.
  public func change(_ ids: [HandsetID], _ make: @Sendable (Handset, Moment) -> Turn) throws(StoreError) {
    applyReports()
    var round = Round()
    let now = clock.now()
    for id in ids {
      let turn = handset(id).inPlace { make($0, now) }
      guard !turn.changes.isEmpty else { continue }
      handset(id).inPlace { $0.undo(turn.changes.reversed().map(\.reversed)) }
      round.turns.append(HandsetTurn(handset: id, turn: turn))
      round.handsets.append(handset(id))
    }
    guard !round.turns.isEmpty else { return }
    do throws(StoreError) {
      try store.commit(round.turns, durable: false)
    } catch {
      for item in round.turns { handset(item.handset).inPlace { $0.undo(item.turn.changes) } }
      throw error
    }
    for item in round.turns {
      for case .token(let token, _, let after) in item.turn.changes {
        settle(token, after == nil ? nil : item.handset, on: item.handset)
      }
    }
    publish(round)
    waker.set(deadlines.earliest)
  }

  // MARK: Batches

  /// The results of a batch before it is stored.
  private struct Round {
    var turns: [HandsetTurn] = []
    var verdicts: [Verdict] = []
    /// The handsets that took the turns, each once.
    var handsets: [Resident] = []
    var inputs: [RecordedInput] = []
    /// The place of the turn with the last sound of the board's handset, and its push.
    var sound: (turn: Int, push: PushID)?
    /// True if an effect is for an app, which may get payloads or notifications with it.
    var concernsApps = false
    var isDurable = false
    /// The time spent waiting for the disk; nil if the commit did not have to wait.
    var waited: Duration?
    /// The new lead of the wall clock, if all handsets were woken because it was set.
    var clockSkew: Duration?
    /// The payloads of the opened notifications, which the commit may remove.
    var openedPayloads: [AppAddress: [PushID: [UInt8]]] = [:]
    var broadcasts: [CommittedBroadcast] = []
  }

  @discardableResult
  private func apply(_ batch: InputQueue.Batch) -> StoreError? {
    if batch.dropped > 0 {
      logger.warning("\(batch.dropped) reports were dropped: more came than could be written down")
    }
    batches += 1
    var round = Round()
    swap(&round.turns, &noTurns)
    round.turns.reserveCapacity(batch.entries.count)
    round.verdicts.reserveCapacity(batch.entries.count)
    // Stored messages are acknowledged to the stream, and never come again.
    round.isDurable = !batch.streams.isEmpty
    for entry in batch.entries { round.verdicts.append(apply(entry, in: &round)) }
    // None plays on a speaker that is lost (rule A5).
    if let sound = round.sound, speakerIsLost() {
      round.turns[sound.turn].turn.dropSound(of: sound.push, .speakerLost)
      if recorder != nil { round.inputs[sound.turn].speakerLost = sound.push }
    }
    let began = SystemClock.uptime()
    do throws(StoreError) {
      try store.commit(round.turns, durable: round.isDurable, positions: batch.streams.map(\.batch.position))
    } catch {
      undo(round, batch, "\(error)")
      return error
    }
    retryPause = .zero
    clockSkew = round.clockSkew ?? clockSkew
    // A commit of reports alone does not wait for the disk, which may fail all syncs.
    if round.isDurable {
      round.waited = SystemClock.uptime() - began
      noteThatStoreWorks()
    }
    // Failed commits are undone before anything is recorded. Recording precedes the answers: when a caller has its
    // answer, the input is recorded.
    recorder?.record(round.inputs) { handsets.mapValues { $0.inPlace { $0.contents } } }
    // Before the sinks: an answer travels while they run. A caller that asks for the state then waits for this thread.
    for (index, verdict) in round.verdicts.enumerated() { batch.entries[index].completion?(.stored(verdict)) }
    for entry in batch.streams { entry.completion(nil) }
    publish(round)
    reuse(&round.turns)
    wakeAgain(after: batch)
    return nil
  }

  /// Keeps the memory of published turns. Their contents are freed now: the next batch may come much later.
  private func reuse(_ turns: inout [HandsetTurn]) {
    while !turns.isEmpty {
      var item = turns.removeLast()
      guard spareTurns.count < Limits.spareTurns else { continue }
      item.turn.removeAll()
      spareTurns.append(item)
    }
    if turns.capacity <= InputQueue.Limits.batch { swap(&turns, &noTurns) }
  }

  private func apply(_ entry: InputQueue.Entry, in round: inout Round) -> Verdict {
    let now = clock.now()
    switch entry.recipient {
    case .handset(let id): return take(entry.input, on: handset(id), at: now, in: &round)
    case .tokenOwner: return take(entry.input, on: owner(of: entry.input), at: now, in: &round)
    case .all:
      for id in handsets.keys.sorted() { _ = take(entry.input, on: handset(id), at: now, in: &round) }
    case .due:
      for id in due(at: now, in: &round) { _ = take(entry.input, on: handset(id), at: now, in: &round) }
    case .broadcast(let app, let handsets):
      return broadcast(entry.input, to: app, among: handsets, at: now, in: &round)
    }
    return .accepted
  }

  private func broadcast(
    _ input: Input, to app: AppID, among handsets: [HandsetID]?, at now: Moment, in round: inout Round
  ) -> Verdict {
    guard case .broadcast(_, let channel) = input else { return .accepted }
    let receivers = receivers(ofBroadcastsTo: app, among: handsets)
    guard !receivers.isEmpty else { return .refused(.unknownApp(app)) }
    var delivered = 0
    for id in receivers {
      let place = round.turns.count
      _ = take(input, on: handset(id), at: now, in: &round)
      let events = round.turns[place].turn.events
      if events.contains(where: { if case .activity = $0.kind { true } else { false } }) { delivered += 1 }
    }
    round.broadcasts.append(CommittedBroadcast(app: app, channel: channel, delivered: delivered))
    return .accepted
  }

  /// Returns the handsets on which the app's manifest allows broadcasts.
  /// - Parameter some: the handsets that count; nil for all.
  public func receivers(ofBroadcastsTo app: AppID, among some: [HandsetID]? = nil) -> [HandsetID] {
    (some ?? handsets.keys.sorted()).filter { id in
      handset(id).inPlace { $0.apps[app]?.manifest.hasBroadcasts == true }
    }
  }

  private func take(_ input: Input, on handset: Resident, at now: Moment, in round: inout Round) -> Verdict {
    let (id, place) = (handset.id, round.turns.count)
    round.turns.append(spareTurns.isEmpty ? HandsetTurn(handset: id, turn: Turn(now: now)) : spareTurns.removeLast())
    (round.turns[place].handset, round.turns[place].turn.now) = (id, now)
    handset.inPlace { $0.handle(input, &round.turns[place].turn) }
    if handset.batch != batches {
      handset.batch = batches
      round.handsets.append(handset)
    }
    if recorder != nil { round.inputs.append(RecordedInput(handset: id, input: input, moment: now)) }
    if round.turns[place].turn.changesTokens {
      for case .token(let token, _, let after) in round.turns[place].turn.changes {
        settle(token, after == nil ? nil : id, on: id)
      }
    }
    for effect in round.turns[place].turn.effects {
      switch effect {
      case .play(let choice) where id == board:
        // A newer sound replaces the last one before it begins: only the last one of a batch plays (rule A4).
        if let last = round.sound {
          round.turns[last.turn].turn.dropSound(of: last.push, .soundReplaced)
          if recorder != nil { round.inputs[last.turn].replaced.append(last.push) }
        }
        round.sound = (place, choice.push)
      // It ends in another way.
      case .silence where id == board: round.sound = nil
      case .launchApp(let app, let response):
        round.concernsApps = true
        guard let response else { continue }
        round.openedPayloads[AppAddress(app, on: id), default: [:]][response.push] =
          payload(of: response.notification, on: id, in: round)
      case .deliver, .extend, .tellDelivered, .leftForeground, .stopApp, .mint: round.concernsApps = true
      case .play, .silence, .vibrate, .stopSound: break
      }
    }
    if !round.isDurable { round.isDurable = input.mustBeDurable(after: round.turns[place].turn) }
    return round.turns[place].turn.verdict
  }

  private func owner(of input: Input) -> Resident {
    guard let token = input.token else { return handset(board) }
    if let lastOwner, lastOwner.token == token { return lastOwner.handset }
    let owner = handset(tokenOwners[token] ?? board)
    lastOwner = (token, owner)
    return owner
  }

  /// - Parameters:
  ///   - owner: nil if the handset forgot the token.
  ///   - handset: the handset that reports this; another one's token remains unchanged.
  private func settle(_ token: DeviceToken, _ owner: HandsetID?, on handset: HandsetID) {
    guard tokenOwners[token, default: handset] == handset else { return }
    tokenOwners[token] = owner
    lastOwner = nil
  }

  /// Returns the handsets that are due; all of them if the wall clock was set, since their wall deadlines have moved.
  private func due(at now: Moment, in round: inout Round) -> [HandsetID] {
    let step = now.skew - clockSkew
    guard step >= Policy.wallClockStep || step <= .zero - Policy.wallClockStep else {
      return deadlines.due(at: now, limit: InputQueue.Limits.batch)
    }
    round.clockSkew = now.skew
    return handsets.keys.sorted()
  }

  private func publish(_ round: Round) {
    let now = clock.now()
    var batch = CommittedBatch(
      turns: round.turns, presentations: [:], payloads: round.openedPayloads, waited: round.waited,
      concernsApps: round.concernsApps)
    for handset in round.handsets {
      let (presentation, deadline) = handset.inPlace { ($0.presentation(at: now), $0.wakeAt(after: now)) }
      batch.presentations[handset.id] = presentation
      deadlines.set(handset.id, to: deadline)
    }
    for item in round.concernsApps ? round.turns : [] {
      for case .deliver(let delivery) in item.turn.effects {
        batch.payloads[AppAddress(delivery.app, on: item.handset), default: [:]][delivery.push] =
          payload(of: delivery, on: item.handset)
      }
      for case .tellDelivered(let app) in item.turn.effects {
        batch.delivered[AppAddress(app, on: item.handset)] = delivered(of: app, on: item.handset)
      }
    }
    if !round.broadcasts.isEmpty { batch.broadcasts = round.broadcasts }
    for sink in sinks { sink.publish(batch) }
  }

  private func payload(of delivery: Delivery, on handset: HandsetID) -> [UInt8]? {
    do {
      return try store.offeredPayload(of: delivery.app, push: delivery.push, handset: handset)
    } catch {
      logger.error("\(delivery.app): push \(delivery.push) cannot be read and is not given to it: \(error)")
      return nil
    }
  }

  private func delivered(of app: AppID, on id: HandsetID) -> [DeliveredNotification] {
    let newest = handset(id).inPlace { $0.listed(of: app).suffix(AppLinkLimits().deliveredNotifications).reversed() }
    do {
      return try newest.map {
        DeliveredNotification($0, try store.content(of: $0.id, handset: id)?.shortened(for: .center))
      }
    } catch {
      logger.error("\(app): its notifications cannot be read and are not sent to it: \(error)")
      return []
    }
  }

  /// Returns the payload of a notification that is stored, or that came in the same batch.
  private func payload(of notification: NotificationID, on handset: HandsetID, in round: Round) -> [UInt8]? {
    for item in round.turns.reversed() where item.handset == handset {
      for case .notification(let change) in item.turn.changes where change.after?.id == notification {
        if let content = change.content { return content.payload }
      }
    }
    do {
      return try store.content(of: notification, handset: handset)?.payload
    } catch {
      logger.error("notification \(notification) cannot be read, and its app does not get the payload: \(error)")
      return nil
    }
  }

  private func undo(_ round: Round, _ batch: InputQueue.Batch, _ why: String) {
    for item in round.turns.reversed() {
      handset(item.handset).inPlace { $0.undo(item.turn.changes) }
      for case .token(let token, let before, _) in item.turn.changes.reversed() {
        settle(token, before == nil ? nil : item.handset, on: item.handset)
      }
    }
    failedCommits += 1
    if !storeFails {
      storeFails = true
      logger.error("nothing can be stored, pushes are answered with 503 until it can: \(why)")
      devices.set(DeviceTable.store, problem: why)
    }
    for entry in batch.entries { entry.completion?(.failed(why)) }
    for entry in batch.streams { entry.completion(why) }
    // Due inputs remain due, but not at once: on a full disk they would be repeated without pause.
    if retryPause == .zero {
      retryPause = Limits.firstRetryPause
    } else if batch.entries.contains(where: { $0.input.isWake }) {
      retryPause = min(retryPause * 2, Limits.longestRetryPause)
    }
    wakeAgain(after: batch)
  }

  private func wakeAgain(after batch: InputQueue.Batch) {
    waker.set(deadlines.earliest, after: retryPause, again: batch.entries.contains { $0.input.isWake })
  }

  /// Gives free pages of the store back while no input waits.
  private func giveBack() async {
    do {
      // A little at a time: new inputs come first.
      while isToGiveBack, queue.isEmpty, try store.giveBack() { await executor.othersFirst() }
    } catch {
      logger.debug("free pages stay in the database: \(error)")
    }
    isToGiveBack = false
  }
}

/// The number of inputs in a batch that takes little time, estimated from the previous batch. While one app pushes
/// without pause, another app's push waits for the rest of the batch that is being stored, and for its own.
struct BatchPace {
  /// The intended duration of a batch if several apps push.
  static let duration: Duration = .milliseconds(8)
  /// The least limit of a batch: a commit of few inputs takes almost as long.
  static let fewest = 16

  private(set) var limit = InputQueue.Limits.batch

  /// Notes a batch of `count` inputs.
  /// - Parameter time: the processor's, from the first of them to the last answer and sink. The wait for the disk does
  ///   not count: a commit of fewer inputs waits as long, and more commits wait more often.
  mutating func note(_ count: Int, took time: Duration) {
    let fitting = Double(count) * (BatchPace.duration / max(time, .microseconds(1)))
    limit = Int(min(max(fitting, Double(BatchPace.fewest)), Double(InputQueue.Limits.batch)))
  }
}

/// The kernel's identifier of the current boot: after a boot of the board no app runs, and uptime counts anew.
public enum BootID {
  /// Returns the kind of start: the board, if its boot differs from the noted one, or only the daemon.
  public static func start(by store: HandsetStore) throws(StoreError) -> Start {
    guard let boot = current else { return .daemon }
    return try store.meta(.bootID) == boot ? .daemon : .board
  }

  static func note(in store: HandsetStore) throws(StoreError) {
    guard let boot = current, try store.meta(.bootID) != boot else { return }
    try store.setMeta(.bootID, boot)
  }

  private static var current: String? {
    let bytes = try? readFile("/proc/sys/kernel/random/boot_id", atMost: 64)
    return bytes.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
  }
}
