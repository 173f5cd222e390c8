import CNATS
import Synchronization
import SystemThreads

/// The library's connection.
final class NATSHandle: @unchecked Sendable {
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
