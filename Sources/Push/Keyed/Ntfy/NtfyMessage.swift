import HTTP
import HandsetCore

/// A message that was published: the input for the handset that its parameters and body make, and the answer.
struct NtfyMessage {
  let id: String
  let topic: String
  /// The name by which it is updated and retracted; nil if the client gave none.
  let sequenceID: String?
  /// The priority, from 1 (lowest) to 5.
  let priority: Int
  let delay: Duration?
  private(set) var message: KeyedMessage

  /// - Parameters:
  ///   - path: the sequence that the path names.
  ///   - body: the text; nil if the parameters have it. Without bytes it was too large to be kept.
  ///   - replaces: an earlier message with the same value is updated, unless there is a sequence.
  /// - Throws: 400.
  init(
    _ parameters: NtfyParameters, topic: String, sequenceID path: String?, body: (bytes: [UInt8], size: Int)?,
    replaces: String? = nil, _ clock: PortClock, _ limits: PortLimits
  ) throws(KeyedRefusal) {
    id = PushID.randomLetters()
    self.topic = topic
    priority = try NtfyMessage.priority(parameters[.priority])
    delay = try parameters[.delay].map { (text) throws(KeyedRefusal) in try NtfyDelay.duration(text, clock) }
    let isCached = !parameters.has(.cache, in: ["no", "false", "0"])
    if delay != nil && !isCached {
      throw .bad("a delayed message cannot be without cache", code: 40002)
    }
    sequenceID = path ?? parameters[.sequenceID]
    if let sequenceID, !NtfyRequest.isName(sequenceID) {
      throw .bad("sequence id \(quoted(sequenceID)): 1 to 64 letters, digits, '-' and '_'", code: 40049)
    }
    let given = try NtfyMessage.actions(parameters, limits)

    let text = NtfyMessage.text(parameters[.message].map(NtfyMessage.withLines), body, parameters[.filename], limits)
    message = KeyedMessage(text: text.shown, now: clock.handset())
    message.id = PushID(letters: id) ?? .random()
    message.title = parameters[.title]?.prefix(bytes: limits.messageTitleBytes)
    message.level = NtfyMessage.levels[priority - 1]
    message.setTags(parameters.tagList(limits), limits)
    message.setBadge(parameters[.badge])
    message.collapseID = sequenceID ?? replaces ?? id
    if !isCached { message.expiration = .once }
    if let problem = text.problem { message.ignore("body", problem) }
    for key in [NtfyParameters.Key.attach, .icon, .email, .call] where parameters[key] != nil {
      message.ignore(key.rawValue, "the handset cannot show or send it")
    }
    if parameters.has(.markdown, in: ["yes", "true", "1"]) {
      message.ignore("markdown", "the text is shown as it is written")
    }
    if parameters[.template] != nil { message.ignore("template", "hooks have templates: deskbell hook add --help") }
    if given == nil { message.leaveOut("actions", limits) }
    let actions = given ?? []
    message.setExtras(extras(click: parameters[.click], actions), optional: ["actions", "click", "tags"], limits)
    let offered = NtfyActions.offered(actions)
    message.actions = offered.actions
    for fault in offered.faults { message.ignore(fault.path, fault.problem) }
  }

  /// Returns the data that the app finds in the payload under `ntfy`.
  private func extras(click: String?, _ actions: [JSONValue]) -> [String: JSONValue] {
    var extras: [String: JSONValue] = [
      "id": .string(id), "topic": .string(topic), "priority": .integer(Int64(priority)),
    ]
    if let sequenceID { extras["sequence_id"] = .string(sequenceID) }
    if !message.tags.isEmpty { extras["tags"] = .array(message.tags.map { .string($0) }) }
    if let click { extras["click"] = .string(click) }
    if !actions.isEmpty { extras["actions"] = .array(actions) }
    return extras
  }

