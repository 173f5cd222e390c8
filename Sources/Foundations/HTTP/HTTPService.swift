import NIOCore

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
    let connection = HTTPServerConnection(
      responder, limits: limits, executor: executor, standingHeaders: standingHeaders, refused: refused,
      recognizes: isKnown.map { isKnown in
        return { request in
          guard isKnown(request) else { return false }
          keepPlace()
          return true
        }
      })
    try connection.serve(channel)
  }

  /// Serves HTTP/1.1 on the channel from now on, with a responder for that connection alone. Call it on the channel's
  /// event loop. The other parameters are those of the initialiser.
  package static func serve(
    _ channel: any Channel, by responder: any HTTPResponder, limits: HTTPLimits, executor: (any TaskExecutor)?
  ) throws {
    try HTTPServerConnection(responder, limits: limits, executor: executor).serve(channel)
  }
}
