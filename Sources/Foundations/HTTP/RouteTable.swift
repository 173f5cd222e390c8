// The choice of a request's handler: a pure value, filled once, searched for each request.

/// One method on one pattern of paths.
public struct Route: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  /// The method in upper case.
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
}

/// Routes, matched segment by segment: a literal goes before a parameter, and the leftmost segment decides first.
/// `HEAD` is answered by a path's `GET` unless it has a route of its own.
public struct RouteTable: Sendable {
  /// The routes in the order given.
  public let routes: [Route]
  /// The patterns in the order they are tried: the most literal first, and for one path `HEAD` before `GET`.
  private let patterns: [Pattern]

  /// - Throws: `RouteTableError` for a pattern that is malformed or taken.
  public init(_ routes: [Route]) throws {
    var taken: [String: Route] = [:]
    var patterns: [Pattern] = []
    for route in routes {
      let pattern = try Pattern(route)
      if let other = taken.updateValue(route, forKey: "\(route.method) \(pattern.shape)") {
        throw RouteTableError(
          description: "\(route.method) \(route.pattern): taken by \(other.method) \(other.pattern); "
            + "remove one of the two")
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

/// The error that a route cannot be added, found when the table is made.
public struct RouteTableError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

/// A route's pattern, split into segments.
private struct Pattern: Sendable {
  let route: Route
  /// The literal segments in order; nil for a parameter.
  private var literals: [String?] = []
  private var parameterNames: [String] = []

  init(_ route: Route) throws(RouteTableError) {
    func refuse(_ reason: String) -> RouteTableError {
      RouteTableError(description: "\(route.method) \(route.pattern): \(reason)")
    }
    self.route = route
    guard !route.method.isEmpty else { throw refuse("the method is empty; write GET, POST, PUT or DELETE") }
    guard route.pattern.hasPrefix("/") else { throw refuse("a pattern begins with '/'") }
    guard route.bodyLimit >= 0 else { throw refuse("the limit of the body is negative") }
    if route.pattern == "/" { return }
    for segment in route.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if segment.isEmpty { throw refuse("a segment is empty; remove the extra '/'") }
      if segment.hasPrefix("{"), segment.hasSuffix("}"), segment.count > 2 {
        let name = String(segment.dropFirst().dropLast())
        guard !parameterNames.contains(name) else {
          throw refuse("the parameter '\(name)' stands twice; rename one")
        }
        parameterNames.append(name)
        literals.append(nil)
      } else if segment.contains("{") || segment.contains("}") {
        throw refuse("'\(segment)' mixes text and braces; a parameter is a whole segment, {name}")
      } else {
        literals.append(String(segment))
      }
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
