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

  let responder: any HTTPResponder
  let limits: HTTPLimits
  let executor: (any TaskExecutor)?
  let report: @Sendable (any Error, HTTPRequest) -> Void
  let standingHeaders: HeaderFields

  /// - Parameters:
  ///   - limits: those on the number of connections are not applied here.
  ///   - executor: the executor of handlers; nil for Swift's own.
  ///   - report: called with errors other than `HTTPError` that handlers throw; the client gets a 500 without detail.
  ///   - standingHeaders: fields added to every answer, refusals too, unless the answer has a field of that name.
  public init(
    _ responder: any HTTPResponder, limits: HTTPLimits = HTTPLimits(), executor: (any TaskExecutor)? = nil,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }, standingHeaders: HeaderFields = [:]
  ) {
    self.responder = responder
    self.limits = limits
    self.executor = executor
    self.report = report
    self.standingHeaders = standingHeaders
  }

  /// Makes a service of a table of routes. The other parameters are those of the initialiser above.
  /// - Parameter admission: nil admits every request.
  public init(
    _ table: RouteTable, limits: HTTPLimits = HTTPLimits(), executor: (any TaskExecutor)? = nil,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in }, admission: Admission? = nil,
    standingHeaders: HeaderFields = [:]
  ) {
    self.init(
      RouteResponder(table: table, admission: admission), limits: limits, executor: executor, report: report,
      standingHeaders: standingHeaders)
  }

  /// Serves HTTP/1.1 on the channel from now on. Call it on the channel's event loop.
  public func serve(_ channel: any Channel) throws {
    try serve(channel, refused: false, keepPlace: {})
  }

  func serve(_ channel: any Channel, refused: Bool, keepPlace: @escaping () -> Void) throws {
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerFieldBytes
    decoding.maxHeaderListSize = limits.headerBytes
    decoding.maxHeaderFieldCount = limits.headerFields
    let connection = HTTPServerConnection(self, refused: refused, keepPlace: keepPlace)
    try channel.pipeline.syncOperations.addHandler(HTTPIntake(to: connection))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: decoding)
    try channel.pipeline.syncOperations.addHandler(connection)
  }
}
