// Which handler answers which request: a pure value, filled once, asked for each request.

/// One method on one pattern of paths.
public struct Route: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  /// Upper case.
  public let method: String
  /// `/apps/{id}/launch`: literal segments and `{parameters}`, each a whole segment.
  public let pattern: String
  /// Bytes of the request's body that this route accepts; one more is 413.
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
  /// In the order they were given.
  public let routes: [Route]
  private let root: Node

  /// - Throws: `RouteTableError` for a pattern that is malformed or taken.
  public init(_ routes: [Route]) throws {
    var root = Node()
    for route in routes {
      try root.insert(route, segments: parse(route)[...])
    }
    self.routes = routes
    self.root = root
  }

  public enum Match: Sendable {
    case found(Route, parameters: [String: String])
    /// The path exists, with the methods given (sorted, `HEAD` included where there is `GET`).
    case methodNotAllowed([String])
    case notFound
  }

  public func match(method: String, segments: [String]) -> Match {
    var candidates: [Candidate] = []
    root.collect(segments[...], captured: [], into: &candidates)
    for candidate in candidates {
      if let found = candidate.routes[method] ?? (method == "HEAD" ? candidate.routes["GET"] : nil) {
        let names = found.parameterNames
        return .found(found.route, parameters: Dictionary(uniqueKeysWithValues: zip(names, candidate.captured)))
      }
    }
    if candidates.isEmpty { return .notFound }
    var methods = Set(candidates.flatMap(\.routes.keys))
    if methods.contains("GET") { methods.insert("HEAD") }
    return .methodNotAllowed(methods.sorted())
  }
}

/// A route that cannot be added, found when the table is made.
public struct RouteTableError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

private enum Segment {
  case literal(String)
  case parameter(String)
}

private struct Entry: Sendable {
  let route: Route
  let parameterNames: [String]
}

private struct Candidate {
  let routes: [String: Entry]
  let captured: [String]
}

private struct Node: Sendable {
  var entries: [String: Entry] = [:]
  var literals: [String: Node] = [:]
  /// One or none; an array because a struct cannot hold itself.
  var parameter: [Node] = []

  mutating func insert(_ route: Route, segments: ArraySlice<Segment>, names: [String] = []) throws(RouteTableError) {
    switch segments.first {
    case nil:
      if let taken = entries[route.method] {
        throw RouteTableError(
          description: "\(route.method) \(route.pattern): taken by \(taken.route.method) \(taken.route.pattern); "
            + "remove one of the two")
      }
      entries[route.method] = Entry(route: route, parameterNames: names)
    case .literal(let text):
      try literals[text, default: Node()].insert(route, segments: segments.dropFirst(), names: names)
    case .parameter(let name):
      if parameter.isEmpty { parameter = [Node()] }
      try parameter[0].insert(route, segments: segments.dropFirst(), names: names + [name])
    }
  }

  /// Every node that the path reaches and that has routes, the most literal first.
  func collect(_ segments: ArraySlice<String>, captured: [String], into candidates: inout [Candidate]) {
    guard let first = segments.first else {
      if !entries.isEmpty { candidates.append(Candidate(routes: entries, captured: captured)) }
      return
    }
    literals[first]?.collect(segments.dropFirst(), captured: captured, into: &candidates)
    if !first.isEmpty {
      parameter.first?.collect(segments.dropFirst(), captured: captured + [first], into: &candidates)
    }
  }
}

private func parse(_ route: Route) throws(RouteTableError) -> [Segment] {
  func refuse(_ reason: String) -> RouteTableError {
    RouteTableError(description: "\(route.method) \(route.pattern): \(reason)")
  }
  guard !route.method.isEmpty else { throw refuse("the method is empty; write GET, POST, PUT or DELETE") }
  guard route.pattern.hasPrefix("/") else { throw refuse("a pattern begins with '/'") }
  guard route.bodyLimit >= 0 else { throw refuse("the limit of the body is negative") }
  if route.pattern == "/" { return [] }
  var names: Set<String> = []
  var segments: [Segment] = []
  for segment in route.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
    if segment.isEmpty { throw refuse("a segment is empty; remove the extra '/'") }
    if segment.hasPrefix("{"), segment.hasSuffix("}"), segment.count > 2 {
      let name = String(segment.dropFirst().dropLast())
      guard names.insert(name).inserted else { throw refuse("the parameter '\(name)' stands twice; rename one") }
      segments.append(.parameter(name))
    } else if segment.contains("{") || segment.contains("}") {
      throw refuse("'\(segment)' mixes text and braces; a parameter is a whole segment, {name}")
    } else {
      segments.append(.literal(String(segment)))
    }
  }
  return segments
}
