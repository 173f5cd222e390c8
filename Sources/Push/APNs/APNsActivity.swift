import HandsetCore

/// The parts of `aps` that make a push one for a Live Activity [APNs]. A wrong part is a fault, and without a part that
/// is required there is no activity: the push is presented as an alert, if it has one.
struct APNsActivity {
  private(set) var update: ActivityUpdate?
  private(set) var faults: [PayloadFault] = []

  private enum Key: String, CaseIterable {
    case event, timestamp, attributes, alert
    case contentState = "content-state"
    case attributesType = "attributes-type"
    case staleDate = "stale-date"
    case dismissalDate = "dismissal-date"
    case relevanceScore = "relevance-score"
    case inputPushToken = "input-push-token"
    case inputPushChannel = "input-push-channel"
  }

  private static let names = JSONNames<Key>()

  @inline(never)
  init(_ aps: JSONObject) {
    let members = aps.members(APNsActivity.names).known
    guard let word = members[.event], !word.isNull else { return }
    guard let event = word.string.flatMap({ ActivityUpdate.Event(rawValue: $0) }) else {
      fault(.event, "expected start, update or end, got \(word.quote)")
      return
    }
    let isStart = event == .start
    let timestamp = date(members[.timestamp], .timestamp)
    if members[.timestamp] == nil { fault(.timestamp, "absent; a Live Activity needs it") }
    let content = object(members[.contentState], .contentState)
    if members[.contentState] == nil && event != .end { fault(.contentState, "absent; \(event.rawValue) needs it") }
    let type = members[.attributesType]?.string(bytes: Policy.activityNameLimit)
    if isStart && type == nil { fault(.attributesType, "start needs it as a string") }
    let attributes = object(members[.attributes], .attributes)
    if isStart && attributes == nil { fault(.attributes, "start needs an object") }
    if isStart && members[.alert] == nil { fault(.alert, "absent; start needs it") }
    guard let timestamp, content != nil || event == .end,
      !isStart || (type != nil && attributes != nil && members[.alert] != nil)
    else { return }
    var update = ActivityUpdate(event, timestamp: timestamp, content: content ?? "{}")
    (update.attributesType, update.attributes) = isStart ? (type, attributes) : (nil, nil)
    (update.staleDate, update.dismissalDate) = (
      date(members[.staleDate], .staleDate), date(members[.dismissalDate], .dismissalDate)
    )
    // Its fault is one of every payload.
    update.relevance = members[.relevanceScore]?.double.flatMap { $0.isFinite ? $0 : nil }
    if isStart { update.channel = channel(members) }
    self.update = update
  }

  private mutating func channel(_ members: JSONMembers<Key>) -> ChannelID? {
    guard let value = members[.inputPushChannel], !value.isNull else { return nil }
    guard let channel = value.string.flatMap({ ChannelID($0) }) else {
      fault(.inputPushChannel, "expected a channel's identifier, got \(value.quote)")
      return nil
    }
    if members[.inputPushToken] != nil { fault(.inputPushToken, "there is an input-push-channel, which is used") }
    return channel
  }

  private mutating func date(_ value: JSONElement?, _ key: Key) -> WallTime? {
    guard let value, !value.isNull else { return nil }
    // Some encoders write a date with a fraction.
    guard let seconds = value.double, seconds.magnitude < 1e12 else {
      fault(key, "expected seconds since 1970, got \(value.quote)")
      return nil
    }
    return WallTime(seconds: Int64(seconds))
  }

  private mutating func object(_ value: JSONElement?, _ key: Key) -> String? {
    guard let value, !value.isNull else { return nil }
    guard value.kind == .object else {
      fault(key, "expected an object, got \(value.kindName)")
      return nil
    }
    var text = ""
    value.write(to: &text)
    guard text.utf8.count <= Policy.activityContentLimit else {
      fault(key, "more than \(Policy.activityContentLimit) bytes")
      return nil
    }
    return text
  }

  private mutating func fault(_ key: Key, _ problem: String) {
    faults.append(PayloadFault(path: "aps.\(key.rawValue)", problem: problem))
  }
}

extension JSONElement {
  /// Appends the value as JSON without white space, its members in their order.
  func write(to text: inout String) {
    switch kind {
    case .null: text += "null"
    case .bool: text += bool == true ? "true" : "false"
    case .number: text += numberText
    case .string: text.appendJSON(string ?? "")
    case .array: write(all, "[", "]", to: &text)
    case .object: write(all, "{", "}", to: &text)
    }
  }

  private func write(_ elements: JSONElements, _ open: String, _ close: String, to text: inout String) {
    text += open
    var isFirst = true
    for element in elements {
      if !isFirst { text += "," }
      isFirst = false
      if open == "{" {
        text.appendJSON(element.name)
        text += ":"
      }
      element.write(to: &text)
    }
    text += close
  }
}

extension String {
  /// Appends a string of JSON [RFC 8259, section 7].
  fileprivate mutating func appendJSON(_ text: String) {
    append("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        append("\\")
        unicodeScalars.append(scalar)
      case ..<" ": append("\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16))
      default: unicodeScalars.append(scalar)
      }
    }
    append("\"")
  }
}
