// The description of the control API for programs, made from what its routes and the types of their bodies say.

import FoundationEssentials
import HTTP

/// The document that `make reference` writes to `docs/openapi.json`.
public enum OpenAPI {
  typealias Members = [String: JSONValue]

  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/openapi.json", "openAPI", in: .daemon, "This description, in the format of OpenAPI",
      response: Operation.Answer(meaning: "The document that `deskbell openapi` prints.", form: .anyObject)
    ) { _, _ in HTTPResponse(contentType: "application/json", bytes: Array(document.utf8)) }
  ]

  public static var document: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Strings, whole numbers and flags, and lists and objects of them, always encode.
    let json = (try? encoder.encode(root)) ?? Data()
    return String(decoding: json, as: UTF8.self) + "\n"
  }

  private static var root: JSONValue {
    let tags = Operation.Section.all.map { section -> JSONValue in
      ["name": .string(section.name), "description": .string(section.meaning)]
    }
    var responses: Members = [:]
    for refusal in refusals { responses[refusal.name] = answer(refusal.meaning, json(reference(to: ErrorBody.self))) }
    return [
      "openapi": "3.1.0", "info": info, "servers": .array(servers), "tags": .array(tags), "paths": .object(paths),
      "components": ["responses": .object(responses), "schemas": .object(schemas)],
    ]
  }

  private static let origin = "http://localhost"

  private static let info: JSONValue = [
    "title": "Deskbell control API", "version": "1",
    "description": .string(
      "HTTP/1.1 with JSON over the daemon's control socket, a Unix socket; its file's permissions decide who may use "
        + "it. Times are whole microseconds. Absent keys and null mean the same. Unknown keys and query parameters of a "
        + "request are refused with 400 and the nearest name."),
    "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
  ]

  private static var servers: [JSONValue] {
    let board = origin + ControlRoutes.base
    let handset =
      "The handset's name, as GET /v1/handsets lists them. A wrong one is refused with 404 and the nearest name."
    return [
      [
        "url": .string(board),
        "description": .string(
          "The handset on the board, and the resources that all handsets share: "
            + "curl --unix-socket /run/deskbell/control.sock \(board)/state"),
      ],
      [
        "url": .string(origin + ControlRoutes.handsetBase), "description": "Any handset of the daemon.",
        "variables": ["handset": ["default": "1", "description": .string(handset)]],
      ],
    ]
  }

  // MARK: Operations

  /// The operations by their paths below their server and their methods.
  private static var paths: Members {
    var paths: [String: Members] = [:]
    for operation in ControlRoutes.ofHandsets.map(\.operation) {
      paths[operation.path, default: [:]][operation.method.lowercased()] = description(of: operation, isOfHandset: true)
    }
    for operation in ControlRoutes.ofDaemon.map(\.operation) {
      let base = operation.path.hasPrefix(ControlRoutes.base + "/") ? ControlRoutes.base : ""
      let path = String(operation.path.dropFirst(base.count))
      if paths[path] == nil { paths[path] = ["servers": [["url": .string(origin + base)]]] }
      paths[path]?[operation.method.lowercased()] = description(of: operation, isOfHandset: false)
    }
    return paths.mapValues(JSONValue.object)
  }

  private static func description(of operation: Operation, isOfHandset: Bool) -> JSONValue {
    var members: Members = [
      "tags": [.string(operation.section.name)], "operationId": .string(operation.name),
      "summary": .string(operation.summary),
      "responses": .object(responses(to: operation, isOfHandset: isOfHandset)),
    ]
    members["description"] = operation.details.map(JSONValue.string)
    let inPath = operation.parameterNames.map { name -> JSONValue in
      [
        "name": .string(name), "in": "path", "required": true,
        "description": .string(operation.meaning(ofParameter: name) ?? ""), "schema": ["type": "string"],
      ]
    }
    let parameters = inPath + operation.query.map(parameter)
    if !parameters.isEmpty { members["parameters"] = .array(parameters) }
    if let body = operation.body { members["requestBody"] = .object(request(body, limit: operation.bodyLimit)) }
    return .object(members)
  }

  private static func parameter(_ query: Operation.Query) -> JSONValue {
    var schema = value(query.form, Meaning("", query.meaning.bounds))
    schema["default"] = query.standard
    return [
      "name": .string(query.name), "in": "query", "required": false, "description": .string(query.meaning.text),
      "schema": .object(schema),
    ]
  }

  private static func request(_ body: any RequestBody, limit: Int) -> Members {
    let example = (try? JSONEncoder().encode(body)).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    let content: JSONValue = ["schema": reference(to: type(of: body)), "example": example ?? .null]
    var members: Members = ["required": true, "content": ["application/json": content]]
    if limit > HTTPLimits.defaultBodyBytes { members["description"] = .string("At most \(limit) bytes.") }
    return members
  }

  static func responses(to operation: Operation, isOfHandset: Bool) -> Members {
    var refused = [400: "", 503: ""]
    if isOfHandset { refused[404] = "" }
    if operation.bodyLimit > HTTPLimits.defaultBodyBytes { refused[413] = "" }
    refused.merge(operation.refusals) { _, own in own }
    var responses: Members = ["default": reference("responses", "Error")]
    for (status, meaning) in refused {
      let usual = refusals.first { $0.status == status }?.name ?? "Error"
      responses["\(status)"] =
        meaning.isEmpty ? reference("responses", usual) : answer(meaning, json(reference(to: ErrorBody.self)))
    }
    return responses.merging(accepted(operation.answer)) { _, accepted in accepted }
  }

  private static func accepted(_ accepted: Operation.Answer) -> Members {
    guard let form = accepted.form else { return ["204": ["description": .string(accepted.meaning)]] }
    let content: JSONValue = .object([accepted.type: ["schema": .object(value(form, ""))]])
    var responses: Members = ["200": answer(accepted.meaning, content)]
    responses["503"] = accepted.failing.map { answer($0, content) }
    return responses
  }

  private static func answer(_ meaning: String, _ content: JSONValue) -> JSONValue {
    ["description": .string(meaning), "content": content]
  }

  private static func json(_ schema: JSONValue) -> JSONValue { ["application/json": ["schema": schema]] }

  private static func reference(_ kind: String, _ name: String) -> JSONValue {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }

  private static func reference(to type: any WireType.Type) -> JSONValue { reference("schemas", type.schemaName) }

  // MARK: Bodies

  /// The types of all bodies, and those within them.
  static var types: [any WireType.Type] {
    var found: [any WireType.Type] = [ErrorBody.self]
    func addType(_ type: any WireType.Type) {
      guard !found.contains(where: { $0.schemaName == type.schemaName }) else { return }
      found.append(type)
      for key in type.keys { addForm(key.form) }
    }
    func addForm(_ form: Form) {
      switch form {
      case .object(let type): addType(type)
      case .either(let types): for type in types { addType(type) }
      case .list(let item), .map(let item): addForm(item)
      case .text, .base64, .flag, .integer, .number, .anyObject: break
      }
    }
    for operation in ControlRoutes.ofHandsets.map(\.operation) + ControlRoutes.ofDaemon.map(\.operation) {
      if let body = operation.body { addType(type(of: body)) }
      if let form = operation.answer.form { addForm(form) }
    }
    return found
  }

  private static var schemas: Members {
    var schemas: Members = [:]
    for type in types {
      let keys = type.keys
      var properties: Members = [:]
      for key in keys { properties[key.name] = .object(value(key.form, type.meaning(of: key.name))) }
      var members = type.moreOfSchema
      members["type"] = "object"
      members["description"] = .string(type.meaning)
      members["properties"] = .object(properties)
      let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
      if !required.isEmpty { members["required"] = .array(required) }
      schemas[type.schemaName] = .object(members)
    }
    return schemas
  }

  /// Returns the schema of a value. The bounds of a list are those of its items.
  private static func value(_ form: Form, _ meaning: Meaning) -> Members {
    var members: Members
    switch form {
    case .text: members = ["type": "string"]
    case .base64: members = ["type": "string", "format": "byte"]
    case .flag: members = ["type": "boolean"]
    case .integer: members = ["type": "integer", "format": "int64"]
    case .number: members = ["type": "number"]
    case .anyObject: members = ["type": "object"]
    case .object(let type): members = ["$ref": .string("#/components/schemas/\(type.schemaName)")]
    case .either(let types): members = ["oneOf": .array(types.map { reference(to: $0) })]
    case .list(let item): members = ["type": "array", "items": .object(value(item, Meaning("", meaning.bounds)))]
    case .map(let item): members = ["type": "object", "additionalProperties": .object(value(item, ""))]
    }
    if !meaning.text.isEmpty { members["description"] = .string(meaning.text) }
    if case .list = form { return members }
    return members.merging(meaning.bounds) { known, _ in known }
  }

  private static let refusals: [(status: Int, name: String, meaning: String)] = [
    (0, "Error", "A request that HTTP itself refuses, or an error of the daemon."),
    (400, "BadRequest", "The request, or a value in it, is wrong."),
    (404, "NotFound", "There is no such thing."),
    (409, "Conflict", "Not at this moment."),
    (413, "TooLarge", "The body is too large."),
    (502, "BadGateway", "The port gave no answer."),
    (503, "NotStored", "The store failed; nothing has changed."),
    (507, "NoRoom", "It cannot be written."),
  ]
}
