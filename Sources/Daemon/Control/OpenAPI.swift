// The description of the control API for programs, made from what its routes and the types of their bodies say.

import HTTP

/// The document that `make reference` writes to `docs/openapi.json`.
public enum OpenAPI {
  /// The document as JSON.
  public static var document: String { root.text() + "\n" }

  private static let origin = "http://localhost"

  private static var root: OrderedJSON {
    let tags = Operation.Section.allCases.map { section -> OrderedJSON in
      ["name": .text(section.rawValue), "description": .text(section.meaning)]
    }
    let responses = Refused.all.map { ($0.name, refusal($0.meaning)) }
    return [
      "openapi": "3.1.0", "info": info, "servers": .list(servers), "tags": .list(tags), "paths": .object(paths),
      "components": ["responses": .object(responses), "schemas": .object(schemas)],
    ]
  }

  private static let info: OrderedJSON = [
    "title": "Deskbell control API", "version": "1",
    "description": .text(
      "HTTP/1.1 with JSON over the daemon's control socket, a Unix socket; its file's permissions decide who may use "
        + "it. Times are whole microseconds. Absent keys and null mean the same. Unknown keys and query parameters "
        + "of a request are refused with 400 and the nearest name."),
    "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
  ]

  private static var servers: [OrderedJSON] {
    let board = origin + ControlRoutes.base
    let handset: OrderedJSON = [
      "default": "1",
      "description": .text(
        "The handset's name, as GET /v1/handsets lists them. A wrong one is refused with 404 and the nearest name."),
    ]
    return [
      [
        "url": .text(board),
        "description": .text(
          "The handset on the board, and the resources that all handsets share: "
            + "curl --unix-socket /run/deskbell/control.sock \(board)/state"),
      ],
      [
        "url": .text(origin + ControlRoutes.handsetBase), "description": "Any handset of the daemon.",
        "variables": ["handset": handset],
      ],
    ]
  }

  // MARK: Operations

  private static var operations: [Operation] {
    ControlRoutes.ofHandsets.map(\.operation) + ControlRoutes.ofDaemon.map(\.operation)
  }

  /// The operations by their paths below their server, those of handsets first.
  private static var paths: OrderedJSON.Members {
    var paths: OrderedJSON.Members = []
    func add(_ operation: Operation, at path: String, server: String?) {
      let method = (operation.method.lowercased(), description(of: operation, isOfHandset: server == nil))
      if let place = paths.firstIndex(where: { $0.0 == path }), case .object(var members) = paths[place].1 {
        members.append(method)
        paths[place].1 = .object(members)
        return
      }
      var members: OrderedJSON.Members = []
      if let server { members.append(("servers", .list([["url": .text(origin + server)]]))) }
      let parameters = parameters(in: operation)
      if !parameters.isEmpty { members.append(("parameters", .list(parameters))) }
      members.append(method)
      paths.append((path, .object(members)))
    }
    for route in ControlRoutes.ofHandsets { add(route.operation, at: route.operation.path, server: nil) }
    for route in ControlRoutes.ofDaemon {
      let path = route.operation.path
      if path.hasPrefix(ControlRoutes.base + "/") {
        add(route.operation, at: String(path.dropFirst(ControlRoutes.base.count)), server: ControlRoutes.base)
      } else {
        add(route.operation, at: path, server: "")
      }
    }
    return paths
  }

  private static func parameters(in operation: Operation) -> [OrderedJSON] {
    let segments = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
    return segments.map { segment -> OrderedJSON in
      let name = String(segment.dropFirst().dropLast())
      let meaning = operation.parameters.first { $0.key == name }?.value ?? "A bundle identifier."
      return [
        "name": .text(name), "in": "path", "required": true, "description": .text(meaning),
        "schema": ["type": "string"],
      ]
    }
  }

