import FoundationEssentials
import HTTP2Session
import NIOCore
import Synchronization

/// The identity of one push from before it is submitted, so that an early cancellation is not lost.
final class PushIdentity: Sendable {
  let isCancelled = Atomic(false)
}

/// The body of an answer other than 200 [APNs].
struct RefusalBody: Decodable {
  var reason: String?
  /// Milliseconds since 1970.
  var timestamp: Int64?

  init?(_ bytes: some Collection<UInt8>) {
    guard let body = try? JSONDecoder().decode(RefusalBody.self, from: Data(bytes)) else { return nil }
    self = body
  }
}

/// One push between its submission and the end of its stream: the request, and the received part of its answer.
final class PushUnderWay {
  let head: HTTP2Fields
  /// The unsent rest of the body.
  var unsent: ArraySlice<UInt8>
  let identity: PushIdentity
  let promise: EventLoopPromise<PushAnswer>
  var timer: Scheduled<Void>?
  /// The answer as far as it has arrived; its status is 0 before that.
  private(set) var answer = PushAnswer(status: 0)
  private var body: [UInt8] = []
  private var isDone = false

  init(_ head: HTTP2Fields, _ body: [UInt8], _ identity: PushIdentity, _ promise: EventLoopPromise<PushAnswer>) {
    self.head = head
    unsent = body[...]
    self.identity = identity
    self.promise = promise
  }

  func receive(_ name: String, _ value: String) {
    switch name {
    case ":status": answer.status = Int(value) ?? 0
    case "apns-id": answer.apnsID = value
    case "push-id": answer.apnsID = answer.apnsID ?? value
    // No server of this protocol sends the date form [RFC 9110, 10.2.3].
    case "retry-after": answer.retryAfter = UInt32(value).map { .seconds($0) }
    default: break
    }
  }

  /// - Returns: false if the body exceeds the limit.
  func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    guard body.count + bytes.count <= limit else { return false }
    body.append(contentsOf: bytes)
    return true
  }

  /// Ends the push: the answer is complete.
  func finish(_ server: Endpoint) {
    guard answer.status != 0 else { return fail(.malformedAnswer(server, reason: "the answer has no status")) }
    let refusal = body.isEmpty ? nil : RefusalBody(body)
    // The 2008 service gives its reason in plain text.
    let sentence = answer.isAccepted || refusal != nil ? nil : String(validating: body, as: UTF8.self)
    let line = sentence.map { $0.prefix { !$0.isNewline } }.flatMap { $0.isEmpty ? nil : String($0) }
    answer.reason = refusal?.reason ?? line
    answer.timestamp = refusal?.timestamp
    end(.success(answer))
  }

  func fail(_ error: ProviderClientError) { end(.failure(error)) }

  /// Ends the push. Only the first end counts.
  func end(_ result: Result<PushAnswer, any Error>) {
    guard !isDone else { return }
    isDone = true
    timer?.cancel()
    promise.completeWith(result)
  }
}
