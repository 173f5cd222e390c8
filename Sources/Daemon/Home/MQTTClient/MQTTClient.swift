// A thread connects, waits for the broker and for publications of others, and reconnects after a loss. libmosquitto's
// own thread does the same, but does not report why an attempt failed.

import CMosquitto
import Glibc
import Synchronization
import SystemThreads

/// A client of an MQTT 3.1.1 broker, over libmosquitto. The broker acknowledges all its publications (QoS 1).
public final class MQTTClient: Sendable {
  enum Limits {
    /// The seconds after which a silent connection is checked; after as many more it counts as lost.
    static let keepAlive: Int32 = 30
    /// The milliseconds before a new connection; each failure doubles them.
    static let firstPause: Int32 = 1_000
    static let longestPause: Int32 = 60_000
    /// The bytes of a received message; a larger one is dropped.
    static let payload: Int32 = 4096
  }

  private struct State {
    var isConnected = false
    var isEnding = false
    var unacknowledged: [Int32: CheckedContinuation<Bool, Never>] = [:]
    /// The number of publishers that do not wait yet, and the messages that were acknowledged meanwhile.
    var publishers = 0
    var acknowledged: Set<Int32> = []
    var fault: String?
  }

  private let broker: MQTTBroker
  private let report: @Sendable (MQTTReport) -> Void
  private let state = Mutex(State())
  private let bell: Doorbell
  // libmosquitto locks the state that publishing, subscribing and disconnecting share with the loop (mosquitto.h,
  // "Threads"). All other calls are made before the loop's thread begins or on it.
  nonisolated(unsafe) private let client: OpaquePointer

  /// Connects, and reconnects until `end`.
  /// - Parameters:
  ///   - name: the client's name; the broker ends the connection of an earlier client of that name.
  ///   - will: the message that the broker publishes if the connection is lost; retained.
  ///   - report: called on the client's thread. Must not block.
  /// - Throws: `MQTTError` if libmosquitto is missing, or cannot use the parameters.
  public init(
    named name: String, of broker: MQTTBroker, will: MQTTMessage, report: @escaping @Sendable (MQTTReport) -> Void
  ) throws(MQTTError) {
    if let why = cmosquitto_open() {
      throw MQTTError(description: "\(String(cString: why)); apt-get install libmosquitto1")
    }
    (self.broker, self.report) = (broker, report)
    do {
      bell = try Doorbell()
      guard let client = mosquitto.new(name, true, nil) else { throw SystemError.last }
      self.client = client
      try configure(will: will)
      // The thread may be in a connection attempt when the client ends, for as long as the kernel tries.
      try SystemThread(named: "mqtt") { [self] in run() }.detach()
    } catch {
      throw MQTTError(description: "\(error)")
    }
  }

  deinit {
    mosquitto.user_data_set(client, nil)
    mosquitto.destroy(client)
  }

