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

  public struct Subscription: Hashable, Sendable {
    let number: Int
  }

  public typealias Answer = Result<NATSMessage, NATSError>

  private typealias Request = (deadline: NIODeadline, completion: @Sendable (Answer) -> Void)
  private typealias Subscriber = (
    subject: String, receive: @Sendable (NATSMessage) -> Void, lost: @Sendable (String) -> Void
  )

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
  public let eventLoop: any EventLoop
  /// The prefix of the subjects for answers, followed by a number. Used by this connection only.
  private let answers: String
  private let state = Mutex(State())

  /// - Throws: `NATSError` if libnats is missing, or cannot use the parameters.
  public init(_ servers: NATSServers, eventLoop: any EventLoop) throws(NATSError) {
    if let why = cnats_open() {
      let package = "libnats\(NATS_VERSION_MAJOR).\(NATS_VERSION_MINOR)"
      throw NATSError("\(String(cString: why)); apt-get install \(package)", isTransient: false)
    }
    for case let file? in [servers.authorityFile, servers.seedFile] where access(file, R_OK) != 0 {
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
    let request: Request = (deadline: NIODeadline.now() + time, completion: completion)
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
      state.subscriptions[subscription] = (subject: subject, receive: receive, lost: lost)
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
    let status = connect(&connection, object)
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

  /// Begins to connect; the library reconnects after each loss. Its callbacks are on threads of its own.
  private func connect(_ connection: inout OpaquePointer?, _ object: UnsafeMutableRawPointer) -> natsStatus {
    var options: OpaquePointer?
    var status = nats.natsOptions_Create(&options)
    defer { nats.natsOptions_Destroy(options) }
    func set(_ next: @autoclosure () -> natsStatus) { if status == NATS_OK { status = next() } }
    set(
      withCStrings(servers.addresses) { strings in
        var addresses = servers.addresses.indices.map { UnsafePointer(strings[$0]) }
        return nats.natsOptions_SetServers(options, &addresses, Int32(addresses.count))
      })
    set(nats.natsOptions_SetName(options, servers.name))
    set(nats.natsOptions_SetTimeout(options, 2_000))
    set(nats.natsOptions_SetMaxReconnect(options, -1))
    set(nats.natsOptions_SetReconnectWait(options, 250))
    set(nats.natsOptions_SetReconnectJitter(options, 250, 250))
    // A hung server is detected within 15 s.
    set(nats.natsOptions_SetPingInterval(options, 5_000))
    set(nats.natsOptions_SetMaxPingsOut(options, 2))
    // The library's own thread would wait a millisecond for more data.
    set(nats.natsOptions_SetSendAsap(options, true))
    set(nats.natsOptions_SetWriteDeadline(options, 2_000))
    // One thread receives for all subscriptions.
    set(nats.natsOptions_UseGlobalMessageDelivery(options, true))
    set(nats.natsOptions_SetReconnectedCB(options, { NATSConnection.of($1)?.connected() }, object))
    set(nats.natsOptions_SetRetryOnFailedConnect(options, true, { NATSConnection.of($1)?.connected() }, object))
    set(
      nats.natsOptions_SetDisconnectedCB(
        options, { NATSConnection.of($1)?.lose(NATSConnection.why($0) ?? "the connection is lost") }, object))
    // The library does not reconnect. No reports follow.
    set(
      nats.natsOptions_SetClosedCB(
        options,
        { connection, object in
          guard let object else { return }
          Unmanaged<NATSConnection>.fromOpaque(object).takeRetainedValue().closed(
            NATSConnection.why(connection) ?? "the servers refuse the connection")
        }, object))
    // An error that did not end the connection, such as a subject that is not permitted.
    set(
      nats.natsOptions_SetErrorHandler(
        options,
        { connection, _, status, object in
          let problem = NATSConnection.why(connection) ?? NATSConnection.text(status)
          NATSConnection.of(object)?.report(.failed(problem: problem))
        }, object))
    set(nats.natsOptions_SetNKeyFromSeed(options, servers.publicKey, servers.seedFile))
    if servers.addresses.first?.hasPrefix("tls:") == true {
      set(nats.natsOptions_SetSecure(options, true))
      if let file = servers.authorityFile { set(nats.natsOptions_LoadCATrustedCertificates(options, file)) }
    }
    set(nats.natsConnection_Connect(&connection, options))
    return status
  }

  private static func of(_ object: UnsafeMutableRawPointer?) -> NATSConnection? {
    object.map { Unmanaged<NATSConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func text(_ status: natsStatus) -> String { string(nats.natsStatus_GetText(status)) ?? "" }

  /// Returns the library's reason for the newest loss or error; nil if it has none.
  private static func why(_ connection: OpaquePointer?) -> String? {
    var text: UnsafePointer<CChar>?
    _ = nats.natsConnection_GetLastError(connection, &text)
    return string(text).flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The library's functions, once it is open.
private var nats: cnats { cnats_library().pointee }

private func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

private final class NATSHandle: @unchecked Sendable {
  // libnats locks its connections, so that any thread may call (nats.h, "natsConnection"). It is destroyed when no
  // caller is left.
  private let connection: OpaquePointer
  private let subscriptions = Mutex<[NATSConnection.Subscription: Place]>([:])

  init(_ connection: OpaquePointer) {
    self.connection = connection
  }

  deinit {
    for place in subscriptions.withLock(\.self).values { nats.natsSubscription_Destroy(place.pointer) }
    nats.natsConnection_Destroy(connection)
  }

  /// Ends the connection: `closed` is reported when it has ended.
  func close() { nats.natsConnection_Close(connection) }

  /// Sends at once. If the kernel's buffer is full, waits for some seconds at most.
  func publish(_ message: NATSMessage) -> natsStatus {
    var copy: OpaquePointer?
    var status = message.payload.withUnsafeBytes {
      nats.natsMsg_Create(
        &copy, message.subject, message.reply, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    defer { nats.natsMsg_Destroy(copy) }
    for (key, value) in message.fields.sorted(by: { $0.key < $1.key }) where status == NATS_OK {
      status = nats.natsMsgHeader_Set(copy, key, value)
    }
    return status == NATS_OK ? nats.natsConnection_PublishMsg(connection, copy) : status
  }

  func subscribe(
    _ name: NATSConnection.Subscription, to subject: String, _ receive: @escaping @Sendable (NATSMessage) -> Void
  ) {
    // The library does not document when its last call is, so the object lives as long as the process.
    let object = Unmanaged.passRetained(NATSSubscriber(receive)).toOpaque()
    var subscription: OpaquePointer?
    let status = nats.natsConnection_Subscribe(
      &subscription, connection, subject,
      { _, _, message, object in
        defer { nats.natsMsg_Destroy(message) }
        guard let object, let message else { return }
        Unmanaged<NATSSubscriber>.fromOpaque(object).takeUnretainedValue().receive(NATSMessage(message))
      }, object)
    guard status == NATS_OK, let subscription else { return }
    let place = Place(pointer: subscription)
    // The subscription may also have been made when the connection opened.
    let other = subscriptions.withLock { $0.updateValue(place, forKey: name) }
    if let other { nats.natsSubscription_Destroy(other.pointer) }
  }

  func unsubscribe(_ name: NATSConnection.Subscription) {
    let subscription = subscriptions.withLock { $0.removeValue(forKey: name) }
    if let subscription { nats.natsSubscription_Destroy(subscription.pointer) }
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
  fileprivate init(_ message: OpaquePointer) {
    let bytes = UnsafeRawBufferPointer(
      start: nats.natsMsg_GetData(message), count: Int(nats.natsMsg_GetDataLength(message)))
    self.init(
      subject: string(nats.natsMsg_GetSubject(message)) ?? "", reply: string(nats.natsMsg_GetReply(message)),
      payload: Array(bytes))
    var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard nats.natsMsgHeader_Keys(message, &keys, &count) == NATS_OK else { return }
    defer { free(keys) }
    for key in UnsafeBufferPointer(start: keys, count: Int(count)) {
      var value: UnsafePointer<CChar>?
      guard let name = string(key), nats.natsMsgHeader_Get(message, key, &value) == NATS_OK else { continue }
      fields[name] = string(value)
    }
  }
}
