// libnats connects, reads and reconnects on threads of its own. Requests are implemented here: the library's block a
// thread for each, and its asynchronous publications do not report which of them was acknowledged (3.4.1).

import CNATS
import Glibc
import NIOCore
import Synchronization
import SystemThreads

/// A connection to one server of a cluster, and after a loss to another.
public final class NATSConnection: Sendable {
  enum Limits {
    /// The requests that may wait for their answers; one more fails at once.
    static let requests = 16_384
    /// The interval between searches for overdue requests.
    static let sweep = TimeAmount.milliseconds(100)
    /// The pause after the library has given up because it was refused: the first one, and later ones. The first is
    /// short, because the library omits one signature in 256, whose first byte is 0 (3.4.1).
    static let firstPause = TimeAmount.milliseconds(50)
    static let pause = TimeAmount.seconds(5)
  }

  /// The identity of a subscription.
  public struct Subscription: Hashable, Sendable {
    let number: Int
  }

  private struct Subscriber {
    var subject: String
    var receive: @Sendable (NATSMessage) -> Void
    var lost: @Sendable (String) -> Void
  }

  public typealias Answer = Result<NATSMessage, NATSError>

  private struct Request {
    var deadline: NIODeadline
    var completion: @Sendable (Answer) -> Void
  }

  private struct State {
    var report: @Sendable (NATSReport) -> Void = { _ in }
    var handle: NATSHandle?
    /// True once the handle and all subscriptions exist; the library may connect before that.
    var isOpen = false
    var wasConnectedEarly = false
    var isConnected = false
    /// True if the servers have refused the connection since it was last connected.
    var isRefused = false
    var isEnding = false
    var requests: [UInt64: Request] = [:]
    var nextRequest: UInt64 = 0
    var isSwept = false
    var subscriptions: [Subscription: Subscriber] = [:]
    var nextSubscription = 0
  }

  private let servers: NATSServers
  /// The event loop of the timers.
  public let eventLoop: any EventLoop
  /// The prefix of the subjects for answers, followed by a number. Used by this connection only.
  private let answers: String
  private let state = Mutex(State())

  /// - Throws: `NATSError` if libnats is missing, or cannot use the parameters.
  public init(_ servers: NATSServers, eventLoop: any EventLoop) throws(NATSError) {
    if let why = cnats_open() {
      throw NATSError("\(String(cString: why)); apt-get install \(NATSConnection.package)", isTransient: false)
    }
    for case let file? in [servers.authorityFile, servers.key?.seedFile] where access(file, R_OK) != 0 {
      throw NATSError("\(file): \(SystemError.last)", isTransient: false)
    }
    (self.servers, self.eventLoop) = (servers, eventLoop)
    answers = "\(servers.inbox).\(String(UInt64.random(in: 0 ... .max), radix: 36))."
    subscribe(to: answers + "*") { [weak self] in self?.answer($0) }
  }

  /// Connects, and reconnects until `end`.
  /// - Parameter report: called on threads of the library. Must not block.
  public func start(report: @escaping @Sendable (NATSReport) -> Void) {
    state.withLock { $0.report = report }
    connect()
  }

  private func report(_ report: NATSReport) { state.withLock { $0.report }(report) }

  /// The name of the library's package in Debian.
  public static var package: String { "libnats\(NATS_VERSION_MAJOR).\(NATS_VERSION_MINOR)" }

  public var isConnected: Bool { state.withLock(\.isConnected) }

  // MARK: Sending

  /// Sends a message without an answer. On any thread.
  /// - Returns: true if the kernel has it; it may still be lost.
  @discardableResult
  public func publish(_ message: NATSMessage) -> Bool {
    guard message.isAddressed, let handle = state.withLock({ $0.isConnected ? $0.handle : nil }) else { return false }
    return handle.publish(message) == NATS_OK
  }

