import CMosquitto
import Synchronization

/// The library's reports, and the callers that wait for them.
final class MQTTSession: Sendable {
  private struct State {
    var isConnected = false
    var isEnding = false
    var unacknowledged: [Int32: CheckedContinuation<Bool, Never>] = [:]
    /// The number of publishers that do not wait yet, and the messages that were acknowledged meanwhile.
    var publishers = 0
    var acknowledged: Set<Int32> = []
    /// The library's text for the last error.
    var fault: String?
  }

  private let report: @Sendable (MQTTReport) -> Void
  private let state = Mutex(State())

  init(report: @escaping @Sendable (MQTTReport) -> Void) {
    self.report = report
  }

  var isConnected: Bool { state.withLock(\.isConnected) }

  /// True if no reports follow and the client does not reconnect.
  var isEnding: Bool {
    get { state.withLock(\.isEnding) }
    set { state.withLock { $0.isEnding = newValue } }
  }

  /// Publishes a message and returns true once the broker has acknowledged it; false if the connection is lost.
  /// - Parameter publish: returns the number of the published message, or nil if it failed.
  func acknowledgement(of publish: () -> Int32?) async -> Bool {
    state.withLock { $0.publishers += 1 }
    let message = publish()
    return await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Bool? in
        let isAcknowledged = message.map { state.acknowledged.contains($0) } ?? false
        state.publishers -= 1
        // An acknowledgement for an earlier connection's message has no waiting publisher.
        if state.publishers == 0 { state.acknowledged = [] }
        guard let message, state.isConnected, !isAcknowledged else { return isAcknowledged }
        state.unacknowledged[message] = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Reports that the connection is not established, or is lost.
  /// - Parameter text: the reason if the library has no text of its own.
  func lose(_ text: String) {
    let (waiting, problem) = state.withLock { state in
      let lost = (state.unacknowledged.values, state.isEnding ? nil : state.fault ?? text)
      (state.unacknowledged, state.acknowledged, state.isConnected, state.fault) = ([:], [], false, nil)
      return lost
    }
    for publisher in waiting { publisher.resume(returning: false) }
    if let problem { report(.lost(problem: problem)) }
  }

  // MARK: The library's calls

  static let callbacks = cmosquitto_callbacks(
    connected: { MQTTSession.of($1)?.connected($2) },
    published: { MQTTSession.of($1)?.published($2) },
    received: { MQTTSession.of($1)?.received($2) },
    logged: { _, object, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MQTTSession.of(object)?.state.withLock { $0.fault = String(cString: text) }
    })

  private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTSession? {
    object.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private func connected(_ code: Int32) {
    guard code == 0 else {
      state.withLock { $0.fault = String(cString: cmosquitto_refusal(code)) }
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
