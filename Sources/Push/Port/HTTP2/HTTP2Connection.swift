import HTTP
import HTTP2Session
import HandsetCore
import NIOCore
import Synchronization

/// One HTTP/2 connection. Input passes through the limits to libnghttp2; its output goes to the client in one write for
/// each read or batch of answers. A connection without a complete request has no session, which takes 12 to 47 kB.
final class HTTP2Connection: HTTP2SessionDelegate, ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = Never
  typealias OutboundOut = ByteBuffer

  /// The stages of the connection's end, in their order.
  private enum Closing: Comparable {
    case no
    /// The server is stopping; the client has sent no request, and has a moment to do so.
    case soon
    /// New streams are ignored, the others are answered. GOAWAY is due only then, because Python's h2 treats it as the
    /// last frame.
    case draining
    /// The client has a moment to read the last answers.
    case answered
    case due
    /// GOAWAY is sent; further input is ignored.
    case sent
  }

  private let port: Port
  private let isProgressing: () -> Bool
  private let connections: (String) -> Int
  private let makeClient: (HTTP2Connection) -> Client
  private lazy var client = makeClient(self)
  /// Its part of the test bench; nil on a desk. The path of a push does not look at
  /// it, only at what its faults have changed: `faultsLastStream`, `closesAfterFault` and the machine's `faults`.
  private let benched: BenchedConnection?
  // Accesses to these and to the properties of a stream are not checked, which took 3 % of a push's instructions. None
  // overlaps another: what changes them calls nothing of this object, but for `machine.next`, which asks for the state
  // of a stream.
  @exclusivity(unchecked) private var machine: StateMachine
  /// Nil until a complete header block, or another frame, arrives that is not part of a greeting.
  @exclusivity(unchecked) private var session: HTTP2Session?
  /// Bytes for the session, until it exists.
  private var withheld = ByteBuffer()
  /// If true, the session's acknowledgement of the client's first SETTINGS is dropped: one is already sent.
  private var hasAcknowledged = false
  private var context: ChannelHandlerContext?
  @exclusivity(unchecked) private var streams: [UInt32: HTTP2Stream] = [:]
  /// The stream of the current or the last header block, while it is open.
  @exclusivity(unchecked) private var current: HTTP2Stream?
  /// The request's head of the current header block. Kept for the next one, which is mostly alike.
  @exclusivity(unchecked) private var head = RequestHead()
  /// True if the current header block is a request's, false for trailers.
  private var readsHead = false
  private var headerListBytes = 0
  /// Streams that may need a deadline: the request is incomplete, or the answer has a body.
  @exclusivity(unchecked) private var unfinished: [HTTP2Stream] = []
  /// Streams to reset after their answers.
  private var abandoned: [UInt32] = []
  private lazy var answers = AnswerQueue()
  /// The number of complete requests that a front end has not answered yet.
  private var underWay = 0
  /// The number of requests refused since the last pause.
  private var refusals = 0
  private var isPausing = false
  /// The number of connections that share the provider's limits, since the last input; nil until it is needed.
  private var sharers: Int?

  /// Frames to send that do not come from the session.
  private var output = ByteBuffer()
  /// If true, output is held, so that a read or a batch of answers causes one write.
  private var holdsOutput = false
  private var isReadHeld = false
  private var closing = Closing.no
  private var goAway: (code: HTTP2ErrorCode, reason: GoAwayReason?) = (.noError, nil)
  private var clientHasGoneAway = false
  /// The last stream of a GOAWAY that a fault has sent; later ones get no answer.
  private var faultsLastStream = UInt32.max
  /// If true, that GOAWAY was the last, and the connection closes when its streams are answered.
  private var closesAfterFault = false
  private var lastRequest = NIODeadline.now()

  /// The deadline for the client to acknowledge our SETTINGS.
  private var settingsDeadline: ClientDeadline?
  private var idleTimer: Scheduled<Void>?
  /// The timer that closes the connection: if the client does not read, while draining, and after GOAWAY.
  private var deadline: Scheduled<Void>?
  private var frameDeadline: ClientDeadline?
  /// The number of the frame that `frameDeadline` is for.
  private var awaitedFrame = 0

  private var limits: PortLimits { port.limits }

  /// - Parameters:
  ///   - isAuthenticated: true if a provider has already authenticated by its certificate.
  ///   - benched: the connection's part of the test bench.
  ///   - isProgressing: returns true if a connection of the client's address has made progress lately.
  ///   - connections: returns the number of a provider's connections, by its name.
  ///   - makeClient: called at the first request.
  init(
    port: Port, isAuthenticated: Bool, benched: BenchedConnection? = nil, isProgressing: @escaping () -> Bool,
    connections: @escaping (String) -> Int, makeClient: @escaping (HTTP2Connection) -> Client
  ) {
    self.port = port
    self.isProgressing = isProgressing
    self.connections = connections
    self.makeClient = makeClient
    self.benched = benched
    machine = StateMachine(port, isAuthenticated: isAuthenticated)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if let benched { begin(benched) }
    settingsDeadline = ClientDeadline(
      limits.handshakeDuration, on: context.channel, limits, isExcused: isProgressing,
      act: { _ in self.end(.settingsTimeout, "no acknowledgement of SETTINGS") })
    output.writeImmutableBuffer(machine.settings())
    flush()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    close()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    close()
    context.fireChannelInactive()
  }

  /// Closes the connection: after an error of TLS or the socket no GOAWAY can be sent.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    port.logger.debug("connection error", metadata: ["error": "\(error)", "from": "\(context.source)"])
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerStops where machine.lastStream == 0:
      guard closing == .no else { break }
      closing = .soon
      after(limits.firstBytesDurationAtShutdown, context) { self.drain(.shutdown) }
    case is ServerStops, is ChannelShouldQuiesceEvent: drain(.shutdown)
    case let work as WorkUnderWay where acceptsInput:
      work.ofServer = streams.values.contains { $0.machine.hasEnded && !$0.isAnswered }
      work.ofClient = !streams.isEmpty
      // GOAWAY is sent soon, however the client behaves.
      work.mayBegin = closing == .soon || closing == .answered
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: In

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard acceptsInput else { return }
    machine.receive(unwrapInboundIn(data))
    holdsOutput = true
    takeInput()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    holdsOutput = false
    flush()
    expectRestOfFrame(context)
    context.fireChannelReadComplete()
  }

  private func perform(_ step: StateMachine.Step) {
    switch step {
    case .forward(let bytes): forward(bytes)
    case .acknowledged:
      exchange(&settingsDeadline, with: nil)?.cancel()
      expectRequest(within: TimeAmount(limits.idleDuration))
    case .clientGoesAway: clientHasGoneAway = true
    case .reset(let stream, let code): session?.reset(stream, code)
    case .end(let code, let problem): end(code, problem)
    }
  }

  private func forward(_ bytes: ByteBuffer) {
    var bytes = bytes
    if session == nil {
      let isSettings = FrameHeader(at: bytes.readerIndex, of: bytes)?.kind == FrameHeader.Kind.settings
      withheld.writeBuffer(&bytes)
      if isSettings && !machine.needsSession {
        hasAcknowledged = true
        FrameHeader(length: 0, kind: FrameHeader.Kind.settings, flags: 1).write(to: &output)
      }
      guard machine.needsSession || withheld.readableBytes > limits.withheldBytes else { return }
      session = HTTP2Session(.server, delegate: self)
      swap(&bytes, &withheld)
    }
    guard let session, let code = bytes.withUnsafeReadableBytes({ session.receive($0) }) else { return }
    end(code, "not readable as HTTP/2")
  }

  // MARK: Out

  /// Sends all output that `body` causes in one write.
  private func together(_ body: () -> Void) {
    holdsOutput = true
    body()
    holdsOutput = false
    flush()
  }

  /// Sends all pending output in one write.
  private func flush() {
    guard !holdsOutput, let context else { return }
    // Output caused below goes into the same write.
    holdsOutput = true
    defer { holdsOutput = false }
    var bytes = exchange(&output, with: ByteBuffer())
    takeOutput(into: &bytes)
    for stream in abandoned { session?.reset(stream, .cancel) }
    abandoned = []
    takeOutput(into: &bytes)
    expectEnds(context)
    if streams.isEmpty {
      if closing == .draining {
        closing = .answered
        after(limits.lastAnswerDuration, context) { self.end(.noError, "", reason: self.goAway.reason) }
      }
      if clientHasGoneAway { end(.noError, "") }
      if closesAfterFault, closing < .due { closeWithoutGoAway(context) }
    }
    if closing == .due {
      writeGoAway(to: &bytes)
      // Closing at once would lose GOAWAY: the kernel resets a connection that is closed with unread bytes.
      closing = .sent
      cancelDeadlines()
      closeConnection(after: goAway.code == .noError ? limits.lastGoAwayDelay : limits.goAwayDelay, context)
      readOn(context)
    }
    if bytes.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
  }

  private func takeOutput(into bytes: inout ByteBuffer) {
    while let frame = session?.nextOutput() { take(frame, into: &bytes) }
  }

  /// Adds a frame of the session. Its GOAWAY is replaced by ours, which names the last accepted stream.
  private func take(_ frame: UnsafeRawBufferPointer, into bytes: inout ByteBuffer) {
    let start = bytes.writerIndex
    bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: frame.count) { free in
      free.copyMemory(from: frame)
      return frame.count
    }
    // Most are answers.
    guard frame.count > 3, frame[3] != FrameHeader.Kind.headers, let header = FrameHeader(at: start, of: bytes) else {
      return
    }
    switch header.kind {
    case FrameHeader.Kind.reset where benched?.resetStreams.remove(header.stream) != nil:
      // No error of the client. The stream is closed already.
      machine.giveUp(header.stream)
    case FrameHeader.Kind.reset:
      let code = bytes.getInteger(at: start + FrameHeader.size, as: UInt32.self) ?? 0
      let next = machine.resetSent(header.stream, code: code, streams[header.stream]?.state ?? .closed)
      if let next { perform(next) }
    case FrameHeader.Kind.goAway:
      let code = bytes.getInteger(at: start + FrameHeader.size + 4, as: UInt32.self) ?? 0
      bytes.moveWriterIndex(to: start)
      end(HTTP2ErrorCode(rawValue: code) ?? .protocolError, "")
    case FrameHeader.Kind.settings where hasAcknowledged:
      hasAcknowledged = false
      bytes.moveWriterIndex(to: start)
    default: break
    }
  }

  private func writeGoAway(to bytes: inout ByteBuffer) {
    let body = goAway.reason.map { "{\"reason\":\"\($0.rawValue)\"}" } ?? ""
    FrameHeader(length: 8 + body.utf8.count, kind: FrameHeader.Kind.goAway).write(to: &bytes)
    bytes.writeInteger(machine.lastStream)
    bytes.writeInteger(goAway.code.rawValue)
    bytes.writeString(body)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if closing == .no { exchange(&deadline, with: nil)?.cancel() }
      readOn(context)
    } else if deadline == nil {
      closeConnection(after: limits.answerDuration, context)
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: Faults of the test bench

  private func begin(_ benched: BenchedConnection) {
    benched.openedStream = { [weak self] in self?.current?.number }
    benched.act = { [weak self] action, stream in self?.perform(action, on: stream) }
    for case .settings(let streams, let window) in benched.firstSettings() {
      machine.faults.change(streams, window)
    }
  }

  private func perform(_ fault: BenchAction, on stream: UInt32?) {
    switch fault {
    case .silence: leave(stream)
    case .reset(let code):
      guard let stream, let session else { break }
      leave(stream)
      benched?.resetStreams.insert(stream)
      session.reset(stream, rawCode: code)
      flush()
    case .goAway(let last, let code, let closes):
      // Its request ends with this; those of other streams are answered, and nobody hears it.
      if let last, let stream, stream > last { leave(stream) }
      sendGoAway(last ?? machine.lastStream, code, closes: closes)
    case .settings(let streams, let window): send(streams, window)
    case .cut:
      guard let context, closing < .sent else { break }
      // Input that is read already has no effect. The session may be reading, so it ends later.
      closing = .sent
      cancelDeadlines()
      context.eventLoop.assumeIsolated().execute { self.context?.channel.cut() }
    case .answer, .wait, .cutAnswer, .certificate: break
    }
  }

  /// A request that waited for its answer gets none.
  private func leave(_ stream: UInt32?) {
    guard let stream = stream.flatMap({ streams[$0] }), stream.machine.isSubmitted, !stream.isLeft else { return }
    stream.isLeft = true
    underWay -= 1
  }

  private func sendGoAway(_ last: UInt32, _ code: UInt32, closes: Bool) {
    FrameHeader(length: 8, kind: FrameHeader.Kind.goAway).write(to: &output)
    output.writeInteger(last)
    output.writeInteger(code)
    faultsLastStream = min(faultsLastStream, last)
    closesAfterFault = closes
    for stream in streams.values where stream.number > last {
      streams[stream.number] = nil
      machine.giveUp(stream.number)
      benched?.streamLeft(stream.number)
      if stream === current { current = nil }
      stream.close()
    }
    flush()
  }

  private func send(_ streams: Int?, _ window: Int?) {
    machine.faults.change(streams, window)
    output.writeImmutableBuffer(machine.settings())
    // A smaller window counts what open streams have sent already.
    if window != nil { for stream in self.streams.values { enlarge(stream, by: stream.machine.received) } }
    flush()
  }

  /// Gives the client's window back what it has used. libnghttp2 has a larger one, and does so too late.
  private func enlarge(_ stream: HTTP2Stream, by bytes: Int) {
    guard bytes > 0, !stream.machine.hasEnded else { return }
    FrameHeader(length: 4, kind: FrameHeader.Kind.windowUpdate, stream: stream.number).write(to: &output)
    output.writeInteger(UInt32(bytes))
  }

  private func closeWithoutGoAway(_ context: ChannelHandlerContext) {
    closing = .sent
    cancelDeadlines()
    closeConnection(after: limits.lastGoAwayDelay, context)
    readOn(context)
  }

  // MARK: The end

  private var acceptsInput: Bool { closing < .due }

  /// True if no more streams are opened: the connection ends when the open ones are answered.
  private var isDraining: Bool { closing == .draining || closing == .answered }

  /// Sends GOAWAY and closes the connection. The problem is for the log, the reason for the client.
  func end(_ code: HTTP2ErrorCode, _ problem: String, reason: GoAwayReason? = nil) {
    guard acceptsInput else { return }
    port.logger.debug(
      "connection ended", metadata: ["code": "\(code)", "error": "\(problem)", "from": "\(context?.source ?? "-")"])
    benched?.ends("GOAWAY \(code): \(reason?.rawValue ?? problem)")
    closing = .due
    goAway = (code, reason)
    flush()
  }

  /// Accepts no further requests, answers those under way, and ends. GOAWAY names the last accepted one, so that a
  /// client may send later ones again [RFC 9113, 6.8].
  func drain(_ reason: GoAwayReason) {
    guard closing < .draining, let context else { return }
    closing = .draining
    goAway.reason = reason
    benched?.ends("GOAWAY noError: \(reason.rawValue)")
    for stream in streams.values { stream.source?.end() }
    deadline?.cancel()
    closeConnection(after: limits.closingDuration, context)
    flush()
  }

  /// Closes the connection for the server; sends GOAWAY if it is still draining, because a request is incomplete.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if closing == .draining {
      closing = .sent
      var bytes = ByteBuffer()
      writeGoAway(to: &bytes)
      context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
    context.close(mode: mode, promise: promise)
  }

  /// Raises the number of streams: a provider has authenticated.
  func allowMoreStreams() {
    output.writeImmutableBuffer(machine.authenticated())
    flush()
  }

  private func close() {
    closing = .sent
    for stream in streams.values { stream.close() }
    streams = [:]
    unfinished = []
    current = nil
    session = nil
    cancelDeadlines()
  }

  // MARK: Deadlines

  @discardableResult
  private func after(
    _ duration: Duration, _ context: ChannelHandlerContext, _ act: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration), act)
  }

  private func closeConnection(after duration: Duration, _ context: ChannelHandlerContext) {
    deadline = after(duration, context) { self.context?.close(promise: nil) }
  }

  private func expectRequest(within duration: TimeAmount) {
    guard let eventLoop = context?.eventLoop else { return }
    idleTimer = eventLoop.assumeIsolated().scheduleTask(in: duration) {
      let idle = TimeAmount(self.limits.idleDuration)
      let now = eventLoop.now
      if !self.streams.isEmpty { self.lastRequest = now }
      if now < self.lastRequest + idle {
        self.expectRequest(within: self.lastRequest + idle - now)
      } else {
        self.drain(.idleTimeout)
      }
    }
  }

  /// Ends the connection if a frame does not end in time, however many of its bytes arrive meanwhile.
  private func expectRestOfFrame(_ context: ChannelHandlerContext) {
    guard machine.isWithinFrame && acceptsInput && hasRoom else {
      exchange(&frameDeadline, with: nil)?.cancel()
      return
    }
    guard frameDeadline == nil || awaitedFrame != machine.frameCount else { return }
    frameDeadline?.cancel()
    awaitedFrame = machine.frameCount
    frameDeadline = ClientDeadline(limits.frameDuration, on: context.channel, limits) { _ in
      self.end(.enhanceYourCalm, "a frame did not end")
    }
  }

  private func cancelDeadlines() {
    exchange(&settingsDeadline, with: nil)?.cancel()
    exchange(&idleTimer, with: nil)?.cancel()
    exchange(&deadline, with: nil)?.cancel()
    exchange(&frameDeadline, with: nil)?.cancel()
  }

  // MARK: The session's events

  override func headersBegin(on stream: UInt32) -> Bool {
    headerListBytes = 0
    // libnghttp2 did not accept the last header block, whose stream has not ended yet.
    if readsHead { current?.malformedHead = head }
    readsHead = false
    current = streams[stream]
    // These are trailers. Their fields are ignored.
    guard current == nil else { return true }
    guard !isDraining && stream <= faultsLastStream else {
      machine.giveUp(stream)
      return true
    }
    guard machine.admitsStream(beside: streams.count) else {
      benched?.refused(stream)
      perform(machine.streamRefused(stream))
      return false
    }
    let opened = HTTP2Stream(stream, discardLimit: limits.discardedBytes)
    streams[stream] = opened
    current = opened
    readsHead = true
    head.removeAll()
    return true
  }

  override func header(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on stream: UInt32) -> Bool {
    headerListBytes += name.count + value.count + 32
    guard headerListBytes <= limits.advertisedHeaderListBytes else {
      end(.enhanceYourCalm, "the headers are larger than was advertised")
      return false
    }
    if readsHead { head.add(name, value) }
    return true
  }

  override func headersEnd(on stream: UInt32, endsStream: Bool) {
    guard let current else { return }
    if endsStream { receivedEnd(of: current) }
    guard exchange(&readsHead, with: false) else { return }
    machine.streamOpened(stream)
    open(current)
  }

  /// Records a stream that was reset, and a request whose header fields libnghttp2 does not accept: its stream is reset
  /// without an answer.
  private func noteReset(_ stream: HTTP2Stream, code: UInt32) {
    let isFault = benched?.resetStreams.contains(stream.number) == true
    guard code == HTTP2ErrorCode.protocolError.rawValue, stream.machine.isWaitingForHead, !isFault else {
      benched?.streamReset(stream.number)
      return
    }
    let head = stream.malformedHead ?? head
    benched?.malformed(head, stream.number)
    let place = head.path.isEmpty ? ":path" : "its header fields"
    let refusal = RefusedPush(
      id: head.headers["apns-id"].flatMap { PushID($0) }, topic: head.headers["apns-topic"].flatMap { AppID($0) },
      status: 400, reason: "BadRequest",
      detail: "HTTP/2 does not allow the request [RFC 9113, 8.2 and 8.3], because of \(place): no blank may be in a "
        + "pseudo-header field, none twice, no capital letter in a field's name, no Connection field; its stream was reset"
    )
    // Malformed streams have a limit of their own.
    _ = client.refusals.note(refusal, isCounted: false)
  }

  /// Returns an open stream; without a hash if the last header block was of it, as mostly.
  private func stream(_ number: UInt32) -> HTTP2Stream? {
    if let current, current.number == number { return current }
    return streams[number]
  }

  override func data(_ bytes: UnsafeRawBufferPointer, on stream: UInt32) {
    guard let stream = self.stream(stream) else { return }
    let before = stream.machine.received
    perform(stream.machine.receiveBody(bytes, of: stream.exchange), stream)
    if machine.faults.window != nil { enlarge(stream, by: bytes.count) }
    // A discarded body may last as long as it keeps arriving: each step renews its deadline. Pauses limit its rate.
    let step = max(1, limits.skippedBytesPerSecond / limits.pausesPerSecond)
    guard stream.machine.isSkipping, before / step < stream.machine.received / step else { return }
    stream.cancelDeadline()
    unfinished.append(stream)
    if !isPausing { pause() }
  }

  override func dataEnds(on stream: UInt32) {
    if let stream = self.stream(stream) { receivedEnd(of: stream) }
  }

  private func receivedEnd(of stream: HTTP2Stream) {
    perform(stream.machine.receiveEnd(), stream)
    if !stream.isUnfinished { stream.cancelDeadline() }
  }

  override func writeBody(of stream: UInt32, to buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
    guard let stream = streams[stream] else { return (0, true) }
    if stream.answer.isEmpty { takeMore(of: stream) }
    let part = stream.answer.prefix(buffer.count)
    buffer.copyBytes(from: part)
    stream.answer.removeFirst(part.count)
    // The client may grant no window for the rest.
    if stream.source != nil && !stream.answer.isEmpty { unfinished.append(stream) }
    return (part.count, stream.answer.isEmpty && stream.source == nil)
  }

  /// Takes the bytes that a streamed body has so far. If there are none, libnghttp2 asks again once there are.
  private func takeMore(of stream: HTTP2Stream) {
    guard let source = stream.source, let eventLoop = context?.eventLoop else { return }
    let connection = NIOLoopBound(self, eventLoop: eventLoop)
    let number = stream.number
    let (bytes, isEnd) = source.take {
      eventLoop.execute {
        connection.value.together { connection.value.session?.resume(number) }
      }
    }
    stream.answer = bytes[...]
    if isEnd { stream.source = nil }
  }

  override func streamClosed(_ stream: UInt32, code: UInt32) {
    guard let stream = streams.removeValue(forKey: stream) else { return }
    if code != 0 { noteReset(stream, code: code) }
    if stream === current { current = nil }
    stream.close()
  }

  // MARK: Requests

  private func open(_ stream: HTTP2Stream) {
    lastRequest = .now()
    stream.isHead = head.method == "HEAD"
    if !stream.machine.hasEnded { unfinished.append(stream) }
    switch client.open(head) {
    case .answer(let response):
      stream.machine.refuse()
      send(response, on: stream)
    case .read(let exchange):
      stream.exchange = exchange
      let authorization = exchange.authorization
      let action = stream.machine.accept(
        bodyLimit: exchange.bodyLimit, skipLimit: exchange.skipLimit,
        needsAuthorization: authorization != nil, continues: head.expectsContinue)
      if let authorization { authorize(stream, authorization) }
      perform(action, stream)
    }
  }

  private func authorize(_ stream: HTTP2Stream, _ authorization: @escaping @Sendable () async -> HTTPResponse?) {
    guard let eventLoop = context?.eventLoop else { return }
    let connection = NIOLoopBound(self, eventLoop: eventLoop)
    let number = stream.number
    stream.authorization = Task(executorPreference: port.executor) {
      let denial = await authorization()
      eventLoop.execute { connection.value.authorized(number, denial) }
    }
  }

  private func authorized(_ number: UInt32, _ denial: HTTPResponse?) {
    guard let stream = streams[number] else { return }
    together {
      if let denial {
        stream.machine.refuse()
        send(denial, on: stream)
      } else {
        client.noteAuthenticated()
        perform(stream.machine.authorized(), stream)
      }
      unfinished.append(stream)
    }
  }

  private func perform(_ action: HTTP2Stream.StateMachine.Action, _ stream: HTTP2Stream) {
    switch action {
    case .nothing: break
    case .sendContinue: session?.sendContinue(on: stream.number)
    case .submit(let body): submit(body, stream)
    case .refuse(let error):
      if let response = stream.exchange?.refuse(error) { send(response, on: stream) }
    case .reset: abandoned.append(stream.number)
    }
  }

  private func submit(_ body: [UInt8], _ stream: HTTP2Stream) {
    guard let eventLoop = context?.eventLoop else { return }
    let connection = NIOLoopBound(self, eventLoop: eventLoop)
    let (answers, number) = (answers, stream.number)
    guard let opened = exchange(&stream.exchange, with: nil) else { return }
    underWay += 1
    opened.receive(body, of: stream.machine.received) { response in
      if answers.add(response, to: number) { eventLoop.execute { connection.value.takeAnswers() } }
    }
  }

  // MARK: Answers

  private func takeAnswers() {
    together {
      let taken = answers.takeAll()
      underWay -= taken.count
      for (number, response) in taken {
        guard let stream = streams[number], stream.machine.receiveResponse() else { continue }
        send(response, on: stream)
      }
    }
    takeOn()
  }

  private func send(_ response: HTTPResponse, on stream: HTTP2Stream) {
    guard response.delay != .zero else { return write(response, on: stream) }
    context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(response.delay)) {
      if self.streams[stream.number] === stream { self.together { self.write(response, on: stream) } }
    }
  }

  private func write(_ response: HTTPResponse, on stream: HTTP2Stream) {
    defer { client.end(response.connection) }
    let bytes = response.bytes
    let source = response.live
    let hasBody = (!bytes.isEmpty || source != nil) && !stream.isHead
    stream.isAnswered = true
    if response.status >= 400 { refusals += 1 }
    if hasBody {
      (stream.answer, stream.source) = (bytes[...], source)
      unfinished.append(stream)
    }
    session?.respond(to: stream.number, hasBody: hasBody) { fields in
      fields.add(status: response.status)
      // The identifiers of APNs are new in each answer.
      response.headers.eachField { name, value in
        let isNew = UnsafeRawBufferPointer(rebasing: name.prefix(5)).hasBytes(of: "apns-")
        fields.add(name, value, isIndexed: !isNew)
      }
      if !bytes.isEmpty && response.headers["content-length"] == nil {
        fields.add("content-length", String(bytes.count))
      }
    }
  }

  /// Starts the timers of unfinished streams, one for all with the same time. Most requests and answers are transmitted
  /// at once and need none.
  private func expectEnds(_ context: ChannelHandlerContext) {
    var shared: (deadline: ClientDeadline, duration: Duration)?
    for stream in unfinished where stream.isUnfinished && stream.deadline == nil {
      let duration =
        stream.machine.isCollecting
        ? limits.bodyDuration : stream.answer.isEmpty ? limits.discardDuration : limits.answerDuration
      if let shared, shared.duration == duration {
        shared.deadline.users += 1
      } else {
        shared = (ClientDeadline(duration, on: context.channel, limits, act: endLateStreams), duration)
      }
      stream.deadline = shared?.deadline
    }
    unfinished.removeAll(keepingCapacity: true)
  }

  private func endLateStreams(_ deadline: ClientDeadline) {
    together {
      for stream in streams.values where stream.deadline === deadline {
        stream.deadline = nil
        guard stream.isUnfinished else { continue }
        // Without a window for the answer the stream is reset. The client has the status, and must not hold a stream.
        perform(stream.answer.isEmpty ? stream.machine.receiveTimeout() : .reset, stream)
        // After the answer 408, the client has a little longer to end its request.
        unfinished.append(stream)
      }
    }
  }

  // MARK: The share of input

  // A client may send hundreds of requests at once, and a provider may do so on hundreds of connections: input beyond a
  // connection's share waits in the kernel, where it costs other providers nothing.

  /// Handles the input that has arrived, as far as there is room.
  private func takeInput() {
    sharers = nil
    while acceptsInput, hasRoom, let step = machine.next({ self.stream($0)?.state ?? .closed }) { perform(step) }
  }

  /// Handles the input that was left, and reads on. None was left unless reading is held.
  private func takeOn() {
    guard isReadHeld, let context else { return }
    together(takeInput)
    expectRestOfFrame(context)
    readOn(context)
  }

  /// Reads, or holds reading while the client does not read its answers or there is no room.
  func read(context: ChannelHandlerContext) {
    if mayRead(context) { context.read() } else { isReadHeld = true }
  }

  private func readOn(_ context: ChannelHandlerContext) {
    guard isReadHeld, mayRead(context) else { return }
    isReadHeld = false
    context.read()
  }

  private func mayRead(_ context: ChannelHandlerContext) -> Bool {
    !acceptsInput || context.channel.isWritable && hasRoom
  }

  /// True if the connection has fewer requests under way, and fewer recent refusals, than its share of its provider's
  /// limits. Begins a pause if its share of refusals is used up.
  private var hasRoom: Bool {
    guard !isPausing else { return false }
    guard underWay >= limits.requestsUnderWayEach || refusals > 0 else { return true }
    let count = sharers ?? max(1, client.refusals.providerName.map(connections) ?? 1)
    sharers = count
    if refusals >= max(1, limits.refusalsPerSecond / limits.pausesPerSecond / count) {
      pause()
      return false
    }
    return underWay < max(limits.requestsUnderWayEach, limits.requestsUnderWay / count)
  }

  private func pause() {
    guard let context else { return }
    isPausing = true
    after(.seconds(1) / limits.pausesPerSecond, context) {
      (self.isPausing, self.refusals) = (false, 0)
      self.takeOn()
    }
  }

  enum StreamState {
    /// It has ended on both sides, was refused, or its number was passed over.
    case closed
    /// The client has not ended it, and has no answer.
    case receiving
    case received
    /// Its answer is sent, and the client has not ended it.
    case answered
  }

  /// The settings that a fault has made, of a connection with a test bench; nil for the usual ones. The number of streams
  /// holds at once, whether or not the client has acknowledged it.
  struct FaultySettings {
    private(set) var streams: Int?
    private(set) var window: Int?

    mutating func change(_ streams: Int?, _ window: Int?) {
      if let streams { self.streams = streams }
      if let window { self.window = window }
    }
  }

  /// Decisions on frames, without a socket, where libnghttp2 has no limit or ends a connection for an error of one stream.
  struct StateMachine {
    enum Step: Hashable {
      /// The preface or a frame, for libnghttp2.
      case forward(ByteBuffer)
      /// The client has acknowledged our first SETTINGS.
      case acknowledged
      case clientGoesAway
      case reset(UInt32, HTTP2ErrorCode)
      case end(HTTP2ErrorCode, String)
    }

    /// SETTINGS_MAX_FRAME_SIZE, left at its initial value [RFC 9113, 6.5.2].
    static let frameBytes = 16 * 1024

    /// The source of limits and clock. Copied limits would take memory in every connection.
    private let port: Port
    /// Received bytes, from the beginning of the next frame.
    private var input = ByteBuffer()
    private var hasPreface = false
    private var isInHeaderBlock = false
    private var continuations = 0

    private var highestStream: UInt32 = 0
    /// The highest number that the client passed over: streams up to it may never have existed.
    private var lastSkippedStream: UInt32 = 0
    /// The last stream whose request was accepted, and so the last that may have had an effect.
    private(set) var lastStream: UInt32 = 0
    /// Streams that we reset or ignored before the client ended them, latest last: frames on their way are no error.
    private var givenUp: [UInt32] = []

    private var unacknowledgedSettings = 0
    private var isAcknowledged = false
    private var isAuthenticated: Bool
    var faults = FaultySettings()
    private var hasClientSettings = false
    /// True if a complete frame or header block beyond a greeting has arrived.
    private(set) var needsSession = false
    /// The number of frames; a header block counts as one. Tells one slow frame from many quick ones.
    private(set) var frameCount = 0

    private var overheadFrames = 0
    private var controlFrames: RateBucket
    private var resets: RateBucket
    private var streamErrors: RateBucket

    init(_ port: Port, isAuthenticated: Bool = false) {
      self.port = port
      self.isAuthenticated = isAuthenticated
      controlFrames = RateBucket(now: port.clock.machineUptime())
      resets = controlFrames
      streamErrors = controlFrames
    }

    private var limits: PortLimits { port.limits }

    // MARK: What the client sends

    mutating func receive(_ bytes: ByteBuffer) {
      if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
    }

    /// Returns the next step for the received bytes; nil if more are needed.
    mutating func next(_ stateOf: (UInt32) -> StreamState) -> Step? {
      guard hasPreface else { return takePreface() }
      while let header = FrameHeader(at: input.readerIndex, of: input) {
        guard header.length <= Self.frameBytes else { return .end(.frameSizeError, "a frame is too large") }
        guard let frame = input.readSlice(length: FrameHeader.size + header.length) else { break }
        let isGreeting = takeGreeting(header)
        let isInterloper = isInHeaderBlock && header.kind != FrameHeader.Kind.continuation
        let isOpened = header.isOfClient && header.stream <= highestStream
        let step = judge(header, frame, isOpened ? stateOf(header.stream) : nil)
        // A part of a header block is of no use to a session, which would only take memory.
        if !isGreeting && (!isInHeaderBlock || isInterloper) { needsSession = true }
        if let step { return step }
      }
      // A slice would keep the whole buffer that it was read in.
      if input.readerIndex > 0 { input = ByteBuffer(bytes: input.readableBytesView) }
      return nil
    }

    /// True if the client has begun a frame or a header block, and not ended it.
    var isWithinFrame: Bool { hasPreface && input.readableBytes > 0 || isInHeaderBlock }

    private mutating func takePreface() -> Step? {
      let count = min(ProtocolDetector.preface.count, input.readableBytes)
      guard input.readableBytesView.prefix(count).elementsEqual(ProtocolDetector.preface.prefix(count)) else {
        return .end(.protocolError, "no preface of HTTP/2")
      }
      guard count == ProtocolDetector.preface.count else { return nil }
      hasPreface = true
      return input.readSlice(length: count).map { .forward($0) }
    }

    /// - Parameter state: nil if the client has opened no stream with that number.
    private mutating func judge(_ header: FrameHeader, _ frame: ByteBuffer, _ state: StreamState?) -> Step? {
      let pass = Step.forward(frame)
      guard header.kind != FrameHeader.Kind.continuation else { return continueHeaders(header) ?? pass }
      frameCount &+= 1
      // libnghttp2 ends the connection: a header block must not contain other frames.
      guard !isInHeaderBlock else { return pass }
      switch header.kind {
      case FrameHeader.Kind.headers: return judgeHeaders(header, state) ?? pass
      case FrameHeader.Kind.data: return judgeData(header, state) ?? pass
      case FrameHeader.Kind.reset where header.length == 4 && state != nil:
        _ = hasGivenUp(header.stream, forgets: true)
        // libcurl 7.88 resets every answered stream. The rapid-reset attack resets streams before the answer.
        guard state == .receiving || state == .received else { return countOverhead() ?? pass }
        return resets.exceeds(limits.resetsPerWindow, port.clock) ? .end(.enhanceYourCalm, "too many resets") : pass
      // libnghttp2 refuses a malformed reset.
      case FrameHeader.Kind.reset: return pass
      case FrameHeader.Kind.settings where header.isAcknowledgement: return judgeAcknowledgement(header, pass)
      case FrameHeader.Kind.settings, FrameHeader.Kind.priority, FrameHeader.Kind.ping:
        return controlFrames.exceeds(limits.controlFramesPerWindow, port.clock)
          ? .end(.enhanceYourCalm, "too many PING, SETTINGS and PRIORITY frames") : pass
      case FrameHeader.Kind.windowUpdate where state != nil && isZero(frame):
        // libnghttp2 would end the connection.
        return countOverhead() ?? .reset(header.stream, .protocolError)
      case FrameHeader.Kind.goAway where header.stream == 0 && header.length >= 8:
        // After GOAWAY libnghttp2 would read nothing. It also refuses one that names no stream of ours, but we open
        // none.
        return countOverhead() ?? .clientGoesAway
      default: return countOverhead() ?? pass
      }
    }

    /// Returns true if the frame is part of a greeting.
    private mutating func takeGreeting(_ header: FrameHeader) -> Bool {
      guard header.stream == 0 else { return false }
      switch header.kind {
      case FrameHeader.Kind.settings where header.isAcknowledgement:
        return unacknowledgedSettings > 0 && header.length == 0
      case FrameHeader.Kind.settings:
        return !exchange(&hasClientSettings, with: true)
      case FrameHeader.Kind.windowUpdate: return hasClientSettings && !isAcknowledged && header.length == 4
      default: return false
      }
    }

    private mutating func continueHeaders(_ header: FrameHeader) -> Step? {
      if header.endsHeaders { isInHeaderBlock = false }
      continuations += 1
      return isInHeaderBlock && continuations >= limits.continuationFrames
        ? .end(.enhanceYourCalm, "too many CONTINUATION frames") : nil
    }

    private mutating func judgeHeaders(_ header: FrameHeader, _ state: StreamState?) -> Step? {
      let stream = header.stream
      isInHeaderBlock = !header.endsHeaders
      continuations = 0
      if state == nil && header.isOfClient {
        if stream > highestStream + 2 || highestStream == 0 && stream > 1 { lastSkippedStream = stream - 2 }
        highestStream = stream
        overheadFrames = max(0, overheadFrames - limits.overheadFramesPerRequest)
      }
      guard state == StreamState.closed else { return nil }
      if hasGivenUp(stream, forgets: header.endsStream) { return countOverhead() }
      return stream > lastSkippedStream
        ? .end(.streamClosed, "HEADERS on a closed stream")
        : .end(.protocolError, "HEADERS on a stream that was passed over")
    }

    private mutating func judgeData(_ header: FrameHeader, _ state: StreamState?) -> Step? {
      switch state {
      case nil, .received: nil
      case .closed:
        hasGivenUp(header.stream, forgets: header.endsStream)
          ? countOverhead() : .end(.streamClosed, "DATA on a closed stream")
      case .receiving, .answered:
        header.length < limits.smallDataBytes && !header.endsStream && faults.window == nil ? countOverhead() : nil
      }
    }

    /// Returns true if the frame is a WINDOW_UPDATE of 0.
    private func isZero(_ frame: ByteBuffer) -> Bool {
      guard frame.readableBytes == FrameHeader.size + 4 else { return false }
      let word = frame.getInteger(at: frame.readerIndex + FrameHeader.size, as: UInt32.self) ?? 0
      return word & 0x7FFF_FFFF == 0
    }

    private mutating func judgeAcknowledgement(_ header: FrameHeader, _ pass: Step) -> Step? {
      // libnghttp2 has sent no SETTINGS, so it refuses an acknowledgement too many.
      guard header.stream == 0 && header.length == 0 && unacknowledgedSettings > 0 else { return pass }
      unacknowledgedSettings -= 1
      return exchange(&isAcknowledged, with: true) ? nil : .acknowledged
    }

    // MARK: Counting

    /// - Returns: the end of the connection if this is one too many.
    private mutating func countOverhead() -> Step? {
      overheadFrames += 1
      return overheadFrames > limits.overheadFrames
        ? .end(.enhanceYourCalm, "too many frames that ask for nothing") : nil
    }

    // MARK: What we send

    /// Returns SETTINGS for the wire. With its own, libnghttp2 would end the connection at one stream too many, and
    /// refuse streams above a limit that the client has not acknowledged.
    mutating func settings() -> ByteBuffer {
      unacknowledgedSettings += 1
      var buffer = ByteBuffer()
      FrameHeader(length: faults.window == nil ? 12 : 18, kind: FrameHeader.Kind.settings).write(to: &buffer)
      // MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE and MAX_HEADER_LIST_SIZE.
      for (identifier, value) in [
        (UInt16(3), faults.streams ?? (isAuthenticated ? limits.streams : limits.streamsBeforeFirstToken)),
        (4, faults.window), (6, limits.advertisedHeaderListBytes),
      ] {
        guard let value else { continue }
        buffer.writeInteger(identifier)
        buffer.writeInteger(UInt32(value))
      }
      return buffer
    }

    /// Raises the number of streams from now on, and returns the SETTINGS for the wire.
    mutating func authenticated() -> ByteBuffer {
      isAuthenticated = true
      return settings()
    }

    func admitsStream(beside count: Int) -> Bool {
      count < (faults.streams ?? (isAuthenticated || !isAcknowledged ? limits.streams : limits.streamsBeforeFirstToken))
    }

    /// Records a request whose headers are complete and well-formed.
    mutating func streamOpened(_ stream: UInt32) { lastStream = max(lastStream, stream) }

    /// Refuses a stream, and returns the next step.
    mutating func streamRefused(_ stream: UInt32) -> Step {
      giveUp(stream)
      overheadFrames += limits.overheadFramesPerRequest
      return countOverhead() ?? .reset(stream, .refusedStream)
    }

    /// Records that we reset a stream.
    ///
    /// - Returns: the end of the connection if this is one malformed stream too many.
    mutating func resetSent(_ stream: UInt32, code: UInt32, _ state: StreamState) -> Step? {
      if state != .received { giveUp(stream) }
      guard code != HTTP2ErrorCode.cancel.rawValue && code != HTTP2ErrorCode.refusedStream.rawValue else { return nil }
      return streamErrors.exceeds(limits.streamErrorsPerWindow, port.clock)
        ? .end(.enhanceYourCalm, "too many malformed streams") : nil
    }

    /// Records that the client's further frames on a stream are no error.
    mutating func giveUp(_ stream: UInt32) {
      guard !givenUp.contains(stream) else { return }
      if givenUp.count >= limits.rememberedStreams { givenUp.removeFirst() }
      givenUp.append(stream)
    }

    private mutating func hasGivenUp(_ stream: UInt32, forgets: Bool) -> Bool {
      guard let index = givenUp.lastIndex(of: stream) else { return false }
      if forgets { givenUp.remove(at: index) }
      return true
    }
  }
}

/// Answers on their way to the event loop of a connection, which takes all waiting ones at once.
private final class AnswerQueue: Sendable {
  private let waiting = Mutex<[(stream: UInt32, response: HTTPResponse)]>([])

  /// - Returns: true if no other answer was waiting.
  func add(_ response: HTTPResponse, to stream: UInt32) -> Bool {
    waiting.withLock { waiting in
      waiting.append((stream, response))
      return waiting.count == 1
    }
  }

  func takeAll() -> [(stream: UInt32, response: HTTPResponse)] {
    waiting.withLock { exchange(&$0, with: []) }
  }
}

/// The reason why a connection ends without an error, in Apple's words: the data of its GOAWAY.
enum GoAwayReason: String {
  case idleTimeout = "IdleTimeout"
  case shutdown = "Shutdown"
}
