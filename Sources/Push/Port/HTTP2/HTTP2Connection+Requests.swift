// The streams of an HTTP/2 connection: requests go to their front ends within the limits, and answers to the client.

import HTTP
import HTTP2Session
import HandsetCore
import NIOCore
import Synchronization

extension HTTP2Connection: HTTP2SessionDelegate {
  func headersBegin(on stream: UInt32) -> Bool {
    headerListBytes = 0
    current = streams[stream]
    // These are trailers. Their fields are ignored.
    guard current == nil else { return true }
    guard !isDraining else {
      machine.streamIgnored(stream)
      return true
    }
    guard machine.admitsStream(beside: streams.count) else {
      perform(machine.streamRefused(stream))
      return false
    }
    let opened = HTTP2Stream(stream, discardLimit: limits.discardedBytes)
    streams[stream] = opened
    current = opened
    return true
  }

  func header(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on stream: UInt32) -> Bool {
    headerListBytes += name.count + value.count + 32
    guard headerListBytes <= limits.advertisedHeaderListBytes else {
      end(.enhanceYourCalm, "the headers are larger than was advertised")
      return false
    }
    if let current, current.machine.isWaitingForHead { current.head.add(name, value) }
    return true
  }

  func headersEnd(on stream: UInt32, endsStream: Bool) {
    guard let current else { return }
    let isHead = current.machine.isWaitingForHead
    if endsStream { receivedEnd(of: current) }
    guard isHead else { return }
    machine.streamOpened(stream)
    open(current)
  }

  /// Records a request whose header fields libnghttp2 does not accept: its stream is reset without an answer.
  private func noteMalformed(_ stream: HTTP2Stream, code: UInt32) {
    guard code == HTTP2ErrorCode.protocolError.rawValue, stream.machine.isWaitingForHead else { return }
    let head = stream.head
    let place = head.path.isEmpty ? ":path" : "its header fields"
    let refusal = RefusedPush(
      id: head.fields["apns-id"].flatMap { PushID($0) }, topic: head.fields["apns-topic"].flatMap { AppID($0) },
      status: 400, reason: "BadRequest",
      detail: "HTTP/2 does not allow the request [RFC 9113, 8.2 and 8.3], because of \(place): no blank may be in a "
        + "pseudo-header field, none twice, no capital letter in a field's name, no Connection field; its stream was reset"
    )
    // Malformed streams have a limit of their own.
    _ = client.refusals.note(refusal, isCounted: false)
  }

  func data(_ bytes: UnsafeRawBufferPointer, on stream: UInt32) {
    guard let stream = streams[stream] else { return }
    let before = stream.machine.received
    perform(stream.machine.receiveBody(bytes), stream)
    // A discarded body may last as long as it keeps arriving: each step renews its deadline. Pauses limit its rate.
    let step = max(1, limits.skippedBytesPerSecond / limits.pausesPerSecond)
    guard stream.machine.isSkipping, before / step < stream.machine.received / step else { return }
    stream.cancelDeadline()
    unfinished.append(stream)
    if !isPausing { pause() }
  }

  func dataEnds(on stream: UInt32) {
    if let stream = streams[stream] { receivedEnd(of: stream) }
  }

  private func receivedEnd(of stream: HTTP2Stream) {
    perform(stream.machine.receiveEnd(), stream)
    if !stream.isUnfinished { stream.cancelDeadline() }
  }

  func writeBody(of stream: UInt32, to buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
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

  func streamClosed(_ stream: UInt32, code: UInt32) {
    guard let stream = streams.removeValue(forKey: stream) else { return }
    noteMalformed(stream, code: code)
    stream.close()
  }

  // MARK: Requests

  private func open(_ stream: HTTP2Stream) {
    // The head is not kept while the answer is awaited.
    let head = stream.head
    stream.head = RequestHead()
    lastRequest = .now()
    stream.isHead = head.method == "HEAD"
    if !stream.machine.hasEnded { unfinished.append(stream) }
    switch client.session(claiming: head).open(head, from: client) {
    case .answer(let response):
      stream.machine.refuse()
      send(response, on: stream)
    case .read(let exchange):
      stream.exchange = exchange
      let authorization = exchange.authorization
      let action = stream.machine.accept(
        bodyLimit: exchange.bodyLimit, moreBody: exchange.moreBody, skipLimit: exchange.skipLimit,
        needsAuthorization: authorization != nil, continues: head.expectsContinue)
      if let authorization { authorize(stream, authorization) }
      perform(action, stream)
    }
  }

  private func authorize(_ stream: HTTP2Stream, _ authorization: @escaping @Sendable () async -> Response?) {
    guard let eventLoop = context?.eventLoop else { return }
    let connection = NIOLoopBound(self, eventLoop: eventLoop)
    let number = stream.number
    stream.authorization = Task(executorPreference: gateway.executor) {
      let denial = await authorization()
      eventLoop.execute { connection.value.authorized(number, denial) }
    }
  }

  private func authorized(_ number: UInt32, _ denial: Response?) {
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
    if stream.exchange != nil { underWay += 1 }
    stream.exchange?.receive(body, of: stream.machine.received) { response in
      if answers.add(response, to: number) { eventLoop.execute { connection.value.takeAnswers() } }
    }
    stream.exchange = nil
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

  private func send(_ response: Response, on stream: HTTP2Stream) {
    guard response.delay != .zero else { return write(response, on: stream) }
    context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(response.delay)) {
      if self.streams[stream.number] === stream { self.together { self.write(response, on: stream) } }
    }
  }

  private func write(_ response: Response, on stream: HTTP2Stream) {
    defer { client.end(response.connection) }
    let hasBody = (!response.body.isEmpty || response.stream != nil) && !stream.isHead
    stream.isAnswered = true
    if response.status >= 400 { refusals += 1 }
    if hasBody {
      (stream.answer, stream.source) = (response.body[...], response.stream)
      unfinished.append(stream)
    }
    session?.respond(to: stream.number, hasBody: hasBody) { fields in
      fields.add(":status", String(response.status))
      for field in response.fields.fields { fields.add(field.name, field.value) }
      if !response.body.isEmpty && response.fields["content-length"] == nil {
        fields.add("content-length", String(response.body.count))
      }
    }
  }

  /// Starts the timers of unfinished streams. Most requests and answers are transmitted at once and need none.
  func expectEnds(_ context: ChannelHandlerContext) {
    for stream in unfinished where stream.isUnfinished && stream.deadline == nil {
      let duration =
        stream.machine.isCollecting
        ? limits.bodyDuration : stream.answer.isEmpty ? limits.discardDuration : limits.answerDuration
      stream.deadline = ClientDeadline(duration, on: context.channel, limits) {
        stream.deadline = nil
        guard stream.isUnfinished else { return }
        self.together {
          // Without a window for the answer the stream is reset. The client has the status, and must not hold a stream.
          self.perform(stream.answer.isEmpty ? stream.machine.receiveTimeout() : .reset, stream)
          // After the answer 408, the client has a little longer to end its request.
          self.unfinished.append(stream)
        }
      }
    }
    unfinished.removeAll(keepingCapacity: true)
  }
}

/// Answers on their way to the event loop of a connection, which takes all waiting ones at once.
final class AnswerQueue: Sendable {
  private let waiting = Mutex<[(stream: UInt32, response: Response)]>([])

  /// - Returns: true if no other answer was waiting.
  func add(_ response: Response, to stream: UInt32) -> Bool {
    waiting.withLock { waiting in
      waiting.append((stream, response))
      return waiting.count == 1
    }
  }

  func takeAll() -> [(stream: UInt32, response: Response)] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
