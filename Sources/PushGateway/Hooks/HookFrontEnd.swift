// A hook: an address that is its own key, for services that can call an address and nothing else.

import Crypto
import HTTPRoutes
import HandsetCore

/// `/h/KEY`: takes plain text, a form or any JSON.
public struct HookFrontEnd: FrontEnd {
  private let receiver: any KeyedReceiver
  private let templates: [String: HookTemplate]

  /// - Parameter templates: by their names.
  public init(_ receiver: any KeyedReceiver, templates: [String: HookTemplate]) {
    self.receiver = receiver
    self.templates = templates
  }

  public func claims(_ head: RequestHead) -> Bool {
    guard head.path.hasPrefix("/h/"), let target = RequestTarget(head.path) else { return false }
    return target.segments.count == 2
  }

  public func makeSession(for client: Client) -> any FrontEndSession {
    HookSession(session: .init(client, receiver), templates: templates)
  }
}

private enum HookWords: KeyedWords {
  static func words(of refusal: KeyedRefusal) -> Response { .json(refusal.status, ["error": .string(refusal.detail)]) }
}

private struct HookSession: FrontEndSession {
  let session: KeyedSession<HookWords>
  let templates: [String: HookTemplate]

  func open(_ head: RequestHead, from client: Client) -> Opening {
    var provider: KeyedProvider?
    do throws(KeyedRefusal) {
      guard let target = RequestTarget(head.path), let key = target.segments.last else { throw .wrongKey }
      let known = try session.provider(key, client)
      provider = known
      guard let template = known.template else { throw .wrongKey }
      guard ["POST", "PUT", "GET"].contains(head.method) else {
        throw KeyedRefusal(405, "MethodNotAllowed", "a hook takes POST, PUT and GET")
      }
      let reader = HookReader(
        contentType: head.fields["content-type"], query: target.query, hook: known.name,
        templates: [templates[template], templates[HookTemplate.standard]].compactMap(\.self),
        gateway: session.gateway)
      return .read(
        KeyedExchange(
          provider: known, allowance: try BodyAllowance(for: head, with: known.key, session.gateway),
          session: session, client: client,
          read: { (body, _) throws(KeyedRefusal) in
            let message = try reader.message(body)
            let answer = Response.json(200, ["id": .string(message.id.description)])
            return (.push(message.push(to: known, named: "hook")), { answer })
          }))
    } catch {
      return .answer(session.refuse(error, provider, from: client))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> Response { session.refuse(KeyedRefusal(error), from: client) }
}

/// Reads what comes to one hook.
private struct HookReader {
  let contentType: String?
  let query: [(name: String, value: String)]
  /// Its name.
  let hook: String
  /// The first that has a text for the body is used.
  let templates: [HookTemplate]
  let gateway: Gateway

  func message(_ body: [UInt8]) throws(KeyedRefusal) -> KeyedMessage {
    if body.isEmpty {
      let fields = query.isEmpty ? [("message", "triggered")] : query.prefix(FormBody.fieldLimit)
      return message(.fields(Array(fields)))
    }
    // A command such as `curl -d` says that it sends a form, whatever it sends.
    if body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") {
      do {
        return try JSONObject.read(body, depth: gateway.limits.payloadDepth) { message(.json($0), body) }
      } catch {
        if contentType?.lowercased().contains("json") == true {
          throw KeyedRefusal(400, "BadRequest", "the body is no JSON object")
        }
      }
    }
    if let fields = FormBody(body, contentType: contentType)?.fields, let first = fields.first,
      fields.count > 1 || !first.value.isEmpty
    {
      return message(.fields(fields))
    }
    guard let text = String(validating: body, as: UTF8.self) else {
      throw KeyedRefusal(400, "BadRequest", "the body is neither JSON, a form nor text in UTF-8")
    }
    var plain = shown(text.trimmingWhitespace, title: query.value(of: "title"))
    plain.setBadge(query.value(of: "badge"))
    return plain
  }

  /// - Parameter body: of JSON; it is the text if no template has one.
  private func message(_ values: TemplateValues, _ body: [UInt8] = []) -> KeyedMessage {
    for template in templates {
      guard let text = template.text.filled(from: values) else { continue }
      var message = shown(text, title: template.title?.filled(from: values))
      message.level = template.level(of: values)
      message.collapseID = template.replaces?.filled(from: values).map(HookTemplate.collapseID)
      message.setTags(
        template.tags?.filled(from: values)?.separatedByCommas(gateway.limits) ?? [], gateway.limits)
      message.setBadge(template.badge?.filled(from: values))
      return message
    }
    switch values {
    case .json: return shown(String(decoding: body, as: UTF8.self).trimmingWhitespace, title: nil)
    case .fields(let fields):
      let object = Dictionary(
        fields.map { ($0.name.prefix(bytes: gateway.limits.messageTitleBytes), JSONValue.string($0.value)) }
      ) { first, _ in first }
      return shown(String(decoding: JSONValue.object(object).bytes, as: UTF8.self), title: nil)
    }
  }

  private func shown(_ text: String, title: String?) -> KeyedMessage {
    let limits = gateway.limits
    var message = KeyedMessage(
      text: text.isEmpty ? "triggered" : text.prefix(bytes: limits.messageBytes), now: gateway.clock.handset())
    message.title = title?.prefix(bytes: limits.messageTitleBytes)
    message.setExtras(["hook": .string(hook)], optional: [], limits)
    if text.utf8.count > limits.messageBytes {
      message.ignore(
        "body", "more than \(grouped(Int64(limits.messageBytes))) bytes of text, of which the first are shown")
    }
    return message
  }

}

extension HookTemplate {
  /// What services have for it may be longer than a collapse identifier.
  static func collapseID(_ text: String) -> String {
    guard text.utf8.count > Policy.collapseIDLimit else { return text }
    return SHA256.hash(data: Array(text.utf8)).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func level(of values: TemplateValues) -> InterruptionLevel {
    guard let word = level?.filled(from: values) else { return .active }
    // By bytes: to look up a text takes long if it has many marks.
    func isWord(_ name: String) -> Bool { name.utf8.elementsEqual(word.utf8) }
    return levels.first { isWord($0.key) }?.value ?? InterruptionLevel.allCases.first { isWord($0.rawValue) } ?? .active
  }
}
