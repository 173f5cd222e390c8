// The rules of one request's payload. The tables of keys are those of Apple's page "Generating a remote notification".

import HTTP
import HandsetCore

extension LintedPush {
  /// Apple's limits of payloads in bytes.
  private static let payloadLimit = 4_096
  static let voipPayloadLimit = 5_120
  /// The share of the limit, in percent, from which a payload is near it.
  private static let nearPercent = 95

  fileprivate enum Form: String {
    case text = "a string"
    case number = "a number"
    case object = "an object"
    case texts = "an array of strings"
    case textOrObject = "a string or an object"
  }

  private static let apsKeys: [String: Form] = [
    "alert": .textOrObject, "badge": .number, "sound": .textOrObject, "thread-id": .text, "category": .text,
    "content-available": .number, "mutable-content": .number, "target-content-id": .text,
    "interruption-level": .text, "relevance-score": .number, "filter-criteria": .text, "stale-date": .number,
    "content-state": .object, "timestamp": .number, "event": .text, "dismissal-date": .number,
    "attributes-type": .text, "attributes": .object,
    // Of websites in Safari.
    "url-args": .texts,
  ]
  /// Keys of Live Activities and widgets that other pages of Apple have; their forms are not checked.
  private static let otherAPSKeys: Set = ["input-push-token", "input-push-channel", "content-changed"]

  private static let alertKeys: [String: Form] = [
    "title": .text, "subtitle": .text, "body": .text, "launch-image": .text, "title-loc-key": .text,
    "title-loc-args": .texts, "subtitle-loc-key": .text, "subtitle-loc-args": .texts, "loc-key": .text,
    "loc-args": .texts,
    // Of Apple's older reference.
    "action": .text, "action-loc-key": .text, "summary-arg": .text, "summary-arg-count": .number,
  ]
  /// A Live Activity's alert has its sound inside [Apple: Starting and updating Live Activities with push notifications].
  private static let activityAlertKeys: Set = ["sound"]
  /// A Live Activity whose state or attributes have no members has them as empty objects: a start needs both.
  private static let activityObjects: Set = ["content-state", "attributes"]
  private static let soundKeys: [String: Form] = ["critical": .number, "name": .text, "volume": .number]
  private static let levels: Set = ["passive", "active", "time-sensitive", "critical"]
  /// The push types whose payloads need no `aps`.
  private static let typesWithoutAPS = Set(PushType.allCases.filter { !$0.rules.needsAPS }.map(\.rawValue))

  func payloadFindings() -> [Finding] {
    var findings = sizeFindings()
    guard let members else { return findings }
    guard let aps else {
      if members["aps"] != nil {
        findings.append(finding(.wrongForm, "aps is not an object."))
      } else if members["mdm"] == nil, !LintedPush.typesWithoutAPS.contains(type) {
        findings.append(finding(.noAPS))
      }
      return findings + emptyFindings(members, aps: [:])
    }
    findings += keyFindings(aps, LintedPush.apsKeys, others: LintedPush.otherAPSKeys, in: "aps", .unknownAPSKey)
    findings += flagFindings(aps) + emptyFindings(members, aps: aps)
    if case .object(let alert)? = aps["alert"] { findings += alertFindings(alert) }
    findings += soundFindings(sound(aps)) + valueFindings(aps)
    if aps["mutable-content"]?.isOne == true, !hasText(aps["alert"]) {
      findings.append(finding(.mutableWithoutAlert))
    }
    return findings
  }

  private func sizeFindings() -> [Finding] {
    let limit = PushType(rawValue: type)?.rules.isLarge == true ? LintedPush.voipPayloadLimit : LintedPush.payloadLimit
    guard request.payloadBytes * 100 >= limit * LintedPush.nearPercent else { return [] }
    return [finding(.nearLimit, "The payload has \(request.payloadBytes) bytes, of \(limit) allowed.")]
  }

  private func keyFindings(
    _ object: [String: JSONValue], _ known: [String: Form], others: Set<String> = [], in place: String,
    _ unknown: LintRule
  ) -> [Finding] {
    object.sorted { $0.key < $1.key }.compactMap { key, value in
      if key.isEmpty || value == .null || others.contains(key) { return nil }
      guard let form = known[key] else {
        return finding(unknown, "\(key.quotedBriefly) in \(place) is no key of APNs: it is ignored.")
      }
      // Live Activities have objects for the texts of their alerts.
      if type == "liveactivity", place == "alert", case .object = value { return nil }
      return value.has(form) ? nil : finding(.wrongForm, "\(key) in \(place) is not \(form.rawValue).")
    }
  }

