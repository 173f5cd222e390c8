// A connection's pushes: they wait for a stream, are answered, and end when the server sends GOAWAY. Everything here runs
// on the connection's event loop; `StreamGate` decides how many may be under way.

import FoundationEssentials
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL
import NIOTLS
import Synchronization

/// Names one push from before it is submitted, so that a cancellation that comes first is not lost.
final class PushIdentity: Sendable {
  let isCancelled = Atomic(false)
}

final class PushConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private final class Waiting {
    let head: HPACKHeaders
    let body: [UInt8]
    let identity: PushIdentity
    let promise: EventLoopPromise<PushAnswer>

    init(_ head: HPACKHeaders, _ body: [UInt8], _ identity: PushIdentity, _ promise: EventLoopPromise<PushAnswer>) {
      self.head = head
      self.body = body
      self.identity = identity
      self.promise = promise
    }
  }

  private enum State {
    case connecting
    case ready
    /// With the server's reason, where it gave one. No push begins any more.
    case draining(reason: String?)
    case closed(reason: String?)
  }

  private let server: Endpoint
  private let streams: NIOHTTP2Handler.StreamMultiplexer
  private let limits: ProviderLimits
  private let loop: any EventLoop
  /// Kept once the server has sent its SETTINGS. Holds nothing: a handler that its own promise held would never go.
  let ready: EventLoopPromise<Void>
  private var state = State.connecting
  private var gate = StreamGate()
  private var waiting: CircularBuffer<Waiting> = []
  private var underWay: [ObjectIdentifier: any Channel] = [:]
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?
  private var hasHandshake = false

  init(
    server: Endpoint, streams: NIOHTTP2Handler.StreamMultiplexer, limits: ProviderLimits, loop: any EventLoop
  ) {
    self.server = server
    self.streams = streams
    self.limits = limits
    self.loop = loop
    ready = loop.makePromise()
  }

  // MARK: Events of the connection

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.handshakeTimeout)) { [self] in
      let awaited = hasHandshake ? "HTTP/2 greeting" : "TLS handshake"
      fail(context, .timedOut(server, limits.handshakeTimeout, waitingFor: awaited))
    }
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
      hasHandshake = true
      // A server that negotiates nothing may still speak HTTP/2: its SETTINGS show that.
      if let negotiated, negotiated != "h2" { fail(context, .noHTTP2(server)) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data).payload {
    case .settings(.settings(let settings)):
      for setting in settings where setting.parameter == .maxConcurrentStreams {
        gate.maxConcurrentStreams = setting.value
      }
      if case .connecting = state {
        timer?.cancel()
        state = .ready
        ready.succeed(())
      }
      beginWaiting()
    case .goAway(_, _, let opaque):
      drain(reason: opaque.flatMap { goAwayReason($0) })
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .connecting = state else { return context.close(promise: nil) }
    state = .closed(reason: nil)
    // Before there are SETTINGS, what is no HTTP/2 shows as an error of its framing.
    if hasHandshake, !(error is NIOSSLExtraError), !(error is NIOSSLError) {
      ready.fail(ProviderClientError.noHTTP2(server))
    } else {
      ready.fail(error)
    }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    switch state {
    case .connecting:
      ready.fail(
        hasHandshake
          ? ProviderClientError.noHTTP2(server)
          : .tlsFailed(server, reason: "the server closed the connection during the handshake"))
      state = .closed(reason: nil)
    case .ready: state = .closed(reason: nil)
    case .draining(let reason): state = .closed(reason: reason)
    case .closed: break
    }
    failWaiting()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
    ready.fail(closedError)
  }

  private func fail(_ context: ChannelHandlerContext, _ error: ProviderClientError) {
    if case .connecting = state { ready.fail(error) }
    state = .closed(reason: nil)
    context.close(promise: nil)
  }

  var takesPushes: Bool {
    if case .ready = state { true } else { false }
  }

  func drain(reason: String?) {
    guard case .ready = state else { return }
    state = .draining(reason: reason)
    failWaiting()
    closeWhenDone()
  }

  private func closeWhenDone() {
    if case .draining = state, gate.open == 0 { context?.close(promise: nil) }
  }

  // MARK: Pushes

  func submit(_ head: HPACKHeaders, _ body: [UInt8], _ identity: PushIdentity) -> EventLoopFuture<PushAnswer> {
    guard !identity.isCancelled.load(ordering: .relaxed) else { return loop.makeFailedFuture(CancellationError()) }
    guard case .ready = state else { return loop.makeFailedFuture(closedError) }
    guard waiting.count < limits.waitingPushes else {
      return loop.makeFailedFuture(ProviderClientError.tooManyWaiting(server, limit: limits.waitingPushes))
    }
    let promise = loop.makePromise(of: PushAnswer.self)
    waiting.append(Waiting(head, body, identity, promise))
    beginWaiting()
    return promise.futureResult
  }

  func cancel(_ identity: PushIdentity) {
    if let index = waiting.firstIndex(where: { $0.identity === identity }) {
      waiting.remove(at: index).promise.fail(CancellationError())
    } else {
      underWay[ObjectIdentifier(identity)]?.pipeline.fireUserInboundEventTriggered(PushCancelled())
    }
  }

  private func beginWaiting() {
    guard case .ready = state else { return }
    while gate.mayBegin, let next = waiting.popFirst() { begin(next) }
  }

  private func begin(_ next: Waiting) {
    gate.began()
    let key = ObjectIdentifier(next.identity)
    let handler = PushStreamHandler(
      head: next.head, body: next.body, limits: limits, server: server, promise: next.promise,
      closedError: { [self] in closedError })
    let opened = loop.makePromise(of: (any Channel).self)
    let bound = NIOLoopBound(handler, eventLoop: loop)
    streams.createStreamChannel(promise: opened) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(bound.value)
      }
    }
    // The identity stays alive as long as its address is a key.
    let identity = next.identity
    opened.futureResult.assumeIsolated().whenComplete { [self] result in
      switch result {
      case .success(let channel):
        if handler.isDone { return }
        underWay[key] = channel
        if identity.isCancelled.load(ordering: .relaxed) { cancel(identity) }
      case .failure: next.promise.fail(closedError)
      }
    }
    next.promise.futureResult.assumeIsolated().whenComplete { [self] result in
      withExtendedLifetime(identity) { underWay[key] = nil }
      gate.ended(status: try? result.get().status)
      beginWaiting()
      closeWhenDone()
    }
  }

  private func failWaiting() {
    let abandoned = waiting
    waiting = []
    for each in abandoned { each.promise.fail(closedError) }
  }

  private var closedError: ProviderClientError {
    switch state {
    case .draining(let reason), .closed(let reason): .connectionClosed(server, reason: reason)
    case .connecting, .ready: .connectionClosed(server, reason: nil)
    }
  }
}

/// The word in a GOAWAY's debug data, `{"reason":"Shutdown"}` [APNs].
private func goAwayReason(_ data: ByteBuffer) -> String? {
  try? JSONDecoder().decode(RefusalBody.self, from: Data(data.readableBytesView)).reason
}
