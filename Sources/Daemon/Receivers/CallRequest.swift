import Crypto
import HTTP
import HandsetCore

/// A call as an HTTP request, with a signature that proves its origin.
struct CallRequest: Sendable {
  var method: String
  var headers: HeaderFields
  var body: [UInt8]

  /// - Parameters:
  ///   - key: the app's; nil for a call that is not signed.
  ///   - time: the time of this attempt, in seconds since 1970.
  init(_ queued: QueuedCall, handset: String, key: AppKey?, at time: Int64) throws {
    var headers = HeaderFields()
    for (name, value) in queued.call.headers.sorted(by: { $0.key < $1.key }) { headers.add(value, for: name) }
    method = queued.call.method
    guard let key else {
      (self.headers, body) = (headers, queued.call.body)
      return
    }
    let acknowledgement = Acknowledgement(
      id: queued.id, handset: handset, app: queued.app.text, push: queued.push.description,
      notification: queued.notification?.number, answer: queued.answer.rawValue,
      wallMicroseconds: queued.answered.microseconds)
    body = try acknowledgement.encoded()
    headers.add("application/json", for: "Content-Type")
    headers.add(queued.id, for: "Idempotency-Key")
    headers.add("\(time)", for: "Deskbell-Timestamp")
    headers.add(key.signature(of: body, at: time), for: "Deskbell-Signature")
    self.headers = headers
  }
}

struct Acknowledgement: Codable, Sendable, Hashable {
  var event = "answered"
  /// The call's identifier, the same at every attempt.
  var id: String
  var handset: String
  var app: String
  var push: String
  var notification: UInt64?
  /// The answer: `view`, `close`, `seen`, `dismissed`, `opened` or `responded`.
  var answer: String
  var wallMicroseconds: Int64
}

/// The key by which an app's receiver recognises its calls.
public struct AppKey: Sendable, Hashable {
  public static let byteCount = 32

  public let bytes: [UInt8]

  public init?(bytes: [UInt8]) {
    guard bytes.count == AppKey.byteCount else { return nil }
    self.bytes = bytes
  }

  public static func random() -> AppKey { AppKey(SymmetricKey(size: .bits256)) }

  private init(_ key: SymmetricKey) { bytes = key.withUnsafeBytes { Array($0) } }

  public var text: String { Hex.text(bytes) }

  /// Returns `v1=` and the hexadecimal HMAC-SHA256 of `TIME.BODY`.
  public func signature(of body: [UInt8], at time: Int64) -> String {
    var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
    code.update(data: Array("\(time).".utf8))
    code.update(data: body)
    return "v1=" + Hex.text(Array(code.finalize()))
  }
}
