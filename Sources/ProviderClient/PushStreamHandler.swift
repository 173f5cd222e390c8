// One stream: writes one push, and reads its answer or reports why there is none.

import FoundationEssentials
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The body of an answer other than 200 [APNs].
struct RefusalBody: Decodable {
  var reason: String?
  /// Milliseconds since 1970.
  var timestamp: Int64?
}

/// Sent down a stream whose push is cancelled.
struct PushCancelled: Sendable {}

final class PushStreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let head: HPACKHeaders
  private let payload: [UInt8]
  private let limits: ProviderLimits
  private let server: Endpoint
  private let promise: EventLoopPromise<PushAnswer>
  private let closedError: () -> ProviderClientError
  private var answer: (status: Int, apnsID: String?, retryAfter: Duration?)?
  private var body: [UInt8] = []
  private var timer: Scheduled<Void>?
  private(set) var isDone = false

  init(
    head: HPACKHeaders, body: [UInt8], limits: ProviderLimits, server: Endpoint,
    promise: EventLoopPromise<PushAnswer>, closedError: @escaping () -> ProviderClientError
  ) {
    self.closedError = closedError
    self.head = head
    self.payload = body
    self.limits = limits
    self.server = server
    self.promise = promise
  }

  func channelActive(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.answerTimeout)) { [self] in
      fail(context, ProviderClientError.timedOut(server, limits.answerTimeout, waitingFor: "answer"))
    }
    let isEmpty = payload.isEmpty
    context.write(Self.wrapOutboundOut(.headers(.init(headers: head, endStream: isEmpty))), promise: nil)
    if !isEmpty {
      let data = HTTP2Frame.FramePayload.Data(
        data: .byteBuffer(context.channel.allocator.buffer(bytes: payload)), endStream: true)
      context.write(Self.wrapOutboundOut(.data(data)), promise: nil)
    }
    context.flush()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .headers(let frame):
      if answer == nil {
        guard let status = frame.headers.first(name: ":status").flatMap(Int.init) else {
          return fail(context, ProviderClientError.malformedAnswer(server, reason: "the answer has no status"))
        }
        if status >= 200 {
          answer = (
            status, frame.headers.first(name: "apns-id") ?? frame.headers.first(name: "push-id"),
            frame.headers.first(name: "retry-after").flatMap(seconds)
          )
        }
      }
      if frame.endStream { finish(context) }
    case .data(let frame):
      if case .byteBuffer(let buffer) = frame.data {
        guard body.count + buffer.readableBytes <= limits.answerBytes else {
          let reason = "the answer is larger than \(limits.answerBytes) bytes"
          return fail(context, ProviderClientError.malformedAnswer(server, reason: reason))
        }
        body.append(contentsOf: buffer.readableBytesView)
      }
      if frame.endStream { finish(context) }
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is PushCancelled {
      fail(context, CancellationError())
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let reason = streamReason(error)
    fail(context, reason == nil ? closedError() : ProviderClientError.connectionClosed(server, reason: reason))
  }

  func channelInactive(context: ChannelHandlerContext) {
    end { $0.fail(closedError()) }
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end { $0.fail(closedError()) }
  }

  private func finish(_ context: ChannelHandlerContext) {
    guard let answer else {
      return fail(context, ProviderClientError.malformedAnswer(server, reason: "the answer has no status"))
    }
    let refusal = body.isEmpty ? nil : try? JSONDecoder().decode(RefusalBody.self, from: Data(body))
    // The 2008 service gives its reason in plain text.
    let sentence = answer.status == 200 || refusal != nil ? nil : String(validating: body, as: UTF8.self)
    let line = sentence.map { $0.prefix { !$0.isNewline } }.flatMap { $0.isEmpty ? nil : String($0) }
    end {
      $0.succeed(
        PushAnswer(
          status: answer.status, apnsID: answer.apnsID, reason: refusal?.reason ?? line,
          timestamp: refusal?.timestamp, retryAfter: answer.retryAfter))
    }
  }

  private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
    end { $0.fail(error) }
    context.close(promise: nil)
  }

  private func end(_ body: (EventLoopPromise<PushAnswer>) -> Void) {
    guard !isDone else { return }
    isDone = true
    timer?.cancel()
    body(promise)
  }
}

private func streamReason(_ error: any Error) -> String? {
  (error as? NIOHTTP2Errors.StreamClosed).map { "the server reset the stream: \($0.errorCode)" }
}

/// `Retry-After` in its form of seconds [RFC 9110, 10.2.3]; its form of a date is no server's of this protocol.
private func seconds(_ text: String) -> Duration? {
  UInt32(text).map { .seconds($0) }
}
