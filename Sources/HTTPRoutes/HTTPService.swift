// A route table on a connection that somebody else accepted: behind TLS, or on a stream of HTTP/2 whose frames another
// handler turns into the same parts.

import NIOCore
import NIOHTTP1

/// What is served, and how.
public struct HTTPService: Sendable {
  /// The answer to a request that never reached its handler. Called on the connection's event loop.
  /// - Parameters:
  ///   - method: nil where the request could not be read so far.
  ///   - target: likewise.
  public typealias Refusal = @Sendable (_ error: HTTPError, _ method: String?, _ target: RequestTarget?) -> HTTPResponse

  /// Whether a request is let in: asked when its header fields are there and before its body is read, which is empty.
  /// Called on the connection's event loop, for every path.
  /// - Returns: why not.
  public typealias Admission = @Sendable (HTTPRequest) -> HTTPError?

  /// Whether the body of a request that has a route may be read. Called when its header fields are there, before 100
  /// Continue; nothing more is read from the connection meanwhile. The request's body is empty.
  /// - Returns: the answer where the body may not be read. It closes the connection, unless the body was there already.
  public typealias Authorization = @Sendable (HTTPRequest) async -> HTTPResponse?

  private let table: RouteTable
  private let limits: HTTPLimits
  private let executor: (any TaskExecutor)?
  private let report: @Sendable (any Error, HTTPRequest) -> Void
  private let refusal: Refusal
  private let admission: Admission?
  private let authorization: Authorization?
  private let standingHeaders: HeaderFields

  /// - Parameters:
  ///   - limits: those on the number of connections are the acceptor's affair.
  ///   - executor: where handlers run; nil for Swift's own.
  ///   - report: is told of errors other than `HTTPError` that handlers throw; the client sees a 500 without detail.
  ///   - refusal: words what is refused before a handler is asked.
  ///   - admission: nil lets everything in.
  ///   - authorization: called after it, and may take its time; nil reads every body.
  ///   - standingHeaders: go with every answer, refusals too, unless the answer has a field of that name.
  public init(
    _ table: RouteTable, limits: HTTPLimits = HTTPLimits(), executor: (any TaskExecutor)? = nil,
    report: @escaping @Sendable (any Error, HTTPRequest) -> Void = { _, _ in },
    refusal: @escaping Refusal = { error, _, _ in error.response }, admission: Admission? = nil,
    authorization: Authorization? = nil, standingHeaders: HeaderFields = [:]
  ) {
    self.table = table
    self.limits = limits
    self.executor = executor
    self.report = report
    self.refusal = refusal
    self.admission = admission
    self.authorization = authorization
    self.standingHeaders = standingHeaders
  }

  /// Speaks HTTP/1.1 on the channel from now on. On its event loop.
  public func serve(_ channel: any Channel) throws {
    try serve(channel, refused: false)
  }

  /// Answers requests on a channel whose handlers make `HTTPServerRequestPart`s, and take `HTTPServerResponsePart`s. On
  /// its event loop.
  public func serveParts(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(connection(refused: false, intake: nil))
  }

  func serve(_ channel: any Channel, refused: Bool) throws {
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerFieldBytes
    decoding.maxHeaderListSize = limits.headerBytes
    decoding.maxHeaderFieldCount = limits.headerFields
    let intake = HTTPIntake()
    let connection = connection(refused: refused, intake: intake)
    intake.connection = connection
    try channel.pipeline.syncOperations.addHandler(intake)
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: decoding)
    try channel.pipeline.syncOperations.addHandler(connection)
  }

  private func connection(refused: Bool, intake: HTTPIntake?) -> HTTPServerConnection {
    HTTPServerConnection(
      table: table, limits: limits, refused: refused, intake: intake, executor: executor, report: report,
      refusal: refusal, admission: admission, authorization: authorization, standingHeaders: standingHeaders)
  }
}
