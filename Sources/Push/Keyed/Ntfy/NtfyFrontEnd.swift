import HTTP
import HandsetCore
import NIOWebSocket

/// ntfy's publishing API, for topics: aliases of apps, each with an access key of its own. ntfy's clients need only
/// another server address.
struct NtfyFrontEnd: KeyedFrontEnd {
  let receiver: any KeyedReceiver
  private let subscriptions: NtfySubscriptions
  private let templates: [String: HookTemplate]

  /// - Parameters:
  ///   - providers: the port's providers; a subscription ends with its key.
  ///   - templates: the templates of hooks, by name. A message may name one, too.
  init(
    _ receiver: any KeyedReceiver, providers: ProviderDirectory, templates: [String: HookTemplate], limits: PortLimits
  ) {
    self.receiver = receiver
    self.templates = templates
    subscriptions = NtfySubscriptions(providers, limits: limits)
  }

  var name: String { "ntfy" }

  /// Topic names have no dots and nearly all app identifiers have some, so the 2008 service keeps its paths.
  func claims(_ head: RequestHead) -> Bool {
    RequestTarget(head.path).flatMap { NtfyRequest(head.method, $0) } != nil
  }

  static func words(of refusal: KeyedRefusal) -> HTTPResponse {
    let code = refusal.code ?? refusal.status * 100
    return .json(
      refusal.status,
      ["code": .integer(Int64(code)), "http": .integer(Int64(refusal.status)), "error": .string(refusal.detail)])
  }

  func open(
    _ head: RequestHead, from client: Client, _ provider: inout KeyedProvider?
  ) throws(KeyedRefusal) -> HTTPOpening {
    guard let target = RequestTarget(head.path), let request = NtfyRequest(head.method, target) else {
      throw .notFound
    }
    switch request {
    case .health: return .answer(.json(200, ["healthy": true]))
    case .badMethod: throw .badMethod(head.method)
    case .nothing: throw .notFound
    default: break
    }
    let key = try NtfyFrontEnd.key(head, target)
    if key == nil, let answer = NtfyFrontEnd.service(request, nil) { return .answer(answer) }
    let known = try authenticate(
      client, by: key, for: target.segments.first.flatMap { NtfyRequest.isTopic($0) ? $0 : nil })
    provider = known
    if let topic = target.segments.first, topic != "v1", topic != known.name { throw .otherTopic }
    if let answer = NtfyFrontEnd.service(request, known) { return .answer(answer) }
    switch request {
    case .authorize: return .answer(.json(200, ["success": true]))
    case .subscribe(let format): return .answer(try subscribe(known, format, head, target, client.port))
    case .token: return .read(TokenRequest(key: key ?? "", client: client, frontEnd: self))
    default:
      let parameters = NtfyParameters(head, target)
      let skips = if case .publish = request { true } else { false }
      return try accept(head, of: known, from: client, skips: skips) {
        [subscriptions] (body, size) throws(KeyedRefusal) in
        let (input, event) = try publication(request, parameters, body, size, by: known, client.port)
        return (
          input,
          {
            subscriptions.publish(event, by: known)
            return .json(200, event.json)
          }
        )
      }
    }
  }

  /// Returns a stream of the messages published with the key; with `poll`, only the remembered messages.
  private func subscribe(
    _ provider: KeyedProvider, _ format: NtfySubscriptions.Format, _ head: RequestHead, _ target: RequestTarget,
    _ port: Port
  ) throws(KeyedRefusal) -> HTTPResponse {
    func parameter(_ name: String) -> String? {
      head.headers["x-\(name)"] ?? head.headers[name] ?? target.queryValue(name)
    }
    let polls = ["1", "yes", "true"].contains(parameter("poll")?.lowercased())
    let text = parameter("since")
    let since = try text.map { (text) throws(KeyedRefusal) in
      try NtfySubscriptions.Since(text, now: port.clock.handset())
    }
    let filter = try NtfyFilter(head, target, port.limits)
    if format == .ws { return try webSocket(provider, since, polls: polls, filter, head, port) }
    let contentType =
      switch format {
      case .json, .ws: "application/x-ndjson; charset=utf-8"
      case .sse: "text/event-stream; charset=utf-8"
      case .raw: "text/plain; charset=utf-8"
      }
    let body: HTTPResponse.Body
    if polls {
      body = .bytes(subscriptions.recent(provider.key, since: since ?? .all, filter).flatMap { $0.bytes(format) })
    } else {
      body = .live(try subscriptions.listen(to: provider, format, since: since ?? .now, filter, port))
    }
    return HTTPResponse(headers: ["content-type": contentType, "cache-control": "no-cache"], body: body)
  }