  /// Sends a message with an address for the answer. On any thread.
  /// - Parameter completion: called exactly once, on any thread. Must not block.
  public func request(
    _ message: NATSMessage, within time: TimeAmount, completion: @escaping @Sendable (Answer) -> Void
  ) {
    let request = Request(deadline: .now() + time, completion: completion)
    let (handle, number, sweeps) = state.withLock { state -> (NATSHandle?, UInt64, Bool) in
      guard state.isConnected, let handle = state.handle, state.requests.count < Limits.requests else {
        return (nil, 0, false)
      }
      defer { (state.nextRequest, state.isSwept) = (state.nextRequest + 1, true) }
      state.requests[state.nextRequest] = request
      return (handle, state.nextRequest, !state.isSwept)
    }
    guard let handle else { return completion(.failure(NATSError("there is no connection"))) }
    guard message.isAddressed else {
      state.withLock { $0.requests[number] = nil }
      return completion(.failure(NATSError("'\(message.subject)' is no subject", isTransient: false)))
    }
    if sweeps { eventLoop.scheduleTask(in: Limits.sweep) { [weak self] in self?.sweep() } }
    var message = message
    message.reply = answers + String(number, radix: 36)
    let status = handle.publish(message)
    guard status != NATS_OK, let request = state.withLock({ $0.requests.removeValue(forKey: number) }) else { return }
    request.completion(.failure(NATSError(NATSConnection.text(status))))
  }

  public func request(_ message: NATSMessage, within time: TimeAmount) async throws(NATSError) -> NATSMessage {
    let answer = await withCheckedContinuation { continuation in
      request(message, within: time) { continuation.resume(returning: $0) }
    }
    return try answer.get()
  }

  /// - Parameters:
  ///   - receive: called for each message to the subject, in their order, on a thread of the library. Must not block.
  ///   - lost: called with the reason when the connection is lost. The subscription stays.
  @discardableResult
  public func subscribe(
    to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void,
    lost: @escaping @Sendable (String) -> Void = { _ in }
  ) -> Subscription {
    let (subscription, handle) = state.withLock { state in
      let subscription = Subscription(number: state.nextSubscription)
      state.nextSubscription += 1
      state.subscriptions[subscription] = Subscriber(subject: subject, receive: receive, lost: lost)
      return (subscription, state.handle)
    }
    handle?.subscribe(subscription, to: subject, receive)
    return subscription
  }

  public func unsubscribe(_ subscription: Subscription) {
    let handle = state.withLock { state in
      state.subscriptions[subscription] = nil
      return state.handle
    }
    handle?.unsubscribe(subscription)
  }

  /// Returns a new subject that only this connection receives from.
  public func makeInbox() -> String {
    "\(servers.inbox).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  /// Ends the connection. Requests fail, and no reports follow.
  public func end() {
    let handle = state.withLock { state in
      (state.isEnding, state.isConnected) = (true, false)
      return state.handle
    }
    failRequests("the connection is closed")
    handle?.close()
  }

  // MARK: Answers

  private func answer(_ message: NATSMessage) {
    guard let number = UInt64(message.subject.dropFirst(answers.count), radix: 36),
      let request = state.withLock({ $0.requests.removeValue(forKey: number) })
    else { return }
    guard message.status != 503 else {
      return request.completion(.failure(NATSError("nobody answers for it")))
    }
    request.completion(.success(message))
  }

  private func sweep() {
    let now = NIODeadline.now()
    let (late, goesOn) = state.withLock { state in
      let late = state.requests.filter { $0.value.deadline <= now }
      for number in late.keys { state.requests[number] = nil }
      state.isSwept = !state.requests.isEmpty
      return (late.values, state.isSwept)
    }
    if goesOn { eventLoop.scheduleTask(in: Limits.sweep) { [weak self] in self?.sweep() } }
    for request in late { request.completion(.failure(NATSError("there was no answer in time"))) }
  }

  private func failRequests(_ why: String) {
    let requests = state.withLock { exchange(&$0.requests, with: [:]) }
    for request in requests.values { request.completion(.failure(NATSError(why))) }
  }

  // MARK: Connecting

  /// Runs on a thread of its own, because the library tries each server once before it returns.
  private func connect() {
    do throws(SystemError) {
      try SystemThread(named: "nats") { self.open() }.detach()
    } catch {
      lose("\(error)")
      tryAgain()
    }
  }

  private func open() {
    let object = Unmanaged.passRetained(self).toOpaque()
    var connection: OpaquePointer?
    let status = NATSConnection.withSettings(servers) { settings in
      withUnsafePointer(to: settings) { cnats_connect(&connection, $0, object, NATSConnection.callbacks) }
    }
    guard let connection, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
      Unmanaged<NATSConnection>.fromOpaque(object).release()
      lose(NATSConnection.text(status))
      return tryAgain()
    }
    // Reported first, because the library's next attempt may succeed at any time. Nothing was sent or subscribed yet.
    if status != NATS_OK, !state.withLock(\.isEnding) { report(.lost(problem: "no server answers")) }
    let handle = NATSHandle(connection)
    let (subscriptions, isEnding) = state.withLock { state in
      state.handle = handle
      return (state.subscriptions, state.isEnding)
    }
    guard !isEnding else { return handle.close() }
    for (subscription, content) in subscriptions {
      handle.subscribe(subscription, to: content.subject, content.receive)
    }
    let isConnected = state.withLock { state in
      defer { (state.isOpen, state.wasConnectedEarly) = (true, false) }
      return status == NATS_OK || state.wasConnectedEarly
    }
    if isConnected { connected() }
  }