  private static func description(of operation: Operation, isOfHandset: Bool) -> OrderedJSON {
    var members: OrderedJSON.Members = [
      ("tags", .list([.text(operation.section.rawValue)])), ("operationId", .text(operation.name)),
      ("summary", .text(operation.summary)),
    ]
    if let details = operation.details { members.append(("description", .text(details))) }
    if !operation.query.isEmpty { members.append(("parameters", .list(operation.query.map { parameter($0) }))) }
    if let body = operation.body { members.append(("requestBody", request(body, limit: operation.bodyLimit))) }
    members.append(("responses", .object(responses(to: operation, isOfHandset: isOfHandset))))
    return .object(members)
  }

  private static func parameter(_ query: Operation.Query) -> OrderedJSON {
    var schema = value(query.form, Meaning(bounds: query.meaning))
    if let standard = query.standard { schema.append(("default", standard)) }
    return [
      "name": .text(query.name), "in": "query", "required": false, "description": .text(query.meaning.text),
      "schema": .object(schema),
    ]
  }

  private static func request(_ body: any RequestBody, limit: Int) -> OrderedJSON {
    var members: OrderedJSON.Members = [("required", true)]
    if limit > HTTPLimits.defaultBodyBytes { members.append(("description", .text("At most \(limit) bytes."))) }
    let content: OrderedJSON.Members = [
      ("schema", schema(of: type(of: body))), ("example", OrderedJSON(encoding: body)),
    ]
    members.append(("content", ["application/json": .object(content)]))
    return .object(members)
  }

  /// Returns the responses to a request, by status.
  static func responses(to operation: Operation, isOfHandset: Bool) -> OrderedJSON.Members {
    var responses = accepted(operation.answer)
    var refusals = operation.refusals.map { (status: $0.key, meaning: $0.value) }
    var usual = [400, 503]
    if isOfHandset { usual.append(404) }
    if operation.bodyLimit > HTTPLimits.defaultBodyBytes { usual.append(413) }
    for status in usual where !refusals.contains(where: { $0.status == status }) {
      refusals.append((status: status, meaning: ""))
    }
    for refusal in refusals.sorted(by: { $0.status < $1.status }) {
      let status = "\(refusal.status)"
      guard !responses.contains(where: { $0.0 == status }) else { continue }
      let name = Refused.all.first { $0.status == refusal.status }?.name ?? Refused.error.name
      responses.append(
        (status, refusal.meaning.isEmpty ? reference("responses", name) : self.refusal(refusal.meaning)))
    }
    responses.append(("default", reference("responses", Refused.error.name)))
    return responses
  }

  /// Returns the responses to a request that is accepted, by status.
  private static func accepted(_ answer: Operation.Answer) -> OrderedJSON.Members {
    switch answer {
    case .object(let type, let meaning, let failing):
      let content = json(schema(of: type))
      var responses: OrderedJSON.Members = [("200", response(meaning, content))]
      if let failing { responses.append(("503", response(failing, content))) }
      return responses
    case .list(let type, let meaning):
      return [("200", response(meaning, json(["type": "array", "items": schema(of: type)])))]
    case .names(let meaning):
      return [("200", response(meaning, json(["type": "array", "items": ["type": "string"]])))]
    case .nothing(let meaning):
      return [("204", ["description": .text(meaning)])]
    case .bytes(let type, let format, let meaning):
      var schema: OrderedJSON.Members = [("type", "string")]
      if let format { schema.append(("format", .text(format))) }
      return [("200", response(meaning, .object([(type, ["schema": .object(schema)])])))]
    case .lines(let types, let meaning):
      let schema: OrderedJSON = ["oneOf": .list(types.map { self.schema(of: $0) })]
      return [("200", response(meaning, ["application/x-ndjson": ["schema": schema]]))]
    }
  }

  private static func response(_ meaning: String, _ content: OrderedJSON) -> OrderedJSON {
    ["description": .text(meaning), "content": content]
  }

  private static func refusal(_ meaning: String) -> OrderedJSON { response(meaning, json(schema(of: ErrorBody.self))) }

  private static func json(_ schema: OrderedJSON) -> OrderedJSON { ["application/json": ["schema": schema]] }