  private func webSocket(
    _ provider: KeyedProvider, _ since: NtfySubscriptions.Since?, polls: Bool, _ filter: NtfyFilter,
    _ head: RequestHead, _ port: Port
  ) throws(KeyedRefusal) -> HTTPResponse {
    guard let fields = head.webSocketFields else {
      throw .bad("/ws is for WebSocket over HTTP/1.1, and the request does not ask for that", code: 40016)
    }
    let stream: ResponseStream
    if polls {
      let events = subscriptions.recent(provider.key, since: since ?? .all, filter)
      let frames = events.flatMap { $0.bytes(.ws) } + WebSocketFrame.close(.normalClosure)
      stream = ResponseStream(first: frames, limit: port.limits.subscriptionBytes) {}
      stream.end()
    } else {
      stream = try subscriptions.listen(to: provider, .ws, since: since ?? .now, filter, port)
    }
    stream.inputHandlers = { WebSocketInput.handlers(stream, port) }
    return HTTPResponse(status: 101, headers: fields, body: .live(stream))
  }

  /// Returns the key in the field `Authorization`, or in the query's `auth`, which is such a field in base64url.
  private static func key(_ head: RequestHead, _ target: RequestTarget) throws(KeyedRefusal) -> String? {
    if let key = head.accessKey { return key }
    guard let auth = target.queryValue("auth") ?? target.queryValue("authorization"), !auth.isEmpty else {
      if head.headers["authorization"] != nil { throw .wrongKey }
      return nil
    }
    guard let field = base64URLDecoded(auth.utf8.filter { $0 != UInt8(ascii: "=") }),
      let key = RequestHead.accessKey(authorization: String(decoding: field, as: UTF8.self))
    else { throw .wrongKey }
    return key
  }

