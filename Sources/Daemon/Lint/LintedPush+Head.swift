// The rules of one request's head.

import HandsetCore

extension LintedPush {
  /// The largest apns-collapse-id in bytes.
  private static let collapseIDLimit = 64
  /// Values from here on are milliseconds: as seconds they are after the year 5138.
  private static let leastMilliseconds: Int64 = 100_000_000_000

  private static let fields: Set = [
    "apns-collapse-id", "apns-expiration", "apns-id", "apns-priority", "apns-push-type", "apns-topic",
    // Of broadcast channels.
    "apns-channel-id", "apns-request-id",
  ]

  func headFindings() -> [Finding] {
    typeFindings() + expirationFindings() + identifierFindings() + collapseFindings() + addressFindings()
  }

  private func typeFindings() -> [Finding] {
    var findings: [Finding] = []
    let sent = request.field("apns-push-type")
    let priority = request.field("apns-priority")
    if sent == nil { findings.append(finding(.noPushType)) }
    if sent == "alert", aps != nil, !showsSomething { findings.append(finding(.alertWithoutContent)) }
    if sent == "background", showsSomething {
      let keys = ["alert", "badge", "sound"].filter { aps?[$0] != nil }.joined(separator: ", ")
      findings.append(finding(.backgroundWithContent, "A background push has \(keys) in its aps."))
    }
    if sent == "background", let aps, aps["content-available"] == nil {
      findings.append(finding(.backgroundWithoutFlag))
    }
    if type == "background", priority != "5" {
      let words = priority.map { "priority \($0.quotedBriefly)" } ?? "no apns-priority, which means 10"
      findings.append(finding(.backgroundPriority, "A background push has \(words)."))
    } else if priority == nil {
      findings.append(finding(.noPriority))
    }
    if let suffix = sent.flatMap(PushType.init(rawValue:))?.rules.topicSuffix, let topic = request.field("apns-topic"),
      !topic.hasSuffix(suffix)
    {
      findings.append(
        finding(.topicSuffix, "The topic \(topic.quotedBriefly) of a \(type) push does not end in \(suffix)."))
    }
    return findings
  }

  private func expirationFindings() -> [Finding] {
    guard let text = request.field("apns-expiration") else { return [finding(.noExpiration)] }
    guard let expiration = Int64(text) else { return [] }
    if expiration >= LintedPush.leastMilliseconds { return [finding(.milliseconds)] }
    // The provider may follow either clock.
    let now = min(request.time.real, request.wall ?? request.time.real) / 1_000_000
    guard expiration > 0, expiration < now else { return [] }
    return [finding(.expired, "The expiration \(expiration) was over \(now - expiration) s before the push was sent.")]
  }

  private func identifierFindings() -> [Finding] {
    guard let id = request.field("apns-id") else { return [finding(.noID)] }
    let groups = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy(\.isHexadecimal) else {
      return [finding(.noUUID, "The apns-id \(id.quotedBriefly) is not a UUID.")]
    }
    return id.utf8.contains(where: \.isUpperCase) ? [finding(.upperCaseUUID)] : []
  }

  private func collapseFindings() -> [Finding] {
    guard let id = request.field("apns-collapse-id") else { return [] }
    var findings: [Finding] = []
    if id.utf8.count > LintedPush.collapseIDLimit {
      findings.append(finding(.longCollapseID, "The apns-collapse-id has \(id.utf8.count) bytes, of 64 allowed."))
    }
    if !id.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { findings.append(finding(.collapseIDNotText)) }
    if id.lowercased() == request.field("apns-id")?.lowercased() { findings.append(finding(.uselessCollapseID)) }
    return findings
  }

  private func addressFindings() -> [Finding] {
    var findings: [Finding] = []
    if let value = request.field("authorization"), value.prefix(7).lowercased() != "bearer " {
      findings.append(finding(.noBearer))
    }
    let token = request.deviceToken
    if !token.utf8.allSatisfy(\.isHexadecimal) {
      findings.append(finding(.tokenNotHexadecimal, "The device token \(token.quotedBriefly) is not hexadecimal."))
    } else if token.utf8.contains(where: \.isUpperCase) {
      findings.append(finding(.upperCaseToken))
    }
    for field in request.headers where field.name.hasPrefix("apns-") && !LintedPush.fields.contains(field.name) {
      findings.append(finding(.unknownField, "The field \(field.name.quotedBriefly) is none of APNs."))
    }
    return findings
  }
}

extension UInt8 {
  fileprivate var isUpperCase: Bool { 0x41...0x5A ~= self }
  fileprivate var isHexadecimal: Bool { 0x30...0x39 ~= self || 0x41...0x46 ~= self || 0x61...0x66 ~= self }
}
