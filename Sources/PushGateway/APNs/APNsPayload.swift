// The `aps` dictionary. What is wrong in it never refuses a push, because Apple's service does not look at it either:
// the part is left out, and a fault says so, so that whoever wrote it can find it in the events.

import HandsetCore

/// What a payload asks of the handset.
struct APNsPayload {
  private(set) var message: Message?
  private(set) var badge: BadgeRequest = .absent
  private(set) var sound: SoundRequest = .none
  private(set) var contentAvailable = false
  private(set) var level: InterruptionLevel = .active
  private(set) var threadID: String?
  private(set) var faults: [PayloadFault] = []
  private let limits: GatewayLimits

  /// - Throws: `PayloadEmpty` where `body` is not a JSON object with an object `aps`.
  init(_ body: [UInt8], limits: GatewayLimits) throws(APNsRefusal) {
    self.limits = limits
    guard !body.isEmpty else { throw APNsRefusal(.payloadEmpty, "the body is empty") }
    let json: JSONValue
    do {
      json = try JSONValue.decode(body, depth: limits.payloadDepth)
    } catch {
      throw APNsRefusal(.payloadEmpty, error.detail)
    }
    guard case .object(let members) = json else {
      throw APNsRefusal(.payloadEmpty, "the body is \(json.kind); expected a JSON object with an object 'aps'")
    }
    guard case .object(let aps)? = members["aps"] else {
      throw APNsRefusal(
        .payloadEmpty, "'aps' is \(members["aps"].map(\.kind) ?? "absent"); expected an object")
    }
    read(aps)
  }

  /// Whether nothing in it reaches the person (rule U2).
  var isBackgroundUpdate: Bool {
    guard contentAvailable, message == nil, sound == .none else { return false }
    if case .number = badge { return false }
    return true
  }

  /// Keys that are taken as they are and left to the app: those of Live Activities, widgets and web pushes.
  private static let keptKeys: Set<String> = [
    "attributes", "attributes-type", "content-changed", "content-state", "dismissal-date", "event",
    "input-push-channel",
    "input-push-token", "stale-date", "timestamp", "url-args",
  ]

  private mutating func read(_ aps: [String: JSONValue]) {
    // Sorted, so that the same payload always has the same faults in the same order.
    for key in aps.keys.sorted() {
      guard let value = aps[key], value != .null else { continue }
      switch key {
      case "alert": readAlert(value)
      case "badge": readBadge(value)
      case "sound": readSound(value, hasLevel: aps["interruption-level"] != nil)
      case "content-available": contentAvailable = flag(value, "aps.content-available")
      case "mutable-content": _ = flag(value, "aps.mutable-content")
      case "interruption-level": readLevel(value)
      case "thread-id": threadID = string(value, "aps.thread-id")
      case "category", "target-content-id", "filter-criteria": _ = string(value, "aps.\(key)")
      case "relevance-score": readRelevance(value)
      case _ where APNsPayload.keptKeys.contains(key): break
      default:
        fault("aps.\(shortened(key))", "no such key; an app's own keys belong outside aps")
      }
    }
  }

  private mutating func readBadge(_ value: JSONValue) {
    if case .integer(let number) = value, number >= 0, let badgeNumber = Int(exactly: number) {
      badge = .number(badgeNumber)
    } else {
      badge = .bad(value.quote)
    }
  }

  private mutating func readSound(_ value: JSONValue, hasLevel: Bool) {
    switch value {
    case .string(let name):
      sound = soundRequest(name, "aps.sound")
    case .object(let members):
      sound = .system
      var isCritical = false
      // Critical without a volume is at full volume [APNs].
      var volume = 1.0
      for key in members.keys.sorted() {
        guard let member = members[key], member != .null else { continue }
        switch key {
        case "name":
          if let name = string(member, "aps.sound.name") { sound = soundRequest(name, "aps.sound.name") }
        case "critical":
          // A critical sound without a level is a critical notification (rule N9).
          isCritical = flag(member, "aps.sound.critical")
          if isCritical && !hasLevel { level = .critical }
        case "volume":
          volume = unitInterval(member, "aps.sound.volume") ?? volume
        default:
          fault("aps.sound.\(shortened(key))", "no such key; expected critical, name or volume")
        }
      }
      guard isCritical else { break }
      switch sound {
      case .none, .critical: break
      case .system: sound = .critical(name: nil, volume: volume)
      case .named(let name): sound = .critical(name: name, volume: volume)
      }
    default:
      fault("aps.sound", "expected a string or an object, got \(value.kind)")
    }
  }

  private mutating func soundRequest(_ name: String, _ path: String) -> SoundRequest {
    if name == "default" { return .system }
    if name.isEmpty {
      fault(path, "the name is empty; expected a sound of the app, or default")
      return .none
    }
    return .named(name)
  }

  private mutating func readLevel(_ value: JSONValue) {
    guard let text = string(value, "aps.interruption-level") else { return }
    if let known = InterruptionLevel(rawValue: text) {
      level = known
    } else {
      let names = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
      fault("aps.interruption-level", "\(quoted(text)) is none of \(names)")
    }
  }

  /// Any number: alerts go from 0 to 1, Live Activities as far as they like.
  private mutating func readRelevance(_ value: JSONValue) {
    switch value {
    case .integer, .number: break
    default: fault("aps.relevance-score", "expected a number, got \(value.kind)")
    }
  }

