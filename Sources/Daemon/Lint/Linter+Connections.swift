// The rules of connections and provider tokens.

/// The requests of a connection.
struct ConnectionUse: Sendable {
  var requests = 0
  var isClosed = false
  var last: LintTime
}

/// Connections that came one after the other, each with a single push.
struct LonelyConnections: Sendable {
  var count = 0
  /// The connection of the newest request, and its end.
  var connection: Int?
  var ended: LintTime?
}

extension Linter {
  /// The connections in a row with one push each from which it is no chance.
  static let lonelyConnections = 3
  /// The connections within `connectionSpan` that are many, and the pushes that each of them should carry.
  static let manyConnections = 10
  static let pushesOfManyConnections = 10
  /// The time within which connections count as used together, in microseconds.
  static let connectionSpan: Int64 = 60_000_000

  mutating func noteConnection(of request: LintedRequest) -> [Finding] {
    let isNew = connections[request.connection] == nil
    var use = connections[request.connection] ?? ConnectionUse(last: request.time)
    use.requests += 1
    use.last = request.ended
    connections.set(request.connection, use)
    noteLonely(request, isNew: isNew)
    if lonely.count > 0, lonely.count.isMultiple(of: Linter.lonelyConnections) {
      return [
        Finding(
          .connectionPerPush, request,
          "The last \(lonely.count) pushes came one after the other, each over a connection of its own.")
      ]
    }
    guard isNew, lonely.count < Linter.lonelyConnections else { return [] }
    let used = connections.all.filter { !$0.isClosed && request.time.since($0.last) <= Linter.connectionSpan }
    let pushes = used.reduce(0) { $0 + $1.requests }
    guard used.count >= Linter.manyConnections, pushes < used.count * Linter.pushesOfManyConnections else { return [] }
    return [
      Finding(
        .manyConnections, request, "\(used.count) connections carried \(pushes) pushes within a minute.")
    ]
  }

  private mutating func noteLonely(_ request: LintedRequest, isNew: Bool) {
    let previous = lonely.connection.flatMap { connections[$0] }
    let follows =
      lonely.ended.map { request.time.real >= $0.real && request.time.real - $0.real <= Linter.connectionSpan } ?? false
    lonely.count = !isNew ? 0 : follows && previous?.requests == 1 ? lonely.count + 1 : 1
    // A connection that a fault or the port has ended has to be replaced.
    let isReplaced = request.end != nil || request.answer?.isOfFault == true || request.answer?.reason == "Shutdown"
    (lonely.connection, lonely.ended) = isReplaced ? (nil, nil) : (request.connection, request.ended)
  }
}

/// The use of a provider token.
struct ProviderTokenUse: Sendable {
  let first: LintTime
  /// The rules on its age that were reported.
  var reported: Set<LintRule> = []
  /// The request for which it was refused, and the time.
  var refusal: (request: Int, time: LintTime)?
}

/// The newest provider tokens.
struct NewTokens: Sendable {
  /// Requests in a row with a token that was not seen before.
  var inARow = 0
  var newest: String?
}

extension Linter {
  /// Requests in a row with a new token each from which it is no chance.
  static let newTokensInARow = 3
  /// The least time between two tokens, and the ages from which one is ageing and too old, in microseconds.
  static let tokenInterval: Int64 = 20 * 60_000_000
  static let ageingToken: Int64 = 50 * 60_000_000
  static let oldToken: Int64 = 60 * 60_000_000

  mutating func noteProviderToken(of request: LintedRequest) -> [Finding] {
    guard let token = request.field("authorization") else { return [] }
    let isNew = providerTokens[token] == nil
    var use = providerTokens[token] ?? ProviderTokenUse(first: request.time)
    var findings: [Finding] = []
    if isNew {
      findings += noteNewToken(token, request)
    } else {
      newTokens.inARow = 0
      findings += ageFindings(&use, request)
    }
    if let refusal = use.refusal, request.time.real >= refusal.time.real {
      findings.append(
        Finding(
          .refusedTokenAgain, request, "The provider token was refused for request \(refusal.request), and used again.")
      )
    }
    providerTokens.set(token, use)
    providerTokenRefused(request)
    return findings
  }

  /// Remembers the refusal of a provider token, if the request has one and its token was used before.
  mutating func providerTokenRefused(_ request: LintedRequest) {
    guard request.refusesProviderToken, let answer = request.answer, let token = request.field("authorization"),
      var use = providerTokens[token]
    else { return }
    use.refusal = (request.number, answer.time)
    providerTokens.set(token, use)
  }

  private mutating func noteNewToken(_ token: String, _ request: LintedRequest) -> [Finding] {
    let previous = newTokens.newest.flatMap { providerTokens[$0] }
    newTokens.newest = token
    newTokens.inARow += 1
    // A refused token has to be replaced at once.
    guard let previous, previous.refusal == nil else { return [] }
    if newTokens.inARow >= Linter.newTokensInARow {
      return [
        Finding(.tokenPerPush, request, "The last \(newTokens.inARow) pushes had a new provider token each.")
      ]
    }
    let interval = request.time.since(previous.first)
    guard interval < Linter.tokenInterval else { return [] }
    return [
      Finding(
        .tokenTooSoon, request, "The provider token is new, \(interval / 1_000_000) s after the one before.")
    ]
  }

  private func ageFindings(_ use: inout ProviderTokenUse, _ request: LintedRequest) -> [Finding] {
    let age = followsHandset ? request.time.uptime - use.first.uptime : request.time.real - use.first.real
    let rule: LintRule? = age > Linter.oldToken ? .tokenTooOld : age > Linter.ageingToken ? .tokenAgeing : nil
    guard let rule, use.reported.insert(rule).inserted else { return [] }
    return [Finding(rule, request, "The provider token has been in use for \(age / 60_000_000) minutes.")]
  }
}

extension LintedRequest {
  var refusesProviderToken: Bool { answer.map { $0.status == 403 && $0.isOfProviderToken } ?? false }
}

extension LintedRequest.Answer {
  /// True if the reason is about the provider token, not about the push.
  var isOfProviderToken: Bool { reason == "ExpiredProviderToken" || reason == "InvalidProviderToken" }
}