  private func connected() {
    let isNew = state.withLock { state in
      state.wasConnectedEarly = !state.isOpen
      guard state.isOpen, !state.isEnding, !state.isConnected else { return false }
      (state.isConnected, state.isRefused) = (true, false)
      return true
    }
    if isNew { report(.connected) }
  }

  private func lose(_ problem: String) {
    let (isEnding, subscribers) = state.withLock { state in
      (state.isConnected, state.wasConnectedEarly) = (false, false)
      return (state.isEnding, state.subscriptions.values)
    }
    failRequests(problem)
    for subscriber in subscribers { subscriber.lost(problem) }
    if !isEnding { report(.lost(problem: problem)) }
  }

  private func closed(_ problem: String) {
    // Outside the lock: its end waits for the library's threads, which may wait for the lock.
    let handle = state.withLock { state in
      defer { (state.handle, state.isOpen) = (nil, false) }
      return state.handle
    }
    withExtendedLifetime(handle) { lose(problem) }
    tryAgain()
  }

  private func tryAgain() {
    let pause = state.withLock { state -> TimeAmount? in
      defer { state.isRefused = true }
      return state.isEnding ? nil : state.isRefused ? Limits.pause : Limits.firstPause
    }
    if let pause { eventLoop.scheduleTask(in: pause) { [weak self] in self?.connect() } }
  }

  // MARK: The library's calls

  private static let callbacks = cnats_callbacks(
    connected: { _, object in NATSConnection.of(object)?.connected() },
    lost: { connection, object in
      NATSConnection.of(object)?.lose(NATSConnection.why(connection) ?? "the connection is lost")
    },
    closed: { connection, object in
      guard let object else { return }
      Unmanaged<NATSConnection>.fromOpaque(object).takeRetainedValue().closed(
        NATSConnection.why(connection) ?? "the servers refuse the connection")
    },
    failed: { connection, _, status, object in
      let problem = NATSConnection.why(connection) ?? NATSConnection.text(status)
      NATSConnection.of(object)?.report(.failed(problem: problem))
    })

