// Two protocols share the port and its connections: which one a stream of HTTP/2 speaks, its path says. In front of the
// hot path, so it looks once and then only passes on.

import NIOCore
import NIOHPACK
import NIOHTTP2

/// Puts the handlers of a stream's protocol behind itself when the first headers come.
final class StreamRouter: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = HTTP2Frame.FramePayload

  private let gateway: Gateway
  private let connection: Connection
  private var isRouted = false

  init(gateway: Gateway, connection: Connection) {
    self.gateway = gateway
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRouted, case .headers(var frame) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    isRouted = true
    let path = frame.headers.first { $0.name == ":path" }?.value
    do {
      guard let publishing = gateway.publishing, !APNsPushHead.isProviderAPI(path) else {
        try context.pipeline.syncOperations.addHandler(APNsStreamHandler(gateway: gateway, connection: connection))
        return context.fireChannelRead(data)
      }
      try context.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
      try publishing.serveStream(context.channel, of: connection)
      frame.headers = StreamRouter.withAuthority(frame.headers)
      context.fireChannelRead(wrapInboundOut(.headers(frame)))
    } catch {
      gateway.logger.debug("stream closed", metadata: ["error": "\(error)"])
      context.close(promise: nil)
    }
  }

  /// NIO's codec asks for `:authority`, in whose place a client may send `host` [RFC 9113, 8.3.1].
  private static func withAuthority(_ headers: HPACKHeaders) -> HPACKHeaders {
    guard !headers.contains(name: ":authority") else { return headers }
    var completed = HPACKHeaders([(":authority", headers.first(name: "host") ?? "")])
    completed.add(contentsOf: headers)
    return completed
  }
}
