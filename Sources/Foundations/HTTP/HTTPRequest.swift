import FoundationEssentials

/// One whole request, given to a handler; its body is already read and within the route's limit.
public struct HTTPRequest: Sendable {
  public let head: RequestHead
  public let target: RequestTarget
  public internal(set) var body: [UInt8]
  /// Values of the pattern's `{parameters}`, decoded and never empty.
  public internal(set) var parameters: [String: String]
  /// The client's numeric address; nil on a Unix socket.
  public let peer: String?

  public init(
    method: String, target: RequestTarget, headers: HeaderFields = [:], body: [UInt8] = [],
    parameters: [String: String] = [:], peer: String? = nil
  ) {
    head = RequestHead(method: method, path: target.originForm, headers: headers)
    self.target = target
    self.body = body
    self.parameters = parameters
    self.peer = peer
  }

  /// The method in upper case: `GET`, `POST`, …
  public var method: String { head.method }

  public var headers: HeaderFields { head.headers }

  /// Returns the value of a parameter that the route's pattern names.
  /// - Throws: `HTTPError` 500 if the pattern has no such parameter: the route is miswritten.
  public func parameter(_ name: String) throws -> String {
    guard let value = parameters[name] else {
      throw HTTPError(500, "this route has no parameter '\(name)'", hint: "name it in the route's pattern")
    }
    return value
  }

  /// - Throws: `HTTPError` 400 that names the key and the fault.
  public func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch let error as DecodingError {
      throw HTTPError(400, describe(error, in: body), hint: "send a JSON body as the API's description says")
    }
  }
}

private func describe(_ error: DecodingError, in body: [UInt8]) -> String {
  switch error {
  case .keyNotFound(let key, let context): "the key '\(path(context.codingPath + [key]))' is missing"
  case .valueNotFound(_, let context): "the key '\(path(context.codingPath))' must not be null"
  case .typeMismatch(let type, let context): "the key '\(path(context.codingPath))' is not of the type \(type)"
  case .dataCorrupted(let context) where context.codingPath.isEmpty:
    "the body is not valid JSON" + (JSONFault(in: body).map { ": \($0)" } ?? "")
  case .dataCorrupted(let context): "the key '\(path(context.codingPath))': \(context.debugDescription)"
  @unknown default: "the body does not have the form expected"
  }
}

private func path(_ keys: [any CodingKey]) -> String {
  keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
}
