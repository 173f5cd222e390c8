import FoundationEssentials
import HTTP

/// The linter of one provider. It notes each request once, after its answer or its end, and keeps a bounded part of what
/// it needs to recognize retries, provider tokens and connections: payloads are kept as hashes.
public struct Linter: Sendable {
  /// The pushes that a retry is recognized by.
  static let pushLimit = 1_024
  /// The device tokens that were refused for good.
  static let deadTokenLimit = 1_024
  static let identifierLimit = 1_024
  static let providerTokenLimit = 64
  static let connectionLimit = 256

  /// True if the provider follows the handset's clock, as in a bench whose clock is virtual for all.
  let followsHandset: Bool
  var pushes = BoundedTable<Int, Attempt>(limit: pushLimit)
  var deadTokens = BoundedTable<String, Attempt>(limit: deadTokenLimit)
  /// The push of each apns-id in lower case, by its hash.
  var identifiers = BoundedTable<String, Int>(limit: identifierLimit)
  var providerTokens = BoundedTable<String, ProviderTokenUse>(limit: providerTokenLimit)
  var newTokens = NewTokens()
  var connections = BoundedTable<Int, ConnectionUse>(limit: connectionLimit)
  var lonely = LonelyConnections()

  /// - Parameter followsHandset: true to measure the age of provider tokens on the handset's clock.
  public init(followsHandset: Bool = false) { self.followsHandset = followsHandset }

  /// Examines a request that has its answer or its end. Requests of other protocols than APNs have no findings.
  /// - Returns: the findings, in the order of their codes.
  public mutating func note(_ request: LintedRequest) -> [Finding] {
    if request.frontEnd == "none", request.end == "reset" { return [Finding(.malformedRequest, request)] }
    guard request.frontEnd == "apns" else { return [] }
    let push = LintedPush(request)
    var findings = push.headFindings() + push.payloadFindings()
    findings += noteConnection(of: request)
    findings += noteProviderToken(of: request)
    // One that ended before its payload arrived may have been any push.
    if request.payload != nil { findings += noteIdentifier(of: push) }
    if request.payload != nil || request.answer != nil { findings += noteAttempt(of: push) }
    return findings.sorted { $0.code < $1.code }
  }

  /// Forgets a connection that has closed, so that it does not count as open.
  public mutating func connectionClosed(_ connection: Int) {
    guard var use = connections[connection] else { return }
    use.isClosed = true
    connections.set(connection, use)
  }

  /// The same apns-id for another device or payload.
  private mutating func noteIdentifier(of push: LintedPush) -> [Finding] {
    guard let id = push.request.field("apns-id")?.lowercased(), !id.isEmpty else { return [] }
    let earlier = identifiers[id]
    if earlier == nil { identifiers.set(id, push.identity) }
    return earlier.map { $0 != push.identity } ?? false ? [Finding(.reusedID, push.request)] : []
  }
}

/// The linters of all providers, one for each handset that a provider sends to: tests on handsets of their own run side
/// by side.
public struct Linters: Sendable {
  /// The linters. Providers and handsets without one of their own share one more.
  static let limit = 64

  private struct Key: Hashable {
    var provider: String?
    var handset: String?
  }

  private let followsHandset: Bool
  private var linters: [Key: Linter] = [:]
  private var shared: Linter

  /// - Parameter followsHandset: as in `Linter`.
  public init(followsHandset: Bool = false) {
    self.followsHandset = followsHandset
    shared = Linter(followsHandset: followsHandset)
  }

  public mutating func note(_ request: LintedRequest) -> [Finding] {
    let key = Key(provider: request.provider ?? provider(ofEnded: request), handset: request.handset)
    let isShared = linters[key] == nil && linters.count >= Linters.limit
    let findings =
      isShared ? shared.note(request) : linters[key, default: Linter(followsHandset: followsHandset)].note(request)
    // The provider of a refused token is not known, so no linter of its own sees the refusal.
    if request.refusesProviderToken {
      for key in linters.keys { linters[key]?.providerTokenRefused(request) }
      shared.providerTokenRefused(request)
    }
    return findings
  }

  /// Returns the provider of a request that ended before it authenticated: the one that used its provider token before.
  private func provider(ofEnded request: LintedRequest) -> String? {
    guard request.end != nil, let token = request.field("authorization") else { return nil }
    return linters.first { $0.key.provider != nil && $0.value.providerTokens[token] != nil }?.key.provider
  }

  public mutating func connectionClosed(_ connection: Int) {
    for key in linters.keys { linters[key]?.connectionClosed(connection) }
    shared.connectionClosed(connection)
  }

  /// Forgets what was sent to a handset.
  public mutating func forget(handset: String) { linters = linters.filter { $0.key.handset != handset } }
}

/// A request with its payload as JSON, read once.
struct LintedPush {
  let request: LintedRequest
  /// The members of the payload; nil if it is no JSON object, or larger than any payload may be.
  let members: [String: JSONValue]?
  /// The members of `aps`; nil if there is no such object.
  let aps: [String: JSONValue]?
  /// The hash of the device token and the payload. Equal for the retries of a push.
  let identity: Int
  /// In lower case.
  let deviceToken: String

  init(_ request: LintedRequest) {
    self.request = request
    let payload = request.payload.flatMap { $0.count <= LintedPush.voipPayloadLimit ? Data($0) : nil }
    let value = payload.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    if case .object(let members)? = value { self.members = members } else { members = nil }
    if case .object(let aps)? = members?["aps"] { self.aps = aps } else { aps = nil }
    deviceToken = request.deviceToken.lowercased()
    var hasher = Hasher()
    hasher.combine(deviceToken)
    hasher.combine(request.payload)
    identity = hasher.finalize()
  }

  /// True if a person sees or hears the push.
  var showsSomething: Bool { ["alert", "badge", "sound"].contains { aps?[$0] != nil } }

  /// The push type as sent, or else the one that the payload suggests: `background` or `alert`.
  var type: String {
    if let type = request.field("apns-push-type") { return type }
    return aps?["content-available"] != nil && !showsSomething ? "background" : "alert"
  }

  /// The values of all fields by which the same payload is another push.
  var head: Int {
    var hasher = Hasher()
    for name in ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"] {
      hasher.combine(request.field(name))
    }
    return hasher.finalize()
  }

  func finding(_ rule: LintRule, _ sentence: String? = nil) -> Finding { Finding(rule, request, sentence) }
}

extension String {
  /// Text of a request in a sentence: in single quotes, without control characters, 40 characters at most.
  var quotedBriefly: String {
    let scalars = unicodeScalars.prefix(41).map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : $0 }
    var text = String(String.UnicodeScalarView(scalars.prefix(40)))
    if scalars.count > 40 { text += "…" }
    return "'\(text)'"
  }
}
