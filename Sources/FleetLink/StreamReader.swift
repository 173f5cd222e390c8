// A consumer gives what it is asked for. What arrives while the reader is busy gathers here, no more than two requests
// bring, and is taken at once: so it shares a commit, as pushes from connections do.

import NATSClient
import NIOCore
import Synchronization

/// Reads a stream through a pull consumer, message by message in their order.
public final class StreamReader: Sendable {
  enum Limits {
    /// Messages of one request, and the bytes in them.
    static let batch = 256
    static let batchBytes = 1024 * 1024
    /// How long a request stays open. Meanwhile the engine says that it is there.
    static let open = TimeAmount.seconds(60)
    static let heartbeat = TimeAmount.seconds(10)
    /// After so long without a word the consumer is taken for lost.
    static let silence = TimeAmount.seconds(25)
  }

  private struct State {
    var isRunning = false
    var received: [StreamMessage] = []
    /// Messages that the open request may still bring; none is open where it is 0.
    var expected = 0
    var request = 0
    var heard = NIODeadline.now()
    var problem: JetStreamError?
    var waiting: CheckedContinuation<Void, Never>?
    var isWatched = false
  }

  private let connection: NATSConnection
  private let subject: String
  private let inbox: String
  private let eventLoop: any EventLoop
  private let subscription = Mutex<NATSConnection.Subscription?>(nil)
  private let state = Mutex(State())

  public init(_ consumer: String, of stream: String, over connection: NATSConnection, eventLoop: any EventLoop) {
    self.connection = connection
    self.eventLoop = eventLoop
    subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)"
    inbox = connection.makeInbox()
    let subscription = connection.subscribe(to: "\(inbox).*") { [weak self] in self?.receive($0) }
    self.subscription.withLock { $0 = subscription }
  }

  deinit {
    if let subscription = subscription.withLock(\.self) { connection.unsubscribe(subscription) }
  }

  /// Forgets what has arrived, and begins to ask.
  public func start() {
    state.withLock { state in
      (state.isRunning, state.received, state.expected, state.problem) = (true, [], 0, nil)
      state.heard = .now()
    }
    ask()
    watch()
  }

  /// Messages that have arrived; waits for the first.
  /// - Throws: `JetStreamError` where none will come before the next `start`.
  public func next() async throws(JetStreamError) -> [StreamMessage] {
    while true {
      let (messages, problem, asks) = state.withLock { state in
        defer { state.received = [] }
        return (state.received, state.problem, state.isRunning && state.expected == 0)
      }
      if asks { ask() }
      if !messages.isEmpty { return messages }
      if let problem { throw problem }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let goesOn = state.withLock { state in
            guard state.received.isEmpty, state.problem == nil, state.expected > 0 else { return true }
            state.waiting = continuation
            return false
          }
          if goesOn { continuation.resume() }
        }
      } onCancel: {
        stop(JetStreamError(code: 0, problem: "nobody reads any more", isTransient: false))
      }
    }
  }

  /// Nothing more will come: the connection is lost, or the work is over.
  public func stop(_ problem: JetStreamError) {
    change { state in
      (state.isRunning, state.problem, state.received) = (false, problem, [])
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiting = state.withLock { state in
      body(&state)
      guard state.problem != nil || !state.received.isEmpty || state.expected == 0 else {
        return CheckedContinuation<Void, Never>?.none
      }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  private func ask() {
    let number = state.withLock { state in
      (state.request, state.expected) = (state.request + 1, Limits.batch)
      return state.request
    }
    let body =
      "{\"batch\":\(Limits.batch),\"max_bytes\":\(Limits.batchBytes),\"expires\":\(Limits.open.nanoseconds),"
      + "\"idle_heartbeat\":\(Limits.heartbeat.nanoseconds)}"
    let message = NATSMessage(subject: subject, reply: "\(inbox).\(number)", payload: Array(body.utf8))
    if !connection.publish(message) {
      stop(JetStreamError(code: 0, problem: "there is no connection", isTransient: true))
    }
  }

  private func receive(_ message: NATSMessage) {
    if let delivered = StreamMessage(message) {
      return change { state in
        guard state.isRunning else { return }
        state.received.append(delivered)
        (state.expected, state.heard) = (max(0, state.expected - 1), .now())
      }
    }
    guard let status = message.status else { return }
    let text = message.fields["Description"] ?? "status \(status)"
    change { state in
      state.heard = .now()
      // Of an earlier request, whose messages may have come with this one's.
      guard message.subject == "\(inbox).\(state.request)" else { return }
      switch status {
      case 100: break
      case 404, 408: state.expected = 0
      // The request is used up.
      case 409 where text.hasPrefix("Batch Completed") || text.hasPrefix("Message Size"): state.expected = 0
      default:
        state.isRunning = false
        state.problem = JetStreamError(
          code: status == 503 ? JetStreamError.noConsumer : status, problem: text, isTransient: true)
      }
    }
  }

  private func watch() {
    let begins = state.withLock { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if begins { scheduleWatch() }
  }

  private func scheduleWatch() {
    eventLoop.scheduleTask(in: Limits.heartbeat) { [weak self] in
      guard let self else { return }
      let (goesOn, isSilent) = state.withLock { state in
        state.isWatched = state.isRunning
        return (state.isRunning, state.heard + Limits.silence < .now())
      }
      if isSilent && goesOn {
        stop(JetStreamError(code: 0, problem: "the engine has fallen silent", isTransient: true))
      }
      if goesOn { scheduleWatch() }
    }
  }
}
