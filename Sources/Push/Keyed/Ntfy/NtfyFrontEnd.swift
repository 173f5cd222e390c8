// ntfy's publishing API: one line of curl publishes to a topic, and ntfy's clients need only another server address.

import HTTP
import HandsetCore
import NIOWebSocket

/// ntfy's publishing API, for topics: aliases of apps, each with an access key of its own.
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

  /// Topic names have no dots and nearly all app identifiers have some, so the 2008 service keeps its paths.
  func claims(_ head: RequestHead) -> Bool {
    RequestTarget(head.path).flatMap { NtfyRequest(head.method, $0) } != nil
  }

  static func words(of refusal: KeyedRefusal) -> HTTPResponse {
    .json(
      refusal.status,
      [
        "code": .integer(Int64(refusal.code ?? refusal.status * 100)), "http": .integer(Int64(refusal.status)),
        "error": .string(refusal.detail),
      ])
  }

  func open(
    _ head: RequestHead, from client: Client, _ provider: inout KeyedProvider?
  ) throws(KeyedRefusal) -> HTTPOpening {
    guard let target = RequestTarget(head.path), let request = NtfyRequest(head.method, target) else {
      throw KeyedRefusal(404, "NotFound", "page not found", code: 40401)
    }
    switch request {
    case .health: return .answer(.json(200, ["healthy": .bool(true)]))
    case .badMethod: throw KeyedRefusal(405, "MethodNotAllowed", "\(head.method) is not for this path")
    case .nothing: throw KeyedRefusal(404, "NotFound", "page not found", code: 40401)
    default: break
    }
    let key = try NtfyFrontEnd.key(head, target)
    if key == nil, let answer = NtfyFrontEnd.service(request, nil) { return .answer(answer) }
    let known = try authenticate(client, by: key)
    provider = known
    if let topic = request.topic, topic != known.name {
      throw KeyedRefusal(403, "Forbidden", "the access key is of another topic", code: 40301)
    }
    if let answer = NtfyFrontEnd.service(request, known) { return .answer(answer) }
    switch request {
    case .authorize: return .answer(.json(200, ["success": .bool(true)]))
    case .subscribe(_, let format): return .answer(try subscribe(known, format, head, target, client.port))
    case .token: return .read(TokenRequest(key: key ?? "", client: client, frontEnd: self))
    default:
      let message = NtfyPublication(
        request: request, parameters: NtfyParameters(head, target), provider: known, templates: templates,
        port: client.port)
      let skips = if case .publish = request { true } else { false }
      return try accept(head, of: known, from: client, skips: skips) {
        [subscriptions] (body, size) throws(KeyedRefusal) in
        let (input, event) = try message.read(body, size)
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
      throw KeyedRefusal(
        400, "BadRequest", "/ws is for WebSocket over HTTP/1.1, and the request does not ask for that", code: 40016)
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
}
