import HTTP
import HandsetCore

/// The front end of hooks, addresses that contain their own key (`/h/KEY`), for services that can only call an address.
/// It accepts plain text, a form or any JSON.
struct HookFrontEnd: KeyedFrontEnd {
  let receiver: any KeyedReceiver
  let templates: [String: HookTemplate]

  var name: String { "hook" }

  func claims(_ head: RequestHead) -> Bool {
    guard head.path.hasPrefix("/h/"), let target = RequestTarget(head.path) else { return false }
    return target.segments.count == 2
  }

  static func words(of refusal: KeyedRefusal) -> HTTPResponse {
    .json(refusal.status, ["error": .string(refusal.detail)])
  }

  func open(
    _ head: RequestHead, from client: Client, _ provider: inout KeyedProvider?
  ) throws(KeyedRefusal) -> HTTPOpening {
    guard let target = RequestTarget(head.path), let key = target.segments.last else { throw .wrongKey }
    let known = try authenticate(client, by: key, for: nil)
    provider = known
    guard let template = known.template else { throw .wrongKey }
    guard ["POST", "PUT", "GET"].contains(head.method) else {
      throw KeyedRefusal(405, "MethodNotAllowed", "a hook takes POST, PUT and GET")
    }
    let reader = HookReader(
      contentType: head.headers["content-type"], query: target.query, hook: known.name,
      templates: [templates[template], templates[HookTemplate.standard]].compactMap(\.self), port: client.port)
    return try accept(head, of: known, from: client) { (body, _) throws(KeyedRefusal) in
      let message = try reader.message(body)
      let answer = HTTPResponse.json(200, ["id": .string(message.id.description)])
      return (.push(message.push(to: known, named: "hook")), { answer })
    }
  }
}

private struct HookReader {
  let contentType: String?
  let query: [(name: String, value: String)]
  let hook: String
  /// The templates: the first with a text for the body is used.
  let templates: [HookTemplate]
  let port: Port

  func message(_ sent: [UInt8]) throws(KeyedRefusal) -> KeyedMessage {
    if sent.isEmpty { return message(address) { FormBody.lines($0) } }
    // Windows programs begin a text with a byte order mark.
    let body = sent.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(sent[3...]) : sent
    // Commands such as `curl -d` declare any body as a form.
    if isObject(body) {
      do throws(MalformedJSON) {
        return try message(json: body)
      } catch {
        if contentType?.lowercased().contains("json") == true {
          throw .bad(error.detail(in: body, depth: port.limits.payloadDepth))
        }
      }
    }
    if let form = FormBody(body, contentType: contentType) { return message(form.fields[...]) { _ in form.text } }
    guard let text = String(validating: body, as: UTF8.self) else {
      throw .bad("the body is neither JSON, a form nor text in UTF-8")
    }
    return message(.fields([]), otherwise: text)
  }

  /// The fields of the address's query, which apply beside a body, too.
  private var address: ArraySlice<(name: String, value: String)> { query.prefix(FormBody.fieldLimit) }

  private func isObject(_ text: some Collection<UInt8>) -> Bool {
    text.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
  }

  private func message(json body: [UInt8]) throws(MalformedJSON) -> KeyedMessage {
    try JSONObject.read(body, depth: port.limits.payloadDepth) {
      message(.json($0), otherwise: String(decoding: body, as: UTF8.self))
    }
  }

  /// Makes the message of a form, or of the address alone. JSON may be in a field (`payload`, `data`), or be the only
  /// name, as with curl's `--data-urlencode`.
  /// - Parameter text: makes the text if no template has one, from the fields that no template names.
  private func message(
    _ fields: ArraySlice<(name: String, value: String)>, text: ([(name: String, value: String)]) -> String
  ) -> KeyedMessage {
    if let object = joined(fields), let message = try? message(json: object.bytes) { return message }
    let unknown = fields.filter { field in !templates.contains { $0.names(field.name) } }
    for field in unknown {
      let text = field.value.isEmpty ? field.name : field.value
      if isObject(text.utf8), let message = try? message(json: Array(text.utf8)) { return message }
    }
    return message(.fields(Array(fields)), otherwise: unknown.isEmpty ? "" : text(unknown))
  }

  /// Returns the fields that a template names as one object; nil unless a place is inside one with JSON: Uptime Kuma's
  /// GET has `heartbeat={…}&monitor={…}&msg=…`.
  private func joined(_ fields: ArraySlice<(name: String, value: String)>) -> JSONValue? {
    var members: [String: JSONValue] = [:]
    var hasObject = false
    for field in fields {
      if isObject(field.value.utf8), templates.contains(where: { $0.names(field.name, inside: true) }),
        let object = try? JSONObject.read(
          Array(field.value.utf8), depth: port.limits.payloadDepth, { JSONValue($0) })
      {
        members[field.name] = object
        hasObject = true
      } else if templates.contains(where: { $0.names(field.name) }) {
        members[field.name] = .string(field.value)
      }
    }
    return hasObject ? .object(members) : nil
  }

  /// - Parameter otherwise: the text if no template has one.
  private func message(_ values: TemplateValues, otherwise: String) -> KeyedMessage {
    let choice = templates.lazy.compactMap { template in template.text.filled(from: values).map { (template, $0) } }
      .first
    guard let template = choice?.0 ?? templates.first else { return shown(otherwise, title: nil) }
    // The user chose the address, so its fields take precedence over the service's.
    let asked = TemplateValues.fields(Array(address))
    let common = templates.last ?? template
    func chosen(_ part: KeyPath<HookTemplate, TemplateText?>) -> String? {
      common[keyPath: part]?.filled(from: asked) ?? template[keyPath: part]?.filled(from: values)
    }
    let text = (choice?.1 ?? otherwise).trimmingWhitespace
    // A template's title may have no place, such as `GitHub`, so it is not used without the template's text.
    let title =
      choice == nil ? common.title?.filled(from: asked) ?? common.title?.filled(from: values) : chosen(\.title)
    var message = shown(template.markup.plain(text), title: title.map(template.markup.plain))
    message.level = template.level(of: values, asked: common.level?.all(from: asked) ?? [])
    message.collapseID = chosen(\.replaces).map(HookTemplate.collapseID)
    message.setTags(chosen(\.tags)?.separatedByCommas(port.limits) ?? [], port.limits)
    message.setBadge(chosen(\.badge))
    return message
  }

  private func shown(_ text: String, title: String?) -> KeyedMessage {
    let limits = port.limits
    var message = KeyedMessage(
      text: text.isEmpty ? "triggered" : text.prefix(bytes: limits.messageBytes), now: port.clock.handset())
    message.title = title?.prefix(bytes: limits.messageTitleBytes)
    message.setExtras(["hook": .string(hook)], optional: [], limits)
    if text.utf8.count > limits.messageBytes {
      message.ignore(
        "body", "more than \(grouped(Int64(limits.messageBytes))) bytes of text, of which the first are shown")
    }
    return message
  }
}
