import HandsetCore

/// An accepted request that publishes or retracts a message.
struct NtfyPublication {
  let request: NtfyRequest
  let parameters: NtfyParameters
  let provider: KeyedProvider
  let templates: [String: HookTemplate]
  let port: Port

  /// Returns the input that the body makes, and the event for the answer and the listeners.
  /// - Parameter size: the size of the body, which is empty if it was too large to be kept.
  func read(_ body: [UInt8], _ size: Int) throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event) {
    let (now, limits) = (port.clock.handset(), port.limits)
    func message(
      _ parameters: NtfyParameters, _ sequenceID: String? = nil, _ body: [UInt8]? = nil, replaces: String? = nil
    )
      throws(KeyedRefusal) -> (Input, NtfySubscriptions.Event)
    {
      let message = try NtfyMessage(
        parameters, topic: provider.name, sequenceID: sequenceID, body: body.map { ($0, size) }, replaces: replaces,
        port.clock, limits)
      return (message.input(for: provider), message.event(now: now))
    }
    switch request {
    case .publish(_, let sequenceID):
      guard let template = parameters.template else { return try message(parameters, sequenceID, body) }
      let (parameters, replaces) = try filled(template, from: body, size)
      return try message(parameters, sequenceID, replaces: replaces)
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

  private func withJSON(_ body: [UInt8], _ limits: PortLimits) throws(KeyedRefusal) -> NtfyParameters {
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

  /// Sets the text and the title that a template makes from the body, and its level if there is no priority.
  /// - Returns: the parameters, and the collapse identifier of a message to replace.
  private func filled(
    _ name: String, from body: [UInt8], _ size: Int
  ) throws(KeyedRefusal) -> (NtfyParameters, replaces: String?) {
    guard let template = templates[name] else {
      let known = templates.keys.sorted().joined(separator: ", ")
      throw KeyedRefusal(400, "BadRequest", "template \(quoted(name)): the handset has \(known)", code: 40047)
    }
    guard size == body.count else { throw .tooLarge(port.limits.largeBodyBytes) }
    var parameters = parameters
    var replaces: String?
    do throws(MalformedJSON) {
      try JSONObject.read(body, depth: port.limits.payloadDepth) { object in
        let values = TemplateValues.json(object)
        let plain = template.markup.plain
        let text = template.text.filled(from: values).map(plain) ?? String(decoding: body, as: UTF8.self)
        parameters.fill(
          text: text.trimmingWhitespace, title: template.title?.filled(from: values).map(plain),
          level: template.level(of: values, asked: []))
        replaces = template.replaces?.filled(from: values).map(HookTemplate.collapseID)
      }
    } catch {
      let detail = error.detail(in: body, depth: port.limits.payloadDepth)
      throw KeyedRefusal(400, "BadRequest", "a message with a template is a JSON object: \(detail)", code: 40042)
    }
    return (parameters, replaces)
  }
}