  private mutating func unitInterval(_ value: JSONValue, _ path: String) -> Double? {
    switch value {
    case .integer(let number) where (0...1).contains(number): return Double(number)
    case .number(let number) where (0...1).contains(number): return number
    default:
      fault(path, "expected a number from 0 to 1, got \(value.quote)")
      return nil
    }
  }

  private mutating func readAlert(_ value: JSONValue) {
    switch value {
    case .string(let body):
      if !body.isEmpty { message = Message(body: .literal(body)) }
    case .object(let members):
      readAlert(members)
    default:
      fault("aps.alert", "expected a string or an object, got \(value.kind)")
    }
  }

  private static let alertKeys: Set<String> = [
    "title", "subtitle", "body", "launch-image", "action-loc-key", "loc-key", "loc-args", "title-loc-key",
    "title-loc-args", "subtitle-loc-key", "subtitle-loc-args", "summary-arg", "summary-arg-count", "action",
  ]

  private mutating func readAlert(_ members: [String: JSONValue]) {
    for key in members.keys.sorted() where !APNsPayload.alertKeys.contains(key) {
      fault("aps.alert.\(shortened(key))", "no such key; an app's own keys belong outside aps")
    }
    var read = Message()
    read.title = text(members, "title", key: "title-loc-key", arguments: "title-loc-args")
    read.subtitle = text(members, "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args")
    read.body = text(members, "body", key: "loc-key", arguments: "loc-args")
    switch members["action-loc-key"] {
    case nil: break
    case .null: read.actionTitle = .none
    case .string(let key) where !key.isEmpty: read.actionTitle = .localized(key: key)
    case let other?: fault("aps.alert.action-loc-key", "expected a string or null, got \(other.quote)")
    }
    if let image = members["launch-image"], image != .null { _ = string(image, "aps.alert.launch-image") }
    if read.title != nil || read.subtitle != nil || read.body != nil { message = read }
  }

  /// A text by its key in the app's strings, or as written out. The key counts where there are both.
  private mutating func text(
    _ members: [String: JSONValue], _ literal: String, key: String, arguments: String
  ) -> MessageText? {
    var written: MessageText?
    if let value = members[literal], value != .null, let text = string(value, "aps.alert.\(literal)"), !text.isEmpty {
      written = .literal(text)
    }
    let values = localizationArguments(members[arguments], "aps.alert.\(arguments)")
    guard let value = members[key], value != .null, let name = string(value, "aps.alert.\(key)"), !name.isEmpty else {
      if !values.isEmpty { fault("aps.alert.\(arguments)", "there is no \(key) to use them") }
      return written
    }
    return .localized(key: name, arguments: values)
  }

  private mutating func localizationArguments(_ value: JSONValue?, _ path: String) -> [String] {
    guard let value, value != .null else { return [] }
    guard case .array(let elements) = value else {
      fault(path, "expected an array of strings, got \(value.kind)")
      return []
    }
    if elements.count > Policy.localizationArgumentLimit {
      fault(path, "\(elements.count) arguments; the first \(Policy.localizationArgumentLimit) are used")
    }
    var arguments: [String] = []
    for (index, element) in elements.prefix(Policy.localizationArgumentLimit).enumerated() {
      // A place is kept for what is no string, so that %2$@ stays the second.
      arguments.append(string(element, "\(path)[\(index)]") ?? "")
    }
    return arguments
  }

  private mutating func string(_ value: JSONValue, _ path: String) -> String? {
    if case .string(let text) = value { return text }
    fault(path, "expected a string, got \(value.kind)")
    return nil
  }

  /// 1 for yes, 0 for no.
  private mutating func flag(_ value: JSONValue, _ path: String) -> Bool {
    switch value {
    case .integer(1): return true
    case .integer(0): return false
    default:
      fault(path, "expected 1, got \(value.quote)")
      return false
    }
  }

  private mutating func fault(_ path: String, _ problem: String) {
    if faults.count < limits.payloadFaults {
      faults.append(PayloadFault(path: path, problem: problem))
    } else if faults.count == limits.payloadFaults {
      faults.append(PayloadFault(path: "aps", problem: "more faults, not listed"))
    }
  }
}

extension Push {
  /// - Throws: `BadPriority` where the payload turns out to be a background update, and the request said priority 10
  ///   (rule U3).
  init(_ head: APNsPushHead, _ payload: APNsPayload, body: [UInt8]) throws(APNsRefusal) {
    let type = head.type ?? (payload.isBackgroundUpdate ? .background : .alert)
    var faults = payload.faults + (head.fault.map { [$0] } ?? [])
    if type == .background && head.priority == 10 {
      throw APNsRefusal(.badPriority, "the payload is a background update, which has priority 5 [U3], not 10")
    }
    if type == .background && head.priority == nil {
      faults.append(PayloadFault(path: "apns-priority", problem: "absent; a background push is taken as priority 5"))
    }
    self.init(
      id: head.id, token: head.token, topic: head.topic, type: type, message: payload.message, badge: payload.badge,
      sound: payload.sound, contentAvailable: payload.contentAvailable, level: payload.level,
      collapseID: head.collapseID, expiration: head.expiration,
      priority: head.priority ?? (type == .background ? 5 : 10), threadID: payload.threadID, payload: body,
      faults: faults)
  }
}
