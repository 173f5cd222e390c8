// A consumer delivers the messages that were requested. Those that arrive while the reader is busy are collected here,
// at most two requests' worth, and are taken together, to share a commit, as pushes from connections do.

import NATSClient
import NIOCore
import Synchronization
import SystemThreads

/// A reader of a stream through a pull consumer, message by message in their order, until its end or a fault.
public final class StreamReader: Sendable {
  enum Limits {
    static let batch = 256
    static let batchBytes = 1024 * 1024
    /// The time for which a request stays open. Meanwhile the servers send heartbeats.
    static let open = TimeAmount.seconds(60)
    static let heartbeat = TimeAmount.seconds(2)
    /// The silence after which the consumer counts as lost.
    static let silence = TimeAmount.seconds(5)
    /// The time for which other servers may not know the new consumer yet, and the interval between requests.
    static let unknown = TimeAmount.seconds(2)
    static let pause = TimeAmount.milliseconds(20)
  }

  private struct State {
    var received: [StreamMessage] = []
    /// The number of messages that the open request may still bring; 0 if none is open.
    var expected = 0
    var request = 0
    var heard = NIODeadline.now()
    /// The time until which servers may not know the consumer; nil after its first message.
    var unknown: NIODeadline? = NIODeadline.now() + Limits.unknown
    var problem: NATSError?
  }

  private let connection: NATSConnection
  private let subject: String
  private let inbox: String
  private let subscription = Mutex<NATSConnection.Subscription?>(nil)
  private let state = Mutex(State())
  /// Sent when `next` has something to do.
  private let news = Signal<Void>()

  public init(_ consumer: String, of stream: String, over connection: NATSConnection) {
    self.connection = connection
    subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)"
    inbox = connection.makeInbox()
    let subscription = connection.subscribe(to: "\(inbox).*") { [weak self] in
      self?.receive($0)
    } lost: { [weak self] in
      self?.stop(NATSError($0))
    }
    self.subscription.withLock { $0 = subscription }
    ask()
    scheduleWatch()
  }

  /// Waits for messages and returns those that have arrived.
  /// - Throws: `NATSError` if none will come.
  public func next() async throws(NATSError) -> [StreamMessage] {
    while true {
      let (messages, problem, asks) = state.withLock { state in
        (exchange(&state.received, with: []), state.problem, state.problem == nil && state.expected == 0)
      }
      if asks { ask() }
      if !messages.isEmpty { return messages }
      if let problem { throw problem }
      var news = news.values.makeAsyncIterator()
      // The signal ends if the task is cancelled.
      if await news.next() == nil { stop() }
    }
  }

  /// Ends the reading: the connection is lost, or the work is done.
  public func stop(_ problem: NATSError = NATSError("nobody reads any more", isTransient: false)) {
    change { state in
      (state.problem, state.received) = (state.problem ?? problem, [])
    }
    // The servers do not send to an address without a subscriber.
    if let subscription = subscription.withLock({ exchange(&$0, with: nil) }) { connection.unsubscribe(subscription) }
  }

  private func change(_ body: (inout State) -> Void) {
    let isNews = state.withLock { state in
      body(&state)
      return state.problem != nil || !state.received.isEmpty || state.expected == 0
    }
    if isNews { news.send() }
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
      stop(NATSError("there is no connection"))
    }
  }

  private func receive(_ message: NATSMessage) {
    if let delivered = StreamMessage(message) {
      return change { state in
        guard state.problem == nil else { return }
        state.received.append(delivered)
        (state.expected, state.heard, state.unknown) = (max(0, state.expected - 1), .now(), nil)
      }
    }
    guard let status = message.status else { return }
    let text = message.fields["Description"] ?? "status \(status)"
    var problem: NATSError?
    var asksAgain = false
    change { state in
      state.heard = .now()
      // A message of an earlier request, whose messages may have arrived together with this one's.
      guard message.subject == "\(inbox).\(state.request)" else { return }
      if status == 503, let unknown = state.unknown, .now() < unknown {
        asksAgain = true
        return
      }
      state.unknown = nil
      switch status {
      case 100: break
      case 404, 408: state.expected = 0
      // The request is used up.
      case 409 where text.hasPrefix("Batch Completed") || text.hasPrefix("Message Size"): state.expected = 0
      default:
        problem = NATSError(text, code: status == 503 ? NATSError.noConsumer : status)
      }
    }
    if let problem { stop(problem) }
    if asksAgain {
      connection.eventLoop.scheduleTask(in: Limits.pause) { [weak self] in
        if let self, state.withLock({ $0.problem == nil }) { ask() }
      }
    }
  }

  private func scheduleWatch() {
    connection.eventLoop.scheduleTask(in: Limits.heartbeat) { [weak self] in
      guard let self else { return }
      let (goesOn, isSilent) = state.withLock { ($0.problem == nil, $0.heard + Limits.silence < .now()) }
      guard goesOn else { return }
      if isSilent {
        stop(NATSError("the servers have fallen silent"))
      } else {
        scheduleWatch()
      }
    }
  }
}

/// A message of a stream, as a consumer delivers it.
public struct StreamMessage: Sendable {
  public var message: NATSMessage
  public var sequence: UInt64
  /// The number of the consumer's delivery, from 1.
  public var delivery: UInt64
  /// The number of messages that wait behind it.
  public var pending: UInt64

  /// Reads a message; nil if it is not from a stream. The position is part of the address for the acknowledgement,
  /// `$JS.ACK.STREAM.CONSUMER.ATTEMPTS.SEQUENCE.DELIVERY.TIME.PENDING`; some versions add domain and account hash
  /// before the stream and a random word at the end.
  init?(_ message: NATSMessage) {
    guard let reply = message.reply else { return nil }
    let words = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count >= 9, words[0] == "$JS", words[1] == "ACK" else { return nil }
    let first = words.count == 9 ? 4 : 6
    guard words.count > first + 4, let sequence = UInt64(words[first + 1]), let delivery = UInt64(words[first + 2]),
      let pending = UInt64(words[first + 4])
    else { return nil }
    self.message = message
    self.sequence = sequence
    self.delivery = delivery
    self.pending = pending
  }
}

/// A position in a stream, and the number of messages that waited when the reading began. A reader stores its position
/// itself. For each connection it creates a consumer that begins there. So the servers keep no record of deliveries, which
/// could differ from the stored position.
public struct StreamPlace: Sendable {
  /// The position of the last message that was taken.
  public private(set) var sequence: UInt64
  /// The number of messages that waited when the reading began and have not arrived yet.
  public private(set) var backlog: UInt64
  private var deliveries: UInt64 = 0

  public init(sequence: UInt64, backlog: UInt64) {
    (self.sequence, self.backlog) = (sequence, backlog)
  }

  /// Records a message.
  /// - Returns: if it waited while there was no reader, and if it is the last one that waited.
  /// - Throws: `NATSError` if one before it is missing.
  public mutating func take(_ message: StreamMessage) throws(NATSError) -> (isBacklog: Bool, endsBacklog: Bool) {
    guard message.delivery == deliveries + 1, message.sequence > sequence else {
      throw NATSError("a message of the stream is missing")
    }
    (deliveries, sequence) = (message.delivery, message.sequence)
    guard backlog > 0 else { return (isBacklog: false, endsBacklog: false) }
    // Some of the waiting messages may have expired meanwhile.
    backlog = min(backlog - 1, message.pending)
    return (isBacklog: true, endsBacklog: backlog == 0)
  }
}
