// One of these for each stream of HTTP/2. It is on the hot path, so it is a plain channel handler: an async channel costs
// three times as much.

import HTTPRoutes
import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Reads one request within its limits, gives it to its front end, and writes the response.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundIn = Never
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let client: Client
  private var machine: StateMachine
  private var exchange: (any Exchange)?
  private var isHead = false
  private var context: ChannelHandlerContext?
  private var bodyDeadline: ClientDeadline?
  private var authorization: Task<Void, Never>?
  private var isReadHeld = false

  private var limits: GatewayLimits { client.gateway.limits }

  init(_ client: Client) {
    self.client = client
    machine = StateMachine(discardLimit: client.gateway.limits.discardedBytes)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  // MARK: The request

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let frame):
      if machine.isWaitingForHead {
        open(RequestHead(frame.headers), endOfStream: frame.endStream, context)
      } else if frame.endStream {
        // Trailers: their fields are ignored.
        perform(machine.receiveEnd(), context)
      }
    case .data(let frame):
      guard case .byteBuffer(let buffer) = frame.data else { return }
      perform(machine.receiveBody(buffer.readableBytesView, endOfStream: frame.endStream), context)
    default:
      break
    }
  }

  /// Nothing more is read while a request is being authorized.
  func read(context: ChannelHandlerContext) {
    if machine.isAuthorizing { isReadHeld = true } else { context.read() }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Most requests come whole, and need no timer.
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
    authorization?.cancel()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    machine.close()
    context.close(promise: nil)
  }

  private func open(_ head: RequestHead, endOfStream: Bool, _ context: ChannelHandlerContext) {
    isHead = head.method == "HEAD"
    switch client.session(claiming: head).open(head, from: client) {
    case .answer(let response):
      machine.refuse(endOfStream: endOfStream)
      send(response, context)
    case .read(let exchange):
      self.exchange = exchange
      let authorization = exchange.authorization
      let action = machine.accept(
        bodyLimit: exchange.bodyLimit, needsAuthorization: authorization != nil,
        continues: !endOfStream && head.expectsContinue, endOfStream: endOfStream)
      if let authorization { authorize(authorization, context) }
      perform(action, context)
    }
  }

  private func authorize(
    _ authorization: @escaping @Sendable () async -> Authorization, _ context: ChannelHandlerContext
  ) {
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    self.authorization = Task(executorPreference: client.gateway.executor) {
      let result = await authorization()
      eventLoop.execute { handler.value.authorized(result) }
    }
  }

  private func authorized(_ authorization: Authorization) {
    guard let context else { return }
    switch authorization {
    case .granted:
      client.noteAuthenticated(as: nil)
      perform(machine.authorized(), context)
    case .denied(let response):
      machine.refuseAuthorization()
      send(response, context)
    }
    if machine.isReceiving && bodyDeadline == nil { expectBody(context) }
    if isReadHeld {
      isReadHeld = false
      context.read()
    }
  }

  private func expectBody(_ context: ChannelHandlerContext) {
    let duration = machine.isAnswered ? limits.discardDuration : limits.bodyDuration
    bodyDeadline = ClientDeadline(duration, on: context.channel.parent ?? context.channel, limits) {
      self.bodyDeadline = nil
      guard let context = self.context else { return }
      self.perform(self.machine.receiveTimeout(), context)
      // The client has the answer that it is late, and a little longer to end its request.
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
    case .sendContinue:
      let head = HPACKHeaders([(":status", "100")])
      context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: head))), promise: nil)
    case .submit(let body):
      submit(body, context)
    case .refuse(let fault):
      if let response = exchange?.refuse(fault.error(limits, bodyLimit: exchange?.bodyLimit ?? 0)) {
        send(response, context)
      }
    case .reset:
      context.close(promise: nil)
    }
  }

  private func submit(_ body: [UInt8], _ context: ChannelHandlerContext) {
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    exchange?.receive(body) { response in
      eventLoop.execute { handler.value.respond(response) }
    }
  }

  // MARK: The response

  private func respond(_ response: Response) {
    if let context, machine.receiveResponse() { send(response, context) }
  }

  private func send(_ response: Response, _ context: ChannelHandlerContext) {
    guard response.delay == .zero else {
      context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(response.delay)) {
        if let context = self.context { self.write(response, context) }
      }
      return
    }
    write(response, context)
  }

  private func write(_ response: Response, _ context: ChannelHandlerContext) {
    var headers = HPACKHeaders()
    headers.reserveCapacity(response.fields.fields.count + 2)
    headers.add(name: ":status", value: String(response.status))
    for field in response.fields.fields { headers.add(name: field.name.lowercased(), value: field.value) }
    defer { client.end(response.connection) }
    guard !response.body.isEmpty else {
      return context.writeAndFlush(
        wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: nil)
    }
    if response.fields["content-length"] == nil {
      headers.add(name: "content-length", value: String(response.body.count))
    }
    context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: isHead))), promise: nil)
    guard !isHead else { return context.flush() }
    let written = context.eventLoop.makePromise(of: Void.self)
    let frame = HTTP2Frame.FramePayload.Data(
      data: .byteBuffer(context.channel.allocator.buffer(bytes: response.body)), endStream: true)
    context.writeAndFlush(wrapOutboundOut(.data(frame)), promise: written)
    expectWritten(written.futureResult, context)
  }

  /// Resets the stream where the client grants no window for the body: it has the status, and must not hold a stream.
  private func expectWritten(_ written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
    let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.answerDuration)) {
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