  private func flagFindings(_ aps: [String: JSONValue]) -> [Finding] {
    ["content-available", "mutable-content"].compactMap { key in
      guard let value = aps[key], value != .null, !value.isOne else { return nil }
      return finding(.flagNotOne, "\(key) is not the number 1.")
    }
  }

  private func emptyFindings(_ members: [String: JSONValue], aps: [String: JSONValue]) -> [Finding] {
    let isActivity = type == "liveactivity"
    let empty = aps.filter { key, value in
      value.isEmpty && !(isActivity && value == .object([:]) && LintedPush.activityObjects.contains(key))
    }.keys.sorted()
    if members[""] != nil || aps[""] != nil { return [finding(.emptyMember, "The payload has a key without a name.")] }
    return empty.map { finding(.emptyMember, "\($0.quotedBriefly) in aps is empty.") }
  }

  private func alertFindings(_ alert: [String: JSONValue]) -> [Finding] {
    let others = type == "liveactivity" ? LintedPush.activityAlertKeys : []
    return keyFindings(alert, LintedPush.alertKeys, others: others, in: "alert", .unknownAlertKey)
      + ["", "title-", "subtitle-"].compactMap { prefix in
        guard alert[prefix + "loc-args"] != nil, alert[prefix + "loc-key"] == nil else { return nil }
        return finding(.argumentsWithoutKey, "The alert has \(prefix)loc-args without \(prefix)loc-key.")
      }
  }

  private func sound(_ aps: [String: JSONValue]) -> JSONValue? {
    if aps["sound"] == nil, type == "liveactivity", case .object(let alert)? = aps["alert"] { return alert["sound"] }
    return aps["sound"]
  }

  private func soundFindings(_ sound: JSONValue?) -> [Finding] {
    var findings: [Finding] = []
    var name: String?
    switch sound {
    case .string(let text)?: name = text
    case .object(let members)?:
      findings += keyFindings(members, LintedPush.soundKeys, in: "sound", .unknownAPSKey)
      if let critical = members["critical"], !critical.isOne {
        findings.append(finding(.flagNotOne, "critical in sound is not the number 1."))
      }
      if let volume = members["volume"]?.number, !(0...1 ~= volume) {
        findings.append(finding(.relevance, "The volume of the sound is not 0 to 1."))
      }
      if case .string(let text)? = members["name"] { name = text }
    default: break
    }
    if let name, !name.isEmpty, name != "default", !name.dropFirst().dropLast().contains(".") {
      findings.append(finding(.soundWithoutExtension, "The sound \(name.quotedBriefly) has no extension."))
    }
    return findings
  }

  private func valueFindings(_ aps: [String: JSONValue]) -> [Finding] {
    var findings: [Finding] = []
    if let badge = aps["badge"]?.number, badge < 0 || badge != badge.rounded() { findings.append(finding(.badBadge)) }
    if case .string(let level)? = aps["interruption-level"], !LintedPush.levels.contains(level) {
      findings.append(finding(.unknownLevel, "The interruption-level \(level.quotedBriefly) is none of Apple's."))
    }
    // A Live Activity may have any number.
    if let score = aps["relevance-score"]?.number, type != "liveactivity", !(0...1 ~= score) {
      findings.append(finding(.relevance, "The relevance-score is not 0 to 1."))
    }
    return findings
  }

  private func hasText(_ alert: JSONValue?) -> Bool {
    switch alert {
    case .string(let text)?: !text.isEmpty
    case .object(let members)?:
      ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"].contains { members[$0] != nil }
    default: false
    }
  }
}

extension JSONValue {
  fileprivate var isOne: Bool { number == 1 }

  fileprivate var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let items): items.isEmpty
    case .object(let members): members.isEmpty
    default: false
    }
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .decimal(let value): Double(value.description)
    case .double(let value): value
    default: nil
    }
  }

  fileprivate func has(_ form: LintedPush.Form) -> Bool {
    switch (form, self) {
    case (.text, .string), (.textOrObject, .string), (.textOrObject, .object), (.object, .object): true
    case (.number, _): number != nil
    case (.texts, .array(let items)): items.allSatisfy { if case .string = $0 { true } else { false } }
    default: false
    }
  }
}