  /// Returns the input that the body of an accepted request makes, and the event for the answer and the listeners.
  /// - Parameter size: the size of the body, which is empty if it was too large to be kept.
  private func publication(
    _ request: NtfyRequest, _ parameters: NtfyParameters, _ body: [UInt8], _ size: Int, by provider: KeyedProvider,
    _ port: Port
  ) throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event) {
    let (now, limits) = (port.clock.handset(), port.limits)
    func message(
      _ parameters: NtfyParameters, _ sequenceID: String? = nil, _ body: [UInt8]? = nil, replaces: String? = nil
    ) throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event) {
      let message = try NtfyMessage(
        parameters, topic: provider.name, sequenceID: sequenceID, body: body.map { ($0, size) }, replaces: replaces,
        port.clock, limits)
      return (message.input(for: provider), message.event(now: now))
    }
    switch request {
    case .publish(let sequenceID):
      guard let template = parameters.template else { return try message(parameters, sequenceID, body) }
      var filled = parameters
      let replaces = try fill(&filled, by: template, from: body, size, limits)
      return try message(filled, sequenceID, replaces: replaces)
    case .publishJSON:
      var parameters = parameters
      try add(body, to: &parameters, limits)
      guard let topic = parameters[.topic] else { throw .bad("the body names no topic", code: 40009) }
      guard topic == provider.name else { throw .otherTopic }
      return try message(parameters)
    case .trigger: return try message(parameters)
    case .retract(let sequenceID, let retraction):
      let name = retraction == .seen ? "message_clear" : "message_delete"
      let event = NtfySubscriptions.note(name, provider.name, now, ["sequence_id": .string(sequenceID)])
      return (.retract(provider.app, collapseID: sequenceID, retraction), event)
    default: throw .notFound
    }
  }

  private func add(
    _ body: [UInt8], to parameters: inout NtfyParameters, _ limits: PortLimits
  ) throws(KeyedRefusal) {
    var refusal: KeyedRefusal?
    do throws(MalformedJSON) {
      try JSONObject.read(body, depth: limits.payloadDepth) { object in
        do throws(KeyedRefusal) { try parameters.add(object, limits) } catch { refusal = error }
      }
    } catch {
      throw .bad(error.detail(in: body, depth: limits.payloadDepth), code: 40017)
    }
    if let refusal { throw refusal }
  }

  /// Sets the text and the title that a template makes from the body, and its level if there is no priority.
  /// - Returns: the collapse identifier of a message to replace.
  private func fill(
    _ parameters: inout NtfyParameters, by name: String, from body: [UInt8], _ size: Int, _ limits: PortLimits
  ) throws(KeyedRefusal) -> String? {
    guard let template = templates[name] else {
      let known = templates.keys.sorted().joined(separator: ", ")
      throw .bad("template \(quoted(name)): the handset has \(known)", code: 40047)
    }
    guard size == body.count else { throw .tooLarge(limits.largeBodyBytes) }
    var replaces: String?
    do throws(MalformedJSON) {
      try JSONObject.read(body, depth: limits.payloadDepth) { object in
        let values = TemplateValues.json(object)
        let plain = template.markup.plain
        let text = template.text.filled(from: values).map(plain) ?? String(decoding: body, as: UTF8.self)
        parameters.fill(
          text: text.trimmingWhitespace, title: template.title?.filled(from: values).map(plain),
          level: template.level(of: values, asked: []))
        replaces = template.replaces?.filled(from: values).map(HookTemplate.collapseID)
      }
    } catch {
      let detail = error.detail(in: body, depth: limits.payloadDepth)
      throw .bad("a message with a template is a JSON object: \(detail)", code: 40042)
    }
    return replaces
  }

  // MARK: The account

  // ntfy's clients request an account before they use a topic. Here an access key is the account: it has one topic.

  /// Returns the answer about the account; nil if the request is about something else, or needs a key.
  /// - Parameter provider: nil without a key.
  private static func service(_ request: NtfyRequest, _ provider: KeyedProvider?) -> HTTPResponse? {
    switch request {
    case .account: .json(200, account(name: provider?.name ?? "*", role: provider == nil ? "anonymous" : "user"))
    case .stats: .json(200, ["messages": .integer(0), "messages_rate": .double(0)])
    case .version where provider != nil:
      .json(200, ["version": "2.17.0", "commit": "deskbell", "date": "2026-01-01T00:00:00Z"])
    default: nil
    }
  }

  /// Returns an account. The counts that clients expect are 0; the handset's own are in `deskbell state`.
  private static func account(name: String, role: String) -> [String: JSONValue] {
    let counts = [
      "messages", "messages_remaining", "emails", "emails_remaining", "calls", "calls_remaining", "reservations",
      "reservations_remaining", "attachment_total_size", "attachment_total_size_remaining",
    ]
    let stats = Dictionary(uniqueKeysWithValues: counts.map { ($0, JSONValue.integer(0)) })
    return ["username": .string(name), "role": .string(role), "stats": .object(stats)]
  }
}

/// The request `POST /v1/account/token`: Home Assistant creates its own token with a name and a password. A key has no
/// further tokens, so the answer is the key itself, which ends with the topic.
private struct TokenRequest: HTTPExchange {
  let key: String
  let client: Client
  let frontEnd: NtfyFrontEnd

  var bodyLimit: Int { client.port.limits.payloadBytes }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    let now = client.port.clock.handset().microseconds / 1_000_000
    var token: [String: JSONValue] = [
      "token": .string(key), "last_access": .integer(now), "last_origin": .string(client.ipAddress),
    ]
    let label = try? JSONObject.read(body, depth: 4) { object in
      object.elements.first { $0.has(name: "label") }?.string
    }
    if let label = label ?? nil {
      token["label"] = .string(label.prefix(bytes: client.port.limits.messageTitleBytes))
    }
    respond(.json(200, token))
  }

  func refuse(_ error: HTTPError) -> HTTPResponse { frontEnd.refuse(error, from: client) }
}
