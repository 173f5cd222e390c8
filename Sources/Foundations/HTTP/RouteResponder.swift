/// A responder that answers by a table of routes.
struct RouteResponder: HTTPResponder, Sendable {
  let table: RouteTable
  let admission: HTTPService.Admission?
  /// The executor of handlers; nil for Swift's own.
  let executor: (any TaskExecutor)?
  let report: @Sendable (any Error, HTTPRequest) -> Void

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
      var request = request
      request.parameters = parameters
      return .read(RouteExchange(route, request, self))
    }
  }
}

/// A request of a route, whose handler runs in a task of its own.
private final class RouteExchange: HTTPExchange {
  private let route: Route
  private var request: HTTPRequest
  private let responder: RouteResponder
  private var task: Task<Void, Never>?

  init(_ route: Route, _ request: HTTPRequest, _ responder: RouteResponder) {
    self.route = route
    self.request = request
    self.responder = responder
  }

  var bodyLimit: Int { route.bodyLimit }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    request.body = body
    task = Task(executorPreference: responder.executor) { [route, request, responder] in
      respond(await route.answer(request, responder.report))
    }
  }

  func cancel() { task?.cancel() }

  /// Adds the route to an error about its limit.
  func refuse(_ error: HTTPError) -> HTTPResponse {
    guard error.status == 413 else { return error.response }
    let hint = "\(route.method) \(route.pattern) takes \(route.bodyLimit) bytes"
    return HTTPError(413, error.message, hint: hint).response
  }
}

extension Route {
  /// - Parameter report: called with errors other than `HTTPError`, also of the stream that the handler returns.
  fileprivate func answer(
    _ request: HTTPRequest, _ report: @escaping @Sendable (any Error, HTTPRequest) -> Void
  ) async -> HTTPResponse {
    do {
      var response = try await handler(request)
      if case .stream(let produce) = response.body {
        response.body = .stream { write in
          do {
            try await produce(write)
          } catch {
            if !(error is CancellationError || Task.isCancelled) { report(error, request) }
            throw error
          }
        }
      }
      return response
    } catch let error as HTTPError {
      return error.response
    } catch {
      if !(error is CancellationError) { report(error, request) }
      return HTTPError(500, "the server failed to answer this", hint: "its log says why").response
    }
  }
}