  private static func reference(_ kind: String, _ name: String) -> OrderedJSON {
    ["$ref": .text("#/components/\(kind)/\(name)")]
  }

  private static func schema(of type: any WireType.Type) -> OrderedJSON { reference("schemas", type.schemaName) }

  // MARK: Bodies

  /// The types of all bodies, and those within them, in the order in which they are met.
  static var types: [any WireType.Type] {
    var found: [any WireType.Type] = []
    func addType(_ type: any WireType.Type) {
      guard !found.contains(where: { $0.schemaName == type.schemaName }) else { return }
      found.append(type)
      for key in type.keys { addForm(key.form) }
    }
    func addForm(_ form: Form) {
      switch form {
      case .object(let type): addType(type)
      case .list(let item), .map(let item): addForm(item)
      case .text, .base64, .flag, .integer: break
      }
    }
    for operation in operations {
      if let body = operation.body { addType(type(of: body)) }
      switch operation.answer {
      case .object(let type, _, _): addType(type)
      case .list(let type, _): addType(type)
      case .lines(let types, _): for type in types { addType(type) }
      case .names, .nothing, .bytes: break
      }
    }
    addType(ErrorBody.self)
    return found
  }

  private static var schemas: OrderedJSON.Members {
    types.map { type -> (String, OrderedJSON) in
      let keys = type.keys
      let properties = keys.map { key -> (String, OrderedJSON) in
        let meaning = type.meanings.first { $0.key == key.name }?.value ?? ""
        return (key.name, .object(value(key.form, meaning)))
      }
      let required = keys.filter(\.isRequired).map { OrderedJSON.text($0.name) }
      var members: OrderedJSON.Members = [("type", "object"), ("description", .text(type.meaning))]
      if !required.isEmpty { members.append(("required", .list(required))) }
      members.append(("properties", .object(properties)))
      return (type.schemaName, .object(members + type.moreOfSchema))
    }
  }

  /// Returns the schema of a value. The words of a list are those of its items.
  private static func value(_ form: Form, _ meaning: Meaning) -> OrderedJSON.Members {
    var members: OrderedJSON.Members
    switch form {
    case .text: members = [("type", "string")]
    case .base64: members = [("type", "string"), ("format", "byte")]
    case .flag: members = [("type", "boolean")]
    case .integer: members = [("type", "integer"), ("format", "int64")]
    case .object(let type): members = [("$ref", .text("#/components/schemas/\(type.schemaName)"))]
    case .list(let item): members = [("type", "array"), ("items", .object(value(item, Meaning(bounds: meaning))))]
    case .map(let item): members = [("type", "object"), ("additionalProperties", .object(value(item, "")))]
    }
    if !meaning.text.isEmpty { members.append(("description", .text(meaning.text))) }
    if case .list = form { return members }
    if let words = meaning.words { members.append(("enum", .list(words.map { .text($0) }))) }
    if let least = meaning.least { members.append(("minimum", .number(least))) }
    if let most = meaning.most { members.append(("maximum", .number(most))) }
    return members
  }

  /// A usual refusal.
  private struct Refused {
    let status: Int
    let name: String
    let meaning: String

    static let error = Refused(
      status: 0, name: "Error", meaning: "A request that HTTP itself refuses, or an error of the daemon.")
    static let all = [
      error,
      Refused(status: 400, name: "BadRequest", meaning: "The request, or a value in it, is wrong."),
      Refused(status: 404, name: "NotFound", meaning: "There is no such thing."),
      Refused(status: 409, name: "Conflict", meaning: "Not at this moment."),
      Refused(status: 413, name: "TooLarge", meaning: "The body is too large."),
      Refused(status: 502, name: "BadGateway", meaning: "The port gave no answer."),
      Refused(status: 503, name: "NotStored", meaning: "The store failed; nothing has changed."),
      Refused(status: 507, name: "NoRoom", meaning: "It cannot be written."),
    ]
  }
}
