import HTTP
import HandsetCore

/// A message of any protocol with access keys, independent of the protocol's names for its parts.
struct KeyedMessage {
  var id = PushID.random()
  var title: String?
  var text: String
  var level = InterruptionLevel.active
  var isSilent = false
  private(set) var badge: Int?
  var tags: [String] = []
  /// The actions offered beside opening the message (rule N15).
  var actions: [NotificationAction] = []
  var collapseID: String?
  var expiration: Expiration
  /// The app's data in the payload, beside `aps`, under the protocol's name.
  private(set) var extras: [String: JSONValue] = [:]
  /// Requested features that the handset does not have, or cannot show.
  var faults: [PayloadFault] = []

  init(text: String, now: WallTime) {
    self.text = text
    expiration = .at(now.advanced(by: Policy.defaultExpiration))
  }

  mutating func ignore(_ path: String, _ problem: String) {
    faults.append(PayloadFault(path: path, problem: problem))
  }

  /// Sets the number for the app's icon; ignores anything but a whole number of zero or more (rule B2).
  mutating func setBadge(_ text: String?) {
    guard let text else { return }
    let digits = text.prefix(bytes: Policy.eventQuoteLimit).trimmingSpaces
    badge = digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(digits) : nil
    if badge == nil { ignore("badge", "\(quoted(digits)) is no whole number of zero or more") }
  }

  /// Keeps the first tags, as many as there is room for. The rest are not examined.
  mutating func setTags(_ tags: [String], _ limits: PortLimits) {
    var bytes = 0
    for tag in tags.lazy.map(\.trimmingSpaces) {
      bytes += tag.utf8.count
      guard bytes <= limits.messageTagBytes else { break }
      if !tag.isEmpty { self.tags.append(tag) }
    }
    guard bytes > limits.messageTagBytes || tags.count > limits.messageTagBytes else { return }
    ignore("tags", "more than \(limits.messageTagBytes) bytes; the app gets the first \(self.tags.count)")
  }

  /// Sets the app's data beside the message, as far as it fits.
  /// - Parameter optional: the extras to leave out, in this order, until the rest fits.
  mutating func setExtras(_ extras: [String: JSONValue], optional: [String], _ limits: PortLimits) {
    self.extras = extras
    for name in optional where self.extras[name] != nil {
      let all = JSONValue.object(self.extras)
      // Extras that are certainly too long are not encoded.
      if all.leastBytes <= limits.messageExtrasBytes, all.bytes.count <= limits.messageExtrasBytes { return }
      self.extras[name] = nil
      leaveOut(name, limits)
    }
  }

  mutating func leaveOut(_ name: String, _ limits: PortLimits) {
    ignore(
      name,
      "with it the app would get more than \(grouped(Int64(limits.messageExtrasBytes))) bytes beside the message")
  }

  /// - Parameter name: the protocol's name, for its own part of the payload.
  func push(to provider: KeyedProvider, named name: String) -> Push {
    let isCritical = level == .critical
    var push = Push(
      id: id, token: nil, topic: provider.app,
      message: Message(title: title.map { .literal($0) }, body: .literal(text)),
      badge: badge.map { .number($0) } ?? .absent,
      sound: isSilent ? .none : isCritical ? .critical(name: nil, volume: 1) : .system, level: level,
      collapseID: collapseID, expiration: expiration, payload: payload(named: name), faults: faults)
    push.provider = provider.name
    push.tags = tags.isEmpty ? nil : tags
    push.levelWhereNotCritical = isCritical ? .timeSensitive : nil
    push.options = actions.isEmpty ? nil : NotificationOptions(actions: actions)
    return push
  }

  /// Returns the app's payload, in the form of a push through APNs.
  private func payload(named name: String) -> [UInt8] {
    var alert: [String: JSONValue] = ["body": .string(text)]
    if let title { alert["title"] = .string(title) }
    var aps: [String: JSONValue] = ["alert": .object(alert), "interruption-level": .string(level.rawValue)]
    if !isSilent { aps["sound"] = .string("default") }
    if let badge { aps["badge"] = .integer(Int64(badge)) }
    return JSONValue.object(["aps": .object(aps), name: .object(extras)]).bytes
  }
}

extension JSONValue {
  /// Copies a value that was read, at its full depth.
  init(_ element: JSONElement) {
    switch element.kind {
    case .null: self = .null
    case .bool: self = .bool(element.bool ?? false)
    case .number:
      // A number beyond the range of Double cannot be encoded.
      func double() -> JSONValue { element.double.flatMap { $0.isFinite ? .double($0) : nil } ?? .null }
      self = element.integer.map(JSONValue.integer) ?? double()
    case .string: self = .string(element.string ?? "")
    case .array: self = .array(element.array.map { $0.map(JSONValue.init) } ?? [])
    case .object: self = element.object.map(JSONValue.init) ?? .null
    }
  }

  init(_ object: JSONObject) {
    var values: [String: JSONValue] = [:]
    for member in object.elements { values[member.name] = JSONValue(member) }
    self = .object(values)
  }

  /// A lower bound of its length as JSON.
  var leastBytes: Int {
    switch self {
    case .bool, .integer, .unsigned, .decimal, .double, .null: 1
    case .string(let text): text.utf8.count + 2
    case .array(let values): values.reduce(1) { $0 + $1.leastBytes + 1 }
    case .object(let values): values.reduce(1) { $0 + $1.key.utf8.count + $1.value.leastBytes + 4 }
    }
  }

  /// The value as JSON, with sorted keys. It has only numbers that JSON can express.
  var bytes: [UInt8] { (try? encoded()) ?? Array("{}".utf8) }
}

extension HTTPResponse {
  static func json(_ status: Int, _ value: [String: JSONValue]) -> HTTPResponse {
    json(status, JSONValue.object(value).bytes)
  }

  static func json(_ status: Int, _ object: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["content-type": "application/json"], body: .bytes(object + [0x0A]))
  }
}