  private func configure(will: MQTTMessage) throws(MQTTError) {
    // Publications of other threads end the loop's wait, instead of being written on those threads.
    _ = mosquitto.threaded_set(client, true)
    mosquitto.user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    try check(
      will.payload.withUnsafeBytes { mosquitto.will_set(client, will.topic, Int32($0.count), $0.baseAddress, 1, true) })
    if let user = broker.user { try check(mosquitto.username_pw_set(client, user, broker.password)) }
    guard broker.isSecure else { return }
    if let file = broker.authorityFile, access(file, R_OK) != 0 {
      throw MQTTError(description: "\(file): \(SystemError.last)")
    }
    try check(
      broker.authorityFile.map { mosquitto.tls_set(client, $0, nil, nil, nil, nil) }
        ?? mosquitto.int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
    try check(mosquitto.tls_opts_set(client, 1, "tlsv1.2", nil))
  }

  private func check(_ code: Int32) throws(MQTTError) {
    if code != MOSQ_ERR_SUCCESS.code { throw MQTTError(description: MQTTError.text(code)) }
  }

  /// Publishes a message and waits for the acknowledgement or the loss of the connection; without one, returns at once.
  /// - Returns: true if the broker has acknowledged it.
  @discardableResult
  public func publish(_ message: MQTTMessage) async -> Bool {
    guard isConnected else { return false }
    state.withLock { $0.publishers += 1 }
    var number: Int32 = 0
    let code = message.payload.withUnsafeBytes { payload in
      mosquitto.publish(
        client, &number, message.topic, Int32(payload.count), payload.baseAddress, 1, message.isRetained)
    }
    let published = code == MOSQ_ERR_SUCCESS.code ? number : nil
    return await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Bool? in
        let isAcknowledged = published.map { state.acknowledged.contains($0) } ?? false
        state.publishers -= 1
        // An acknowledgement for an earlier connection's message has no waiting publisher.
        if state.publishers == 0 { state.acknowledged = [] }
        guard let published, state.isConnected, !isAcknowledged else { return isAcknowledged }
        state.unacknowledged[published] = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Reports publications to these topics from now on, until the connection is lost.
  /// - Parameter pattern: a topic, in which `+` stands for any one level.
  public func subscribe(to pattern: String) {
    _ = mosquitto.subscribe(client, nil, pattern, 1)
  }

  /// Disconnects from the broker, so that no will is published. No reports follow.
  public func end() {
    state.withLock { $0.isEnding = true }
    _ = mosquitto.disconnect(client)
    bell.ring()
  }

  private var isConnected: Bool { state.withLock(\.isConnected) }

  /// True if no reports follow and the client does not reconnect.
  private var isEnding: Bool { state.withLock(\.isEnding) }

  private func run() {
    var pause = Limits.firstPause
    while !isEnding {
      let code = mosquitto.connect(client, broker.host, Int32(broker.port), Limits.keepAlive)
      if code == MOSQ_ERR_SUCCESS.code {
        if serve() { pause = Limits.firstPause }
      } else {
        lose(MQTTError.text(code))
      }
      bell.clear()
      guard !isEnding else { return }
      _ = bell.wait(milliseconds: pause)
      pause = min(2 * pause, Limits.longestPause)
    }
  }

  private func serve() -> Bool {
    var wasConnected = false
    var code = MOSQ_ERR_SUCCESS.code
    while code == MOSQ_ERR_SUCCESS.code {
      code = mosquitto.loop(client, Limits.longestPause, 1)
      wasConnected = wasConnected || isConnected
    }
    lose(MQTTError.text(code))
    return wasConnected
  }

  /// Reports that the connection is not established, or is lost.
  /// - Parameter text: the reason if the library has no text of its own.
  private func lose(_ text: String) {
    let (waiting, problem) = state.withLock { state in
      let lost = (state.unacknowledged.values, state.isEnding ? nil : state.fault ?? text)
      (state.unacknowledged, state.acknowledged, state.isConnected, state.fault) = ([:], [], false, nil)
      return lost
    }
    for publisher in waiting { publisher.resume(returning: false) }
    if let problem { report(.lost(problem: problem)) }
  }

  /// The library calls each of them on the thread that connects or runs the loop, within that call.
  private func setCallbacks() {
    mosquitto.connect_callback_set(client) { MQTTClient.of($1)?.connected($2) }
    mosquitto.publish_callback_set(client) { MQTTClient.of($1)?.published($2) }
    mosquitto.message_callback_set(client) { MQTTClient.of($1)?.received($2) }
    // The library's own words; errors are its only report about TLS.
    mosquitto.log_callback_set(client) { _, object, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MQTTClient.of(object)?.state.withLock { $0.fault = String(cString: text) }
    }
  }

  private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTClient? {
    object.map { Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func connected(_ code: Int32) {
    guard code == 0 else {
      state.withLock { $0.fault = mosquitto.connack_string(code).map { String(cString: $0) } }
      return
    }
    state.withLock { ($0.isConnected, $0.fault) = (true, nil) }
    report(.connected)
  }

  private func published(_ message: Int32) {
    let publisher = state.withLock { state in
      let publisher = state.unacknowledged.removeValue(forKey: message)
      if publisher == nil && state.publishers > 0 { state.acknowledged.insert(message) }
      return publisher
    }
    publisher?.resume(returning: true)
  }

  private func received(_ message: UnsafePointer<mosquitto_message>?) {
    guard let message = message?.pointee, let topic = message.topic, message.payloadlen <= MQTTClient.Limits.payload
    else { return }
    let payload = Array(UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
    report(.received(MQTTMessage(topic: String(cString: topic), payload: payload, isRetained: message.retain)))
  }
}

private var mosquitto: cmosquitto { cmosquitto_library().pointee }

public struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  static func text(_ code: Int32) -> String {
    // The value of errno is from this thread's last call.
    code == MOSQ_ERR_ERRNO.code
      ? SystemError.last.description : mosquitto.strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

extension mosq_err_t {
  var code: Int32 { Int32(rawValue) }
}
