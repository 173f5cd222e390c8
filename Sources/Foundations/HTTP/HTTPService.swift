import NIOCore
import NIOHTTP1

/// An HTTP/1.1 service on connections that another part of the program accepted, with or without TLS.
public struct HTTPService: Sendable {
  /// Admits or refuses a request when its header fields are there and before its body is read, which is empty. Called
  /// on the connection's event loop, for every path.
  /// - Returns: the reason for refusing; nil admits the request.
  public typealias Admission = @Sendable (HTTPRequest) -> HTTPError?

  /// Returns true if a request shows that its client is known. The connection then keeps its place if there are too
  /// many. Called on the connection's event loop until it returns true. Nil: every client is known.
  public var isKnown: (@Sendable (HTTPRequest) -> Bool)?

  let responder: any HTTPResponder & Sendable
  let limits: HTTPLimits
  private let executor: (any TaskExecutor)?
  private let standingHeaders: HeaderFields

  /// - Parameters:
  ///   - limits: those on the number of connections are not applied here.
  ///   - executor: the executor of authorizations and streams; nil for Swift's own.
  ///   - standingHeaders: fields added to every answer, refusals too, unless the answer has a field of that name.
  package init(
    _ responder: any HTTPResponder & Sendable, limits: HTTPLimits = HTTPLimits(),
    executor: (any TaskExecutor)? = nil, standingHeaders: HeaderFields = [:]
  ) {
    self.responder = responder
    self.limits = limits
    self.executor = executor
    self.standingHeaders = standingHeaders
  }

  /// Makes a service of a table of routes. The other parameters are those of the initialiser above.
  /// - Parameters:
  ///   - executor: also the executor of handlers.
  ///   - report: called with errors other than `HTTPError` that handlers throw; the client gets a 500 without detail.
  public init(
    _ table: RouteTable, limits: HTTPLimits = HTTPLimits(), executor: (any TaskExecutor)? = nil,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }, admission: Admission? = nil,
    standingHeaders: HeaderFields = [:]
  ) {
    self.init(
      RouteResponder(table: table, admission: admission, executor: executor, report: report), limits: limits,
      executor: executor, standingHeaders: standingHeaders)
  }

  /// Serves HTTP/1.1 on the channel from now on. Call it on the channel's event loop.
  /// - Parameters:
  ///   - refused: true to answer every request 503.
  ///   - keepPlace: called once, when a request shows that its client is known.
  func serve(_ channel: any Channel, refused: Bool = false, keepPlace: @escaping () -> Void = {}) throws {
    var recognizes: ((HTTPRequest) -> Bool)?
    if let isKnown {
      recognizes = { request in
        guard isKnown(request) else { return false }
        keepPlace()
        return true
      }
    }
    try HTTPService.serve(
      channel, by: responder, limits: limits, executor: executor, standingHeaders: standingHeaders, refused: refused,
      recognizes: recognizes)
  }

  /// Serves HTTP/1.1 on the channel from now on, with a responder for that connection alone. Call it on the channel's
  /// event loop. The other parameters are those of the initialiser and of `HTTPServerConnection`.
  package static func serve(
    _ channel: any Channel, by responder: any HTTPResponder, limits: HTTPLimits, executor: (any TaskExecutor)?,
    standingHeaders: HeaderFields = [:], refused: Bool = false, recognizes: ((HTTPRequest) -> Bool)? = nil
  ) throws {
    let connection = HTTPServerConnection(
      responder, limits: limits, executor: executor, standingHeaders: standingHeaders, refused: refused,
      recognizes: recognizes)
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerFieldBytes
    decoding.maxHeaderListSize = limits.headerBytes
    decoding.maxHeaderFieldCount = limits.headerFields
    try channel.pipeline.syncOperations.addHandler(HTTPIntake(to: connection))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: decoding)
    try channel.pipeline.syncOperations.addHandler(connection)
  }
}
