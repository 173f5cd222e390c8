// The one handset, and around it what it must not have itself: a clock, a store, outputs. Inputs come in through the
// mailbox; a batch of them is applied, stored in one commit, answered, and only then shown.

import Clocks
import HandsetCore
import HandsetJournal
import HandsetStore
import Logging
import Synchronization

/// Where the handset's decisions go. Called on the host's thread; nothing here may block.
protocol HostOutput: Sendable {
  /// Draws what should be visible: the newest wins, the same twice changes nothing.
  func show(_ presentation: Presentation)
  /// Does what happens once.
  func perform(_ effect: Effect)
  /// Gives a push to its app.
  func deliver(_ delivery: Delivery, payload: [UInt8])
  /// Asks for `Input.wake` at that deadline instead of the one before; nil where nothing is due.
  /// - Parameter pause: of real time, which is waited for at least, also where the deadline has come.
  func wake(at deadline: Deadline?, after pause: Duration)
  /// There are new events in the journal.
  func eventsArrived()
  /// The store begins or ceases to fail.
  /// - Parameter problem: why the last commit failed; nil where one succeeded again.
  func storeChanged(problem: String?)
}

extension HostOutput {
  func storeChanged(problem: String?) {}
}

actor Host {
  enum Limits {
    /// How long what fell due and could not be stored waits for its next try: the first time, and at most. Each failure
    /// doubles it.
    static let firstRetryPause: Duration = .milliseconds(100)
    static let longestRetryPause: Duration = .seconds(10)
  }

  private var handset: Handset
  private let store: HandsetStore
  private let number: HandsetNumber
  private let clock: any Clock
  private let output: any HostOutput
  private let logger: Logger
  private let journal: InputJournal?
  private var storeFails = false
  /// Zero while the store works.
  private var retryPause: Duration = .zero

  /// Whether the store's free pages are being given back.
  private var givesBack = false

  private nonisolated let mailbox = Mailbox()
  private nonisolated let executor: HostExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - store: belongs to the host from now on.
  ///   - journal: where inputs are recorded; belongs to the host from now on.
  init(
    handset number: HandsetNumber, contents: Handset.Contents, store: sending HandsetStore, executor: HostExecutor,
    clock: any Clock, output: any HostOutput, logger: Logger, journal: sending InputJournal? = nil
  ) {
    self.number = number
    self.handset = Handset(contents)
    self.store = store
    self.executor = executor
    self.clock = clock
    self.output = output
    self.logger = logger
    self.journal = journal
  }

  // MARK: Inputs

  /// Hands the input in. Never blocks.
  /// - Parameters:
  ///   - durable: whether to wait for the disk; else it is there with the next commit that waits.
  ///   - completion: called exactly once, on any thread, when the input is stored or will never be.
  nonisolated func submit(
    _ input: Input, durable: Bool = true, completion: @escaping @Sendable (Mailbox.Outcome) -> Void
  ) {
    let (taken, wasIdle) = mailbox.put(Mailbox.Letter(input: input, completion: completion, isDurable: durable))
    guard taken else { return completion(.failed("as many inputs as can are waiting already")) }
    if wasIdle { startEmptying() }
  }

  /// Hands in what nobody waits for. Never blocks; past `Mailbox.Limits.reports` it is dropped.
  nonisolated func report(_ input: Input) {
    if mailbox.put(Mailbox.Letter(input: input, completion: nil)).wasIdle { startEmptying() }
  }

  /// Hands the input in and waits until it is stored.
  nonisolated func submit(_ input: Input, durable: Bool = true) async -> Mailbox.Outcome {
    await withCheckedContinuation { continuation in
      submit(input, durable: durable) { continuation.resume(returning: $0) }
    }
  }

  /// Calls back on the host's thread once it has done what came before: never, where that hangs.
  nonisolated func whenAtHand(_ body: @escaping @Sendable () -> Void) {
    executor.submit { self.assumeIsolated { _ in body() } }
  }

  // MARK: Reading

  /// Reads the handset, its store and the moment together; nothing changes in between.
  func read<Answer: Sendable>(
    _ body: @Sendable (Handset, HandsetStore, HandsetNumber, Moment) throws -> Answer
  ) rethrows -> Answer {
    try body(handset, store, number, clock.now())
  }

  /// Changes what the store holds beside the handset.
  func write<Answer: Sendable>(_ body: @Sendable (HandsetStore) throws -> Answer) rethrows -> Answer {
    try body(store)
  }

  /// Draws it all again, for an output that came later.
  func showAgain() {
    output.show(handset.presentation(at: clock.now()))
  }

  // MARK: Batches

  private nonisolated func startEmptying() {
    executor.submit { self.assumeIsolated { $0.empty() } }
  }

  private func empty() {
    while true {
      let (letters, dropped) = mailbox.take()
      if dropped > 0 { logger.warning("\(dropped) reports were dropped: more came than could be written down") }
      guard !letters.isEmpty else {
        if !givesBack { giveBack() }
        return
      }
      handle(letters)
    }
  }

  /// A little at a time: what comes meanwhile comes first.
  private func giveBack() {
    do {
      givesBack = try store.giveBack()
    } catch {
      givesBack = false
      logger.debug("no room is given back: \(error)")
    }
    if givesBack { executor.submit { self.assumeIsolated { $0.giveBack() } } }
  }

  private func handle(_ letters: [Mailbox.Letter]) {
    var turns: [Turn] = []
    turns.reserveCapacity(letters.count)
    var moments: [Moment] = []
    for letter in letters {
      let now = clock.now()
      turns.append(handset.handle(letter.input, at: now))
      if journal != nil { moments.append(now) }
    }
    do {
      try store.commit(turns, of: number, durable: letters.contains { $0.completion != nil && $0.isDurable })
    } catch {
      undo(turns, letters, "\(error)")
      return
    }
    retryPause = .zero
    if storeFails {
      storeFails = false
      logger.notice("the store works again")
      output.storeChanged(problem: nil)
    }
    // What was not stored did not happen. Before the answers: whoever has one finds the input in the journal.
    journal?.record(zip(letters, moments).map { (.first, $0.input, $1) }) { [.first: handset.contents] }
    for (letter, turn) in zip(letters, turns) { letter.completion?(.stored(turn.verdict)) }
    output.show(handset.presentation(at: clock.now()))
    for turn in turns {
      for effect in turn.effects { perform(effect) }
    }
    output.wake(at: handset.wakeAt(after: clock.now()), after: retryPause)
    if turns.contains(where: { !$0.events.isEmpty }) { output.eventsArrived() }
  }

  private func perform(_ effect: Effect) {
    guard case .deliver(let delivery) = effect else { return output.perform(effect) }
    do {
      // One that is not there any more ended within the batch that offered it.
      guard let payload = try store.offeredPayload(of: delivery.app, push: delivery.push, handset: number) else {
        return
      }
      output.deliver(delivery, payload: payload)
    } catch {
      logger.error("\(delivery.app): push \(delivery.push) cannot be read and is not given to it: \(error)")
    }
  }

  private func undo(_ turns: [Turn], _ letters: [Mailbox.Letter], _ why: String) {
    handset.undo(turns.flatMap(\.changes))
    if !storeFails {
      storeFails = true
      logger.error("nothing can be stored, pushes are answered with 503 until it can: \(why)")
      output.storeChanged(problem: why)
    }
    for letter in letters { letter.completion?(.failed(why)) }
    // What is due stays due: at once again would be again and again for as long as the disk is full.
    if retryPause == .zero {
      retryPause = Limits.firstRetryPause
    } else if letters.contains(where: \.input.isWake) {
      retryPause = min(retryPause * 2, Limits.longestRetryPause)
    }
    output.wake(at: handset.wakeAt(after: clock.now()), after: retryPause)
  }
}

extension Input {
  fileprivate var isWake: Bool { if case .wake = self { true } else { false } }
}
