import FoundationEssentials
import HTTP2Session
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// The pushes of a connection: they wait for a stream, are answered, and end when the server sends GOAWAY. Everything
/// here runs on the connection's event loop.
final class PushConnectionHandler: HTTP2SessionDelegate, ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    case connecting
    case ready
    case draining
    case closed
  }

  private let server: Endpoint
  private let limits: ProviderLimits
  private let loop: any EventLoop
  /// Fulfilled once the server has sent its SETTINGS. Holds nothing: a handler held by its own promise would leak.
  let ready: EventLoopPromise<Void>
  private var state = State.connecting
  private var closeReason: String?
  private var session: HTTP2Session?
  /// The server's MAX_CONCURRENT_STREAMS; no limit until it names one [RFC 9113, 6.5.2].
  private var maxConcurrentStreams = Int.max
  /// True once an answer has not refused the token: until then APNs allows one stream [APNs].
  private var tokenIsKnownGood = false
  private var waiting: CircularBuffer<PushUnderWay> = []
  private var streams: [UInt32: PushUnderWay] = [:]
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?
  private var hasHandshake = false
  /// True while bytes are read: output that they cause is sent together.
  private var isReading = false

  init(server: Endpoint, limits: ProviderLimits, loop: any EventLoop) {
    self.server = server
    self.limits = limits
    self.loop = loop
    ready = loop.makePromise()
  }

  // MARK: Events of the connection

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.handshakeTimeout)) { [self] in
      let awaited = hasHandshake ? "HTTP/2 greeting" : "TLS handshake"
      fail(context, ProviderClientError.timedOut(server, limits.handshakeTimeout, waitingFor: awaited))
    }
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
      hasHandshake = true
      // A server that negotiates nothing may still speak HTTP/2: its SETTINGS show that.
      if let negotiated, negotiated != "h2" {
        fail(context, ProviderClientError.noHTTP2(server))
      } else {
        session = HTTP2Session(.client, delegate: self)
        flush()
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    let code = Self.unwrapInboundIn(data).withUnsafeReadableBytes { session?.receive($0) }
    if code != nil { fail(context, ProviderClientError.noHTTP2(server)) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flush()
    context.fireChannelReadComplete()
  }

  private func flush() {
    guard !isReading, let context, let session else { return }
    var bytes = ByteBuffer()
    while let frame = session.nextOutput() { bytes.writeBytes(frame) }
    if bytes.readableBytes > 0 { context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: nil) }
    if session.isOver {
      // Before SETTINGS, a protocol other than HTTP/2 shows as a framing error.
      fail(context, ProviderClientError.noHTTP2(server))
    } else if state == .draining, streams.isEmpty {
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(context, error) }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    if state == .connecting {
      ready.fail(
        hasHandshake
          ? ProviderClientError.noHTTP2(server)
          : .tlsFailed(server, reason: "the server closed the connection during the handshake"))
    }
    state = .closed
    failWaiting()
    for push in streams.values { push.fail(closedError) }
    streams = [:]
    session = nil
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
    ready.fail(closedError)
  }

  private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
    if state == .connecting {
      state = .closed
      ready.fail(error)
    }
    context.close(promise: nil)
  }

  var takesPushes: Bool { state == .ready }

  func drain(reason: String?) {
    guard takesPushes else { return }
    state = .draining
    closeReason = reason
    failWaiting()
    flush()
  }

  // MARK: Pushes

  func submit(_ head: HTTP2Fields, _ body: [UInt8], _ identity: PushIdentity) -> EventLoopFuture<PushAnswer> {
    guard !identity.isCancelled.load(ordering: .relaxed) else { return loop.makeFailedFuture(CancellationError()) }
    guard takesPushes else { return loop.makeFailedFuture(closedError) }
    guard waiting.count < limits.waitingPushes else {
      return loop.makeFailedFuture(ProviderClientError.tooManyWaiting(server, limit: limits.waitingPushes))
    }
    let push = PushUnderWay(head, body, identity, loop.makePromise())
    waiting.append(push)
    beginWaiting()
    flush()
    return push.promise.futureResult
  }

  func cancel(_ identity: PushIdentity) {
    if let index = waiting.firstIndex(where: { $0.identity === identity }) {
      waiting.remove(at: index).end(.failure(CancellationError()))
    } else if let (stream, push) = streams.first(where: { $0.value.identity === identity }) {
      abandon(stream, push, CancellationError())
    }
  }

  private func abandon(_ stream: UInt32, _ push: PushUnderWay, _ error: any Error) {
    push.end(.failure(error))
    session?.reset(stream, .cancel)
    flush()
  }

  private func beginWaiting() {
    guard takesPushes else { return }
    let limit = tokenIsKnownGood ? maxConcurrentStreams : min(1, maxConcurrentStreams)
    while streams.count < limit, let next = waiting.popFirst() { begin(next) }
  }

  private func begin(_ push: PushUnderWay) {
    guard let stream = session?.request(push.head, hasBody: !push.unsent.isEmpty) else {
      return push.fail(closedError)
    }
    streams[stream] = push
    push.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(limits.answerTimeout)) { [self] in
      abandon(stream, push, ProviderClientError.timedOut(server, limits.answerTimeout, waitingFor: "answer"))
    }
  }

  private func failWaiting() {
    for each in exchange(&waiting, with: []) { each.fail(closedError) }
  }

  private var closedError: ProviderClientError { .connectionClosed(server, reason: closeReason) }

  // MARK: The session's events

  override func settingsReceived() {
    maxConcurrentStreams = session?.peerStreams ?? 0
    if state == .connecting {
      timer?.cancel()
      state = .ready
      ready.succeed(())
    }
    beginWaiting()
  }

  /// The data contains `{"reason":"Shutdown"}` [APNs].
  override func goAwayReceived(_ data: UnsafeRawBufferPointer) { drain(reason: RefusalBody(data)?.reason) }

  override func headersBegin(on stream: UInt32) -> Bool { streams[stream] != nil }

  override func header(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on stream: UInt32) -> Bool {
    guard let push = streams[stream], value.count <= limits.answerBytes else { return false }
    push.receive(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    return true
  }

  override func headersEnd(on stream: UInt32, endsStream: Bool) {
    if endsStream { dataEnds(on: stream) }
  }

  override func data(_ bytes: UnsafeRawBufferPointer, on stream: UInt32) {
    guard let push = streams[stream], !push.receive(bytes, limit: limits.answerBytes) else { return }
    let reason = "the answer is larger than \(limits.answerBytes) bytes"
    abandon(stream, push, ProviderClientError.malformedAnswer(server, reason: reason))
  }

  override func dataEnds(on stream: UInt32) { streams[stream]?.finish(server) }

  override func writeBody(of stream: UInt32, to buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
    guard let push = streams[stream] else { return (0, true) }
    let part = push.unsent.prefix(buffer.count)
    buffer.copyBytes(from: part)
    push.unsent.removeFirst(part.count)
    return (part.count, push.unsent.isEmpty)
  }

  override func streamClosed(_ stream: UInt32, code: UInt32) {
    guard let push = streams.removeValue(forKey: stream) else { return }
    let name = HTTP2ErrorCode(rawValue: code).map { "\($0)" } ?? "\(code)"
    push.fail(
      code == 0 ? closedError : .connectionClosed(server, reason: "the server reset the stream: \(name)"))
    // 403 refuses a token, 401 a password.
    if ![0, 401, 403].contains(push.answer.status) { tokenIsKnownGood = true }
    beginWaiting()
  }
}

/// The identity of one push from before it is submitted, so that an early cancellation is not lost.
final class PushIdentity: Sendable {
  let isCancelled = Atomic(false)
}

/// The body of an answer other than 200 [APNs].
private struct RefusalBody: Decodable {
  var reason: String?
  /// Milliseconds since 1970.
  var timestamp: Int64?

  init?(_ bytes: some Collection<UInt8>) {
    guard let body = try? JSONDecoder().decode(RefusalBody.self, from: Data(bytes)) else { return nil }
    self = body
  }
}

/// One push between its submission and the end of its stream: the request, and the received part of its answer.
private final class PushUnderWay {
  let head: HTTP2Fields
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
