/// The part that answers the requests of one server or connection: a table of routes, or any other decision by a
/// request's head.
public protocol HTTPResponder: Sendable {
  /// Decides on a request by its head, before its body is read. Called on the connection's event loop.
  /// - Parameter request: the request without its body.
  func open(_ request: HTTPRequest) -> HTTPOpening

  /// Answers a request that could not be read. Called on the connection's event loop.
  func refuse(_ error: HTTPError) -> HTTPResponse
}

/// The decision about a request whose head is known.
public enum HTTPOpening: Sendable {
  /// Sends this answer, does not read the body, and closes the connection.
  case answer(HTTPResponse)
  case accept(HTTPAcceptance)
}

/// The way in which a request is read and answered.
public struct HTTPAcceptance: Sendable {
  /// Bytes that the body may have; a longer one is refused with 413.
  public var bodyLimit: Int
  /// Called once if the body is longer: returns the bytes accepted then; nil refuses the body.
  public var moreBody: (@Sendable () -> Int?)?
  /// Bytes of a body that is read but discarded whole: one longer than accepted, but not longer than this.
  public var skipLimit = 0
  /// Values for the request's `parameters`.
  public var parameters: [String: String]
  /// Decides whether the body may be read, before 100 Continue; nothing more is read from the connection meanwhile. A
  /// denial closes the connection, unless the whole body was there already. Nil reads every body.
  public var authorization: (@Sendable () async -> HTTPResponse?)?
  /// Answers a request whose body cannot be read: 400, 408, 413. Called on the connection's event loop.
  public var refusal: @Sendable (HTTPError) -> HTTPResponse
  public var handler: Route.Handler

  public init(
    bodyLimit: Int, parameters: [String: String] = [:], authorization: (@Sendable () async -> HTTPResponse?)? = nil,
    refusal: @escaping @Sendable (HTTPError) -> HTTPResponse = \.response, handler: @escaping Route.Handler
  ) {
    self.bodyLimit = bodyLimit
    self.parameters = parameters
    self.authorization = authorization
    self.refusal = refusal
    self.handler = handler
  }
}

extension HTTPResponder {
  public func refuse(_ error: HTTPError) -> HTTPResponse { error.response }
}

/// A responder that answers by a table of routes.
struct RouteResponder: HTTPResponder {
  let table: RouteTable
  let admission: HTTPService.Admission?

  func open(_ request: HTTPRequest) -> HTTPOpening {
    if let error = admission?(request) { return .answer(error.response) }
    let target = request.target
    switch table.match(method: request.method, segments: target.segments) {
    case .notFound:
      return .answer(HTTPError(404, "there is no \(target.path)", hint: "see the API's description").response)
    case .methodNotAllowed(let methods):
      let allowed = methods.joined(separator: ", ")
      return .answer(
        HTTPError(
          405, "\(target.path) has no \(request.method)", hint: "it has \(allowed)", headers: ["Allow": allowed]
        ).response)
    case .found(let route, let parameters):
      return .accept(
        HTTPAcceptance(
          bodyLimit: route.bodyLimit, parameters: parameters, refusal: { route.named($0).response },
          handler: route.handler))
    }
  }
}

extension Route {
  /// Adds the route to an error about its limit.
  fileprivate func named(_ error: HTTPError) -> HTTPError {
    guard error.status == 413 else { return error }
    return HTTPError(413, error.message, hint: "\(method) \(pattern) takes \(bodyLimit) bytes")
  }
}