  /// Returns the event for the answer and the listeners.
  func event(now: WallTime) -> NtfySubscriptions.Event {
    var values = message.extras
    if case .at(let end) = message.expiration { values["expires"] = .integer(end.microseconds / 1_000_000) }
    values["time"] = .integer(now.advanced(by: delay ?? .zero).microseconds / 1_000_000)
    values["message"] = .string(message.text)
    if let title = message.title { values["title"] = .string(title) }
    return NtfySubscriptions.Event(
      "message", id: id, time: now.microseconds, values,
      content: (message.text, message.title ?? "", message.tags, priority))
  }

  /// Returns the handset's input for the message: a push or, if it has a delay, a local notification.
  func input(for provider: KeyedProvider) -> Input {
    let push = message.push(to: provider, named: "ntfy")
    guard let delay else { return .push(push) }
    var local = LocalNotification(
      app: push.topic, identifier: push.collapseID ?? id, push: push.id, trigger: .interval(delay, repeats: false),
      message: push.message, badge: push.badge, sound: push.sound, level: push.level, payload: push.payload)
    local.content.tags = push.tags
    local.content.levelWhereNotCritical = push.levelWhereNotCritical
    local.content.options = push.options
    return .schedule(local)
  }

  private static func text(
    _ parameter: String?, _ body: (bytes: [UInt8], size: Int)?, _ filename: String?, _ limits: PortLimits
  ) -> (shown: String, problem: String?) {
    var text = parameter ?? ""
    var problem: String?
    if let body, body.size > 0 {
      let isKept = body.size == body.bytes.count
      if filename == nil, text.isEmpty, isKept, let written = String(validating: body.bytes, as: UTF8.self) {
        text = written.trimmingWhitespace
      } else {
        problem = "a file of \(grouped(Int64(body.size))) bytes, which the handset cannot show"
        if text.isEmpty { text = "You received a file: \(filename ?? "attachment")" }
      }
    }
    if text.isEmpty { text = "triggered" }
    if text.utf8.count > limits.messageBytes {
      problem =
        "a text of \(grouped(Int64(text.utf8.count))) bytes, of which \(grouped(Int64(limits.messageBytes))) are shown"
    }
    return (text.prefix(bytes: limits.messageBytes), problem)
  }

  static func priority(_ text: String?) throws(KeyedRefusal) -> Int {
    // A long text is no priority, so only its beginning is read.
    switch text?.prefix(bytes: Policy.eventQuoteLimit).trimmingSpaces.lowercased() {
    case nil, "", "0", "3", "default": return 3
    case "1", "min": return 1
    case "2", "low": return 2
    case "4", "high": return 4
    case "5", "max", "urgent": return 5
    default: throw .bad("priority \(quoted(text)) is none of 1 to 5", code: 40007)
    }
  }

  /// The levels of the priorities 1 to 5.
  private static let levels: [InterruptionLevel] = [.passive, .passive, .active, .timeSensitive, .critical]

  /// - Returns: the actions; nil if there is no room for them.
  private static func actions(
    _ parameters: NtfyParameters, _ limits: PortLimits
  ) throws(KeyedRefusal) -> [JSONValue]? {
    let actions: [JSONValue]?
    switch (parameters.actions, parameters[.actions]) {
    case (.tooLong?, _): return nil
    case (.values(let values)?, _): actions = values
    case (nil, nil): return []
    case (nil, let text?) where text.utf8.count > limits.messageExtrasBytes: return nil
    case (nil, let text?) where text.trimmingSpaces.hasPrefix("["):
      actions = try? JSONObject.read(Array("{\"actions\":\(text)}".utf8), depth: 8) { object in
        object.elements.first { $0.has(name: "actions") }.flatMap {
          $0.fits(in: limits.messageExtrasBytes) ? $0.array?.map(JSONValue.init) : nil
        }
      }
    case (nil, let text?): actions = NtfyActions.parse(text)
    }
    guard let actions = actions.flatMap(NtfyActions.check) else {
      throw .bad(
        "actions: at most \(NtfyActions.limit), such as: http, Open the gate, https://gate/open", code: 40018)
    }
    return actions
  }

  /// Replaces a backslash and an `n`, which stand for a line feed in a parameter.
  private static func withLines(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "n"), bytes.last == UInt8(ascii: "\\") {
        bytes[bytes.count - 1] = UInt8(ascii: "\n")
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
