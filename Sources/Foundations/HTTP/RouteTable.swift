/// One method on one pattern of paths.
public struct Route: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  public let method: String
  /// The pattern, `/apps/{id}/launch`: literal segments and `{parameters}`, each a whole segment.
  public let pattern: String
  /// Bytes of the request's body that this route accepts; a longer one is answered 413.
  public let bodyLimit: Int
  public let handler: Handler

  public init(
    _ method: String, _ pattern: String, bodyLimit: Int = HTTPLimits.defaultBodyBytes, handler: @escaping Handler
  ) {
    self.method = method.uppercased()
    self.pattern = pattern
    self.bodyLimit = bodyLimit
    self.handler = handler
  }

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

/// Routes, matched segment by segment: a literal goes before a parameter, and the leftmost segment decides first.
/// `HEAD` is answered by a path's `GET` unless it has a route of its own.
public struct RouteTable: Sendable {
  public let routes: [Route]
  /// The patterns in the order they are tried: the most literal first, and for one path `HEAD` before `GET`.
  private let patterns: [Pattern]

  /// - Throws: `HTTPError` 500 for a pattern that is taken.
  public init(_ routes: [Route]) throws {
    var taken: [String: Route] = [:]
    var patterns: [Pattern] = []
    for route in routes {
      let pattern = Pattern(route)
      if let other = taken.updateValue(route, forKey: "\(route.method) \(pattern.shape)") {
        throw HTTPError(
          500, "\(route.method) \(route.pattern): taken by \(other.method) \(other.pattern)",
          hint: "remove one of the two")
      }
      patterns.append(pattern)
    }
    self.routes = routes
    self.patterns = patterns.sorted { $0.isTriedBefore($1) }
  }

  public enum Match: Sendable {
    case found(Route, parameters: [String: String])
    /// The path exists, with the methods given (sorted, with `HEAD` if there is `GET`).
    case methodNotAllowed([String])
    case notFound
  }

  public func match(method: String, segments: [String]) -> Match {
    let candidates = patterns.filter { $0.matches(segments) }
    let found = candidates.first { $0.route.method == method || method == "HEAD" && $0.route.method == "GET" }
    if let found { return .found(found.route, parameters: found.parameters(of: segments)) }
    if candidates.isEmpty { return .notFound }
    var methods = Set(candidates.map(\.route.method))
    if methods.contains("GET") { methods.insert("HEAD") }
    return .methodNotAllowed(methods.sorted())
  }
}

private struct Pattern: Sendable {
  let route: Route
  /// The literal segments in order; nil for a parameter.
  private var literals: [String?] = []
  private var parameterNames: [String] = []

  init(_ route: Route) {
    self.route = route
    for segment in route.pattern.split(separator: "/") {
      let isParameter = segment.hasPrefix("{")
      literals.append(isParameter ? nil : String(segment))
      if isParameter { parameterNames.append(String(segment.dropFirst().dropLast())) }
    }
  }

  /// The shape of the pattern, equal for all patterns of the same paths.
  var shape: String { literals.map { $0 ?? "{}" }.joined(separator: "/") }

  /// Orders patterns. Two that match one path differ in where they have parameters, or have the same shape.
  func isTriedBefore(_ other: Pattern) -> Bool {
    guard literals.count == other.literals.count else { return literals.count < other.literals.count }
    for (ours, others) in zip(literals, other.literals) where (ours == nil) != (others == nil) { return ours != nil }
    return route.method > other.route.method
  }

  func matches(_ segments: [String]) -> Bool {
    literals.count == segments.count
      && zip(literals, segments).allSatisfy { literal, segment in
        if let literal { literal == segment } else { !segment.isEmpty }
      }
  }

  func parameters(of segments: [String]) -> [String: String] {
    let values = zip(literals, segments).filter { $0.0 == nil }.map(\.1)
    return Dictionary(uniqueKeysWithValues: zip(parameterNames, values))
  }
}

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

  func refuse(_ error: HTTPError) -> HTTPResponse {
    guard error.status == 413 else { return error.response }
    let hint = "\(route.method) \(route.pattern) takes \(route.bodyLimit) bytes"
    return HTTPError(413, error.message, hint: hint).response
  }
}
