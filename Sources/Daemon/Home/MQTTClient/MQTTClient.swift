// A thread connects, waits for the broker and for publications of others, and reconnects after a loss. libmosquitto's
// own thread does the same, but does not report why an attempt failed.

import CMosquitto
import Glibc
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

  private let session: MQTTSession
  private let handle: MQTTHandle
  private let bell: Doorbell

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
      throw MQTTError(problem: "\(String(cString: why)); apt-get install libmosquitto1")
    }
    session = MQTTSession(report: report)
    handle = try MQTTHandle(name, broker, will: will, session: session)
    do throws(SystemError) {
      bell = try Doorbell()
      let loop = Loop(broker: broker, handle: handle, session: session, bell: bell)
      // The thread may be in a connection attempt when the client ends, for as long as the kernel tries.
      try SystemThread(named: "mqtt") { loop.run() }.detach()
    } catch {
      throw MQTTError(problem: error.description)
    }
  }

  /// Publishes a message and waits for the acknowledgement or the loss of the connection; without one, returns at once.
  /// - Returns: true if the broker has it.
  @discardableResult
  public func publish(_ message: MQTTMessage) async -> Bool {
    guard session.isConnected else { return false }
    return await session.acknowledgement {
      var number: Int32 = 0
      let code = message.payload.withUnsafeBytes { payload in
        cmosquitto_publish(
          handle.client, &number, message.topic, payload.baseAddress, Int32(payload.count), message.isRetained)
      }
      return code == MOSQ_ERR_SUCCESS.code ? number : nil
    }
  }

  /// Reports publications to these topics from now on, until the connection is lost.
  /// - Parameter pattern: a topic, in which `+` stands for any one level.
  public func subscribe(to pattern: String) {
    cmosquitto_subscribe(handle.client, pattern)
  }

  /// Disconnects from the broker, so that no will is published. No reports follow.
  public func end() {
    session.isEnding = true
    cmosquitto_disconnect(handle.client)
    bell.ring()
  }
}

/// The library's client.
private final class MQTTHandle: @unchecked Sendable {
  // libmosquitto locks the state that publishing, subscribing and disconnecting share with the loop (mosquitto.h,
  // "Threads"). All other calls are made before the loop's thread begins or on it.
  let client: OpaquePointer
  /// The object for the library's callbacks.
  private let session: MQTTSession

  init(_ name: String, _ broker: MQTTBroker, will: MQTTMessage, session: MQTTSession) throws(MQTTError) {
    let object = Unmanaged.passUnretained(session).toOpaque()
    guard let client = cmosquitto_new(name, object, MQTTSession.callbacks) else {
      throw MQTTError(problem: SystemError.last.description)
    }
    (self.client, self.session) = (client, session)
    try MQTTHandle.check(
      will.payload.withUnsafeBytes { cmosquitto_will(client, will.topic, $0.baseAddress, Int32($0.count)) })
    if let user = broker.user { try MQTTHandle.check(cmosquitto_password(client, user, broker.password)) }
    guard broker.isSecure else { return }
    if let file = broker.authorityFile, access(file, R_OK) != 0 {
      throw MQTTError(problem: "\(file): \(SystemError.last)")
    }
    try MQTTHandle.check(cmosquitto_tls(client, broker.authorityFile))
  }

  deinit {
    cmosquitto_destroy(client)
  }

  private static func check(_ code: Int32) throws(MQTTError) {
    if code != MOSQ_ERR_SUCCESS.code { throw MQTTError(code: code) }
  }
}

/// The work of the client's thread.
private struct Loop {
  let broker: MQTTBroker
  let handle: MQTTHandle
  let session: MQTTSession
  let bell: Doorbell

  func run() {
    var pause = MQTTClient.Limits.firstPause
    while !session.isEnding {
      let code = cmosquitto_connect(handle.client, broker.host, Int32(broker.port), MQTTClient.Limits.keepAlive)
      if code == MOSQ_ERR_SUCCESS.code {
        if serve() { pause = MQTTClient.Limits.firstPause }
      } else {
        session.lose(MQTTError.text(code))
      }
      bell.clear()
      guard !session.isEnding else { return }
      _ = bell.wait(milliseconds: pause)
      pause = min(2 * pause, MQTTClient.Limits.longestPause)
    }
  }

  /// - Returns: true if the broker had accepted the connection.
  private func serve() -> Bool {
    var wasConnected = false
    var code = MOSQ_ERR_SUCCESS.code
    while code == MOSQ_ERR_SUCCESS.code {
      code = cmosquitto_loop(handle.client, MQTTClient.Limits.longestPause)
      wasConnected = wasConnected || session.isConnected
    }
    session.lose(MQTTError.text(code))
    return wasConnected
  }
}
