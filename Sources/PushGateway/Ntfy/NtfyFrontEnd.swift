// ntfy's publishing API: a line of curl rings a topic, and what speaks ntfy needs no more than another address.

import HTTPRoutes
import HandsetCore

/// ntfy's publishing API, for topics: aliases of apps, each with an access key of its own.
public struct NtfyFrontEnd: FrontEnd {
  private let receiver: any KeyedReceiver
  private let subscriptions: NtfySubscriptions

  /// - Parameter providers: those of the port, with whose keys subscriptions end.
  public init(_ receiver: any KeyedReceiver, providers: ProviderDirectory, limits: GatewayLimits) {
    self.receiver = receiver
    subscriptions = NtfySubscriptions(providers, limits: limits)
  }

  /// Names of topics have no dots, and nearly all identifiers of apps have some: so the 2008 service keeps its paths.
  public func claims(_ head: RequestHead) -> Bool {
    RequestTarget(head.path).flatMap { NtfyRequest(head.method, $0) } != nil
  }

  public func makeSession(for client: Client) -> any FrontEndSession {
    NtfySession(session: .init(client, receiver), subscriptions: subscriptions)
  }

  /// Whether a topic can have that name: 1 to 64 letters, digits, dashes and underscores, and no path of this port.
  public static func isTopic(_ name: String) -> Bool { NtfyRequest.isTopic(name) }
}

/// ntfy's words.
enum NtfyWords: KeyedWords {
  static func words(of refusal: KeyedRefusal) -> Response {
    .json(
      refusal.status,
      [
        "code": .integer(Int64(refusal.code ?? refusal.status * 100)), "http": .integer(Int64(refusal.status)),
        "error": .string(refusal.detail),
      ])
  }
}

struct NtfySession: FrontEndSession {
  let session: KeyedSession<NtfyWords>
  let subscriptions: NtfySubscriptions

