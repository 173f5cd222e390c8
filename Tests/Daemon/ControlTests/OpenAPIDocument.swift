// The description of the API, as far as the tests compare the server with it.

import FoundationEssentials
import HTTP

@testable import DeskbellDaemon

extension JSONValue {
  subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
}

/// The description of the API, as the program writes it.
struct OpenAPIDocument {
  private let root = OpenAPI.root

  /// Returns `/v1`, and for the resources of a handset `/v1/handsets/{handset}`.
  private func bases(of item: JSONValue?) -> [String] {
    let servers = (item?["servers"] ?? root["servers"])?.list ?? []
    return servers.compactMap { $0["url"]?.text?.replacing("http://localhost", with: "") }
  }

  /// Returns the description of a route's path.
  func item(_ pattern: String) -> JSONValue? {
    for base in (bases(of: nil) + [""]).sorted(by: { $0.count > $1.count }) where pattern.hasPrefix(base + "/") {
      let item = root["paths"]?[String(pattern.dropFirst(base.count))]
      if let item, bases(of: item).contains(base) { return item }
    }
    return nil
  }

  func operation(_ method: String, _ pattern: String) -> JSONValue? {
    item(pattern)?[method.lowercased()]
  }

  func schema(_ name: String) -> JSONValue? { root["components"]?["schemas"]?[name] }

  /// Returns the part of the answer that its operation does not describe; nil if all is as described.
  func fault(in answer: HTTPResponse, to method: String, _ pattern: String) -> String? {
    guard var response = operation(method, pattern)?["responses"]?["\(answer.status)"] else {
      return "status \(answer.status) is not described"
    }
    if let name = response["$ref"]?.text?.split(separator: "/").last {
      response = root["components"]?["responses"]?[String(name)] ?? .null
    }
    guard let content = response["content"] else {
      return answer.bytes.isEmpty ? nil : "a body that is not described"
    }
    guard let type = answer.headers["Content-Type"], let schema = content[type]?["schema"] else {
      return "the content type \(answer.headers["Content-Type"] ?? "none") is not described"
    }
    guard type == "application/json" else { return nil }
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.bytes)) else { return "no JSON" }
    return fault(in: value, schema: schema, at: "body")
  }

  /// Returns the place that differs from the schema: an unknown key, a missing required key, another type.
  func fault(in value: JSONValue, schema: JSONValue, at place: String) -> String? {
    if let reference = schema["$ref"]?.text {
      guard let name = reference.split(separator: "/").last, let target = self.schema(String(name)) else {
        return "\(place): no schema \(reference)"
      }
      return fault(in: value, schema: target, at: place)
    }
    switch (schema["type"]?.text, value) {
    case ("string", .string(let text)):
      guard let choices = schema["enum"]?.list else { return nil }
      return choices.contains(.string(text)) ? nil : "\(place): '\(text)' is none of \(choices)"
    case ("boolean", .bool), ("integer", .integer), ("integer", .unsigned): return nil
    case ("array", .array(let list)):
      guard let items = schema["items"] else { return "\(place): no items" }
      return list.lazy.compactMap { fault(in: $0, schema: items, at: place + "[]") }.first
    case ("object", .object(let object)):
      let properties = schema["properties"] ?? .object([:])
      for key in schema["required"]?.list ?? [] where object[key.text ?? ""] == nil {
        return "\(place): \(key) is missing"
      }
      for (key, value) in object {
        if let property = properties[key] {
          if let fault = fault(in: value, schema: property, at: "\(place).\(key)") { return fault }
        } else if let rest = schema["additionalProperties"] {
          if rest != .bool(true), let fault = fault(in: value, schema: rest, at: "\(place).\(key)") { return fault }
        } else {
          return "\(place): \(key) is not described"
        }
      }
      return nil
    default: return "\(place): \(value) is no \(schema["type"]?.text ?? "type")"
    }
  }
}
