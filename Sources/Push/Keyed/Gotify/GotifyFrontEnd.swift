import FoundationEssentials
import HTTP
import HandsetCore

/// The front end for Gotify's `/message`: the key of a topic is the token of an application.
struct GotifyFrontEnd: KeyedFrontEnd {
  let receiver: any KeyedReceiver
  private static let paths = ["/message", "/health", "/version"]

  var name: String { "gotify" }

  func claims(_ head: RequestHead) -> Bool {
    let path = head.path.utf8.prefix { $0 != UInt8(ascii: "?") }
    return GotifyFrontEnd.paths.contains { path.elementsEqual($0.utf8) }
  }

  static func words(of refusal: KeyedRefusal) -> HTTPResponse {
    // Its clients expect 401 for a missing token.
    let status = refusal.status == 403 ? 401 : refusal.status
    return .json(
      status,
      [
        "error": .string(refusal.reason), "errorCode": .integer(Int64(status)),
        "errorDescription": .string(refusal.detail),
      ])
  }

  func open(
    _ head: RequestHead, from client: Client, _ provider: inout KeyedProvider?
  ) throws(KeyedRefusal) -> HTTPOpening {
    guard let target = RequestTarget(head.path) else { throw .bad("the path is malformed") }
    switch (head.method, target.path) {
    case ("GET", "/health"):
      return .answer(.json(200, ["health": "green", "database": "green"]))
    case ("GET", "/version"):
      return .answer(.json(200, ["version": "2.6.3", "commit": "deskbell", "buildDate": ""]))
    case ("POST", "/message"): break
    default: throw .badMethod(head.method)
    }
    let key = target.queryValue("token") ?? head.headers["x-gotify-key"] ?? head.accessKey
    let known = try authenticate(client, by: key, for: "gotify")
    provider = known
    return try accept(head, of: known, from: client) { [port = client.port] (body, _) throws(KeyedRefusal) in
      let now = port.clock.handset()
      let message = try GotifyMessage(
        body, contentType: head.headers["content-type"], query: target.query, now: now, port.limits)
      let answer = message.answer(now: now)
      return (.push(message.message.push(to: known, named: "gotify")), { answer })
    }
  }
}

/// One message, as JSON, or as a form whose fields may also be in the query. Names may be in upper or lower case.
private struct GotifyMessage {
  private enum Key: String { case message, title, priority, extras }

  let priority: Int
  private(set) var message: KeyedMessage

  /// - Throws: 400.
  init(
    _ body: [UInt8], contentType: String?, query: [(name: String, value: String)], now: WallTime,
    _ limits: PortLimits
  ) throws(KeyedRefusal) {
    var (text, title, priority): (String?, String?, Int64?) = (nil, nil, nil)
    var (extras, hasExtras): (JSONValue?, Bool) = (nil, false)
    let form = body.isEmpty ? [] : FormBody(body, contentType: contentType)?.fields
    if let form {
      var values: [Key: String] = [:]
      for field in form + query.prefix(FormBody.fieldLimit) {
        guard let key = GotifyMessage.key(field.name), values[key] == nil else { continue }
        values[key] = field.value
      }
      (text, title) = (values[.message], values[.title])
      if let number = values[.priority] {
        // An empty priority is zero [gin's binding].
        guard let value = number.isEmpty ? 0 : Int64(number.prefix(bytes: 32).trimmingSpaces) else {
          throw KeyedRefusal(400, "Bad Request", "priority \(quoted(number)) is no number")
        }
        priority = value
      }
    } else {
      var problem: String?
      do throws(MalformedJSON) {
        try JSONObject.read(body, depth: limits.payloadDepth) { object in
          var members: [Key: JSONElement] = [:]
          for member in object.elements {
            if let key = GotifyMessage.key(member.name) { members[key] = member }
          }
          (text, title) = (members[.message]?.string, members[.title]?.string)
          if let number = members[.priority], !number.isNull {
            priority = number.integer
            if priority == nil { problem = "priority cannot be \(number.kindName)" }
          }
          if let member = members[.extras], !member.isNull {
            hasExtras = true
            extras = member.fits(in: limits.messageExtrasBytes) ? JSONValue(member) : nil
          }
        }
      } catch {
        let detail = error.detail(in: body, depth: limits.payloadDepth, expected: "a JSON object or a form")
        throw KeyedRefusal(400, "Bad Request", detail)
      }
      if let problem { throw KeyedRefusal(400, "Bad Request", problem) }
    }
    guard let text, !text.isEmpty else { throw KeyedRefusal(400, "Bad Request", "the field 'message' is required") }
    self.priority = Int(clamping: priority ?? 5)
    message = KeyedMessage(text: text.prefix(bytes: limits.messageBytes), now: now)
    message.title = title.flatMap { $0.isEmpty ? nil : $0.prefix(bytes: limits.messageTitleBytes) }
    // Gotify's priorities may be any number; its own app rings from 4 on and is insistent from 8 on.
    message.level = self.priority < 1 ? .passive : self.priority < 8 ? .active : .timeSensitive
    message.isSilent = (1...3).contains(self.priority)
    if text.utf8.count > limits.messageBytes {
      message.ignore("message", "\(grouped(Int64(text.utf8.count))) bytes, of which \(limits.messageBytes) are shown")
    }
    var all = ["priority": JSONValue.integer(Int64(self.priority))]
    if let extras { all["extras"] = extras } else if hasExtras { message.leaveOut("extras", limits) }
    message.setExtras(all, optional: ["extras"], limits)
  }

  private static func key(_ name: String) -> Key? {
    name.utf8.count <= 8 ? Key(rawValue: name.lowercased()) : nil
  }

  func answer(now: WallTime) -> HTTPResponse {
    .json(
      200,
      [
        // Gotify numbers its messages; a push has no number, and its identifier is too long for one.
        "id": .integer(Int64(message.id.low & 0x7FFF_FFFF)), "appid": .integer(1), "message": .string(message.text),
        "title": .string(message.title ?? ""), "priority": .integer(Int64(priority)),
        "date": .string(Date(timeIntervalSince1970: Double(now.microseconds / 1_000_000)).formatted(.iso8601)),
      ])
  }
}