  func open(_ head: RequestHead, from client: Client) -> Opening {
    guard let target = RequestTarget(head.path), let request = NtfyRequest(head.method, target) else {
      return .answer(session.refuse(.init(404, "NotFound", "page not found", code: 40401), from: client))
    }
    var provider: KeyedProvider?
    do throws(KeyedRefusal) {
      switch request {
      case .health: return .answer(.json(200, ["healthy": .bool(true)]))
      case .badMethod: throw KeyedRefusal(405, "MethodNotAllowed", "\(head.method) is not for this path")
      case .nothing: throw KeyedRefusal(404, "NotFound", "page not found", code: 40401)
      default: break
      }
      let key = try NtfySession.key(head, target)
      if key == nil, let answer = NtfySession.anonymous(request) { return .answer(answer) }
      let known = try session.provider(key, client)
      provider = known
      if let topic = request.topic, topic != known.name {
        throw KeyedRefusal(403, "Forbidden", "the access key is of another topic", code: 40301)
      }
      switch request {
      case .authorize: return .answer(.json(200, ["success": .bool(true)]))
      case .subscribe(_, let format): return .answer(try subscribe(known, format, head, target))
      case .account, .stats, .version: return .answer(NtfySession.service(request, known))
      default:
        let message = NtfyPublication(
          request: request, parameters: NtfyParameters(head, target), provider: known, gateway: session.gateway)
        return .read(
          KeyedExchange(
            provider: known, allowance: try BodyAllowance(for: head, with: known.key, session.gateway),
            session: session, client: client,
            read: { [subscriptions] (body) throws(KeyedRefusal) in
              let (input, event) = try message.read(body)
              return (
                input,
                {
                  subscriptions.publish(event, by: known)
                  return .json(200, event.json)
                }
              )
            }))
      }
    } catch {
      return .answer(session.refuse(error, provider, from: client))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> Response { session.refuse(KeyedRefusal(error), from: client) }

  /// A stream of what is published with the key; or with `poll`, what is remembered of it.
  private func subscribe(
    _ provider: KeyedProvider, _ format: NtfySubscriptions.Format, _ head: RequestHead, _ target: RequestTarget
  ) throws(KeyedRefusal) -> Response {
    func parameter(_ name: String) -> String? {
      head.fields["x-\(name)"] ?? head.fields[name] ?? target.queryValue(name)
    }
    let polls = ["1", "yes", "true"].contains(parameter("poll")?.lowercased())
    let text = parameter("since")
    let since = try text.map { (text) throws(KeyedRefusal) in
      try NtfySubscriptions.Since(text, now: session.gateway.clock.handset())
    }
    let contentType =
      switch format {
      case .json: "application/x-ndjson; charset=utf-8"
      case .sse: "text/event-stream; charset=utf-8"
      case .raw: "text/plain; charset=utf-8"
      }
    var response = Response(status: 200, fields: ["content-type": contentType, "cache-control": "no-cache"])
    if polls {
      response.body = subscriptions.recent(provider.key, since: since ?? .all).flatMap { $0.bytes(format) }
      return response
    }
    response.stream = try subscriptions.listen(to: provider, format, since: since ?? .now, session.gateway)
    return response
  }

  /// Of the field `Authorization`, or of the query's `auth`, which is such a field in base64url.
  private static func key(_ head: RequestHead, _ target: RequestTarget) throws(KeyedRefusal) -> String? {
    if let key = head.accessKey { return key }
    guard let auth = target.queryValue("auth") ?? target.queryValue("authorization"), !auth.isEmpty else {
      if head.fields["authorization"] != nil { throw .wrongKey }
      return nil
    }
    guard let field = base64URLDecoded(auth.utf8.filter { $0 != UInt8(ascii: "=") }),
      let key = RequestHead.accessKey(authorization: String(decoding: field, as: UTF8.self))
    else { throw .wrongKey }
    return key
  }

  /// What ntfy tells everybody.
  private static func anonymous(_ request: NtfyRequest) -> Response? {
    switch request {
    case .account: .json(200, account(name: "*", role: "anonymous"))
    case .stats: .json(200, ["messages": .integer(0), "messages_rate": .double(0)])
    default: nil
    }
  }

  private static func service(_ request: NtfyRequest, _ provider: KeyedProvider) -> Response {
    switch request {
    case .account: .json(200, account(name: provider.name, role: "user"))
    case .stats: .json(200, ["messages": .integer(0), "messages_rate": .double(0)])
    default: .json(200, ["version": .string("2.17.0"), "commit": .string("deskbell"), "date": .string("")])
    }
  }

  /// What clients look for there; the handset counts by other names, in `deskbell state`.
  private static func account(name: String, role: String) -> [String: JSONValue] {
    let counts = [
      "messages", "messages_remaining", "emails", "emails_remaining", "calls", "calls_remaining", "reservations",
      "reservations_remaining", "attachment_total_size", "attachment_total_size_remaining",
    ]
    let stats = Dictionary(uniqueKeysWithValues: counts.map { ($0, JSONValue.integer(0)) })
    return ["username": .string(name), "role": .string(role), "stats": .object(stats)]
  }
}

/// One request that is let in.
private struct NtfyPublication {
  let request: NtfyRequest
  let parameters: NtfyParameters
  let provider: KeyedProvider
  let gateway: Gateway

  /// The input that the body asks for, and the event for the answer and the listeners.
  func read(_ body: [UInt8]) throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event) {
    let (now, limits) = (gateway.clock.handset(), gateway.limits)
    func message(_ parameters: NtfyParameters, _ sequenceID: String? = nil, _ body: [UInt8]? = nil)
      throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event)
    {
      let message = try NtfyMessage(
        parameters, topic: provider.name, sequenceID: sequenceID, body: body, now: now, limits)
      return (message.input(for: provider), message.event(now: now))
    }
    switch request {
    case .publish(_, let sequenceID): return try message(parameters, sequenceID, body)
    case .publishJSON:
      let parameters = try withJSON(body, limits)
      guard parameters[.topic] == provider.name else {
        throw parameters[.topic] == nil
          ? KeyedRefusal(400, "BadRequest", "the body names no topic", code: 40009)
          : KeyedRefusal(403, "Forbidden", "the access key is of another topic", code: 40301)
      }
      return try message(parameters)
    case .trigger: return try message(parameters)
    case .retract(let topic, let sequenceID, let retraction):
      let name = retraction == .seen ? "message_clear" : "message_delete"
      let event = NtfySubscriptions.note(name, topic, now, ["sequence_id": .string(sequenceID)])
      return (.retract(provider.app, collapseID: sequenceID, retraction), event)
    default: throw KeyedRefusal(404, "NotFound", "page not found", code: 40401)
    }
  }

  private func withJSON(_ body: [UInt8], _ limits: GatewayLimits) throws(KeyedRefusal) -> NtfyParameters {
    var parameters = parameters
    var refusal: KeyedRefusal?
    do throws(MalformedJSON) {
      try JSONObject.read(body, depth: limits.payloadDepth) { object in
        do throws(KeyedRefusal) { try parameters.add(object, limits) } catch { refusal = error }
      }
    } catch {
      throw KeyedRefusal(400, "BadRequest", error.detail(in: body, depth: limits.payloadDepth), code: 40017)
    }
    if let refusal { throw refusal }
    return parameters
  }
}
