// One of these for each request. It is the hot path, so it is a plain channel handler: an async channel costs three
// times as much.

import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Carries a request to the receiver, and its outcome back.
final class APNsStreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let gateway: Gateway
  private let connection: Connection
  private var machine: StateMachine
  private var context: ChannelHandlerContext?
  private var bodyDeadline: ClientDeadline?
  /// Whether the request was counted as one of a provider's.
  private var isCounted = false

  init(gateway: Gateway, connection: Connection) {
    self.gateway = gateway
    self.connection = connection
    machine = StateMachine(madeID: .random(), limits: gateway.limits)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let frame):
      let action = machine.receiveHeaders(
        frame.headers, endOfStream: frame.endStream, now: gateway.clock.handset(),
        authenticate: { (authorization) throws(APNsRefusal) -> Provider in
          let provider = try self.connection.authenticate(authorization)
          self.isCounted = true
          return provider
        })
      perform(action, context)
    case .data(let frame):
      guard case .byteBuffer(let buffer) = frame.data else { return }
      perform(machine.receiveBody(buffer.readableBytesView, endOfStream: frame.endStream), context)
    default:
      break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Most requests come whole, and never need a timer.
    if !machine.isReceiving {
      cancelDeadline()
    } else if bodyDeadline == nil {
      expectBody(context)
    }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    machine.close()
    cancelDeadline()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    machine.close()
    context.close(promise: nil)
  }

  private func expectBody(_ context: ChannelHandlerContext) {
    let limits = gateway.limits
    let duration = machine.isRefused ? limits.discardDuration : limits.bodyDuration
    bodyDeadline = ClientDeadline(duration, on: context.channel.parent ?? context.channel, limits) {
      self.bodyDeadline = nil
      guard let context = self.context else { return }
      self.perform(self.machine.receiveTimeout(), context)
      // Told that it is late, a client has a little longer to end its request.
      if self.machine.isReceiving { self.expectBody(context) }
    }
  }

  private func cancelDeadline() {
    bodyDeadline?.cancel()
    bodyDeadline = nil
  }

  private func perform(_ action: StateMachine.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .nothing:
      break
    case .submit(var push):
      push.faults += connection.takeTokenFaults()
      let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
      let eventLoop = context.eventLoop
      gateway.receiver.receive(push) { outcome in
        eventLoop.execute { handler.value.complete(outcome) }
      }
    case .refuse(let answer, let record):
      refuse(answer, record, context)
    case .answer(let answer):
      send(answer, context)
    case .reset:
      context.close(promise: nil)
    }
  }

  private func refuse(_ answer: APNsAnswer, _ record: RefusedPush, _ context: ChannelHandlerContext) {
    switch connection.noteRefusal(
      record, isCounted: isCounted, isFailedAuthentication: answer.isFailedAuthentication)
    {
    case .answerNow:
      send(answer, context)
    case .answer(let delay):
      context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
        if let context = self.context { self.send(answer, context) }
      }
    case .answerAndEnd:
      send(answer, context)
      connection.whenUnwelcome?()
    case .answerTooManyAndEnd:
      send(APNsAnswer(.tooManyRequests), context)
      connection.whenUnwelcome?()
    }
  }

  private func complete(_ outcome: PushOutcome) {
    let action = machine.receiveOutcome(outcome)
    if let context { perform(action, context) }
  }

  private func send(_ answer: APNsAnswer, _ context: ChannelHandlerContext) {
    var headers = HPACKHeaders()
    headers.reserveCapacity(5)
    headers.add(name: ":status", value: String(answer.status))
    headers.add(name: "apns-id", value: machine.echoedID)
    if gateway.environment == .development && answer == .accepted {
      headers.add(name: "apns-unique-id", value: PushID.random().description)
    }
    guard let body = answer.body else {
      context.writeAndFlush(
        wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: nil)
      return
    }
    headers.add(name: "content-type", value: "application/json")
    headers.add(name: "content-length", value: String(body.utf8.count))
    if let seconds = answer.retryAfterSeconds { headers.add(name: "retry-after", value: String(seconds)) }
    context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    let frame = HTTP2Frame.FramePayload.Data(
      data: .byteBuffer(context.channel.allocator.buffer(string: body)), endStream: true)
    context.writeAndFlush(wrapOutboundOut(.data(frame)), promise: written)
    expectWritten(written.futureResult, context)
  }

  /// Resets the stream where the client grants no window for the body: it has the status, and must not hold a stream.
  private func expectWritten(_ written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
    let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(gateway.limits.answerDuration)) {
      self.context?.close(promise: nil)
    }
    written.assumeIsolated().whenComplete { _ in deadline.cancel() }
  }
}

extension TimeAmount {
  init(_ duration: Duration) {
    self = .microseconds(duration.inMicroseconds)
  }
}