  private static func of(_ object: UnsafeMutableRawPointer?) -> NATSConnection? {
    object.map { Unmanaged<NATSConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func text(_ status: natsStatus) -> String { String(cString: cnats_text(status)) }

  /// Returns the library's reason; nil if it has none.
  private static func why(_ connection: OpaquePointer?) -> String? {
    let text = String(cString: cnats_why(connection))
    return text.isEmpty ? nil : text
  }

  private static func withSettings<Result>(_ servers: NATSServers, _ body: (cnats_settings) -> Result) -> Result {
    let texts = [
      servers.name, servers.key?.publicKey ?? "", servers.key?.seedFile ?? "", servers.authorityFile ?? "",
    ]
    return withCStrings(texts + servers.addresses.map(\.description)) { strings in
      var addresses = servers.addresses.indices.map { UnsafePointer(strings[texts.count + $0]) }
      return addresses.withUnsafeMutableBufferPointer { list in
        body(
          cnats_settings(
            servers: list.baseAddress, server_count: Int32(list.count), name: strings[0],
            public_key: servers.key == nil ? nil : strings[1], seed_file: servers.key == nil ? nil : strings[2],
            authority: servers.authorityFile == nil ? nil : strings[3],
            is_secure: servers.addresses.first?.isSecure ?? false))
      }
    }
  }
}

/// The library's connection.
private final class NATSHandle: @unchecked Sendable {
  // libnats locks its connections, so that any thread may call (nats.h, "natsConnection"). It is destroyed when no
  // caller is left.
  private let connection: OpaquePointer
  private let subscriptions = Mutex<[NATSConnection.Subscription: Place]>([:])

  init(_ connection: OpaquePointer) {
    self.connection = connection
  }

  deinit {
    for place in subscriptions.withLock(\.self).values { cnats_unsubscribe(place.pointer) }
    cnats_destroy(connection)
  }

  func close() { cnats_close(connection) }

  func publish(_ message: NATSMessage) -> natsStatus {
    let fields = message.fields.sorted { $0.key < $1.key }
    return withCStrings(fields.map(\.key) + fields.map(\.value)) { strings in
      var list = (0..<2 * fields.count).map { UnsafePointer(strings[$0]) }
      return list.withUnsafeMutableBufferPointer { list in
        message.payload.withUnsafeBytes {
          cnats_publish(
            connection, message.subject, message.reply, list.baseAddress,
            list.baseAddress.map { $0 + fields.count }, Int32(fields.count), $0.baseAddress, Int32($0.count))
        }
      }
    }
  }

  /// Subscribes until the connection is closed.
  func subscribe(
    _ name: NATSConnection.Subscription, to subject: String, _ receive: @escaping @Sendable (NATSMessage) -> Void
  ) {
    // The library does not document when its last call is, so the object lives as long as the process.
    let object = Unmanaged.passRetained(NATSSubscriber(receive)).toOpaque()
    var subscription: OpaquePointer?
    let status = cnats_subscribe(
      &subscription, connection, subject,
      { _, _, message, object in
        defer { cnats_free(message) }
        guard let object, let message else { return }
        Unmanaged<NATSSubscriber>.fromOpaque(object).takeUnretainedValue().receive(NATSMessage(message))
      }, object)
    guard status == NATS_OK, let subscription else { return }
    let twice = subscriptions.withLock { [place = Place(pointer: subscription)] subscriptions in
      guard subscriptions[name] == nil else { return true }
      subscriptions[name] = place
      return false
    }
    // The subscription was also made when the connection opened.
    if twice { cnats_unsubscribe(subscription) }
  }

  func unsubscribe(_ name: NATSConnection.Subscription) {
    let subscription = subscriptions.withLock { $0.removeValue(forKey: name) }
    if let subscription { cnats_unsubscribe(subscription.pointer) }
  }
}

/// The library's subscription, which it locks in the same way as connections.
private struct Place: @unchecked Sendable {
  let pointer: OpaquePointer
}

private final class NATSSubscriber: Sendable {
  let receive: @Sendable (NATSMessage) -> Void

  init(_ receive: @escaping @Sendable (NATSMessage) -> Void) {
    self.receive = receive
  }
}

extension NATSMessage {
  /// Copies the library's message.
  fileprivate init(_ message: OpaquePointer) {
    var length: Int32 = 0
    let bytes = cnats_payload(message, &length)
    self.init(
      subject: String(cString: cnats_subject(message)), reply: cnats_reply(message).map { String(cString: $0) },
      payload: Array(UnsafeRawBufferPointer(start: bytes, count: Int(length))))
    withUnsafeMutablePointer(to: &fields) { fields in
      cnats_fields(message, fields) { object, key, value in
        guard let key, let value else { return }
        object?.assumingMemoryBound(to: [String: String].self).pointee[String(cString: key)] = String(cString: value)
      }
    }
  }
}
