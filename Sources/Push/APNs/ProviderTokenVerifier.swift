import HTTP
import HandsetCore
import ServerIdentity

/// The provider tokens of one connection. Checking a signature costs more than the rest of a request, and a provider
/// sends the same token for an hour. So valid tokens are remembered, and only their age and their provider's key is
/// checked each time. A signed token that is refused for another reason costs the same check, so a connection may check
/// only a few.
final class ProviderTokenVerifier {
  private let port: Port
  /// The key of the first valid token; no other is accepted on this connection.
  private var pinned: ProviderDirectory.KeyName?
  /// The time at which the token last changed; nil if it never did.
  private var lastUpdate: WallTime?
  /// The verified tokens, oldest first.
  private var remembered: [Remembered] = []
  var rememberedCount: Int { remembered.count }
  /// The last `authorization` that was accepted as a whole, and its token: most requests have the same one.
  private var last: (authorization: [UInt8], token: Remembered)?
  /// The faults of the newest token, until `takeFaults()`.
  private var faults: [PayloadFault] = []
  /// The key that the last token named; nil if it could not be read, or was remembered.
  var namedKey: ProviderDirectory.KeyName?
  private var checks: RateBucket
  /// The last token that was checked and not accepted: a client may send it with each request.
  private var refused: (bytes: [UInt8], keys: [ProviderKey], signer: ProviderKey?)?

  private struct Remembered {
    var bytes: [UInt8]
    var key: ProviderKey
    var issuedAt: WallTime
    var provider: Provider
    var generation: UInt64
  }

  init(_ port: Port) {
    self.port = port
    checks = RateBucket(now: port.clock.uptime())
  }

  /// Finds the provider of a request with the same `authorization` as the last one that was accepted; nil if it has
  /// another one, or if its token has to be checked again.
  func provider(again authorization: ArraySlice<UInt8>, in directory: ProviderDirectory, now: WallTime) -> Provider? {
    // Not the whole of `last`, whose copy would count a reference for each of its parts.
    guard last?.token.generation == directory.generation, let known = last?.authorization,
      authorization.withUnsafeBytes({ sent in known.withUnsafeBytes { sent.hasBytes(of: $0) } }),
      let issuedAt = last?.token.issuedAt, issuedAt <= now, now <= issuedAt.advanced(by: port.limits.tokenAge)
    else { return nil }
    namedKey = nil
    return last?.token.provider
  }

  /// Finds the provider of a token.
  ///
  /// - Parameter authorization: the bytes with which the token was sent; nil if it is not to be recognised by them.
  /// - Throws: the reason why the token is refused. A forged token is never refused for its age.
  func provider(
    for token: some Collection<UInt8>, of authorization: ArraySlice<UInt8>? = nil, in directory: ProviderDirectory,
    now: WallTime, clockIsSynchronised: () -> Bool
  ) throws(APNsRefusal) -> Provider {
    namedKey = nil
    if let index = place(of: token), isStillKnown(at: index, in: directory) {
      let known = remembered[index]
      try checkEnvironment(of: known.provider)
      try ProviderToken.checkAge(
        issuedAt: known.issuedAt, now: now, clockIsSynchronised: clockIsSynchronised, limits: port.limits)
      if let authorization { last = (Array(authorization), known) }
      return known.provider
    }
    let decoded = try ProviderToken(token, limits: port.limits)
    let name = decoded.name
    namedKey = name
    let generation = directory.generation
    var candidates = directory.providers(for: name)
    let unknown = candidates.isEmpty ? port.catchAll?.provider(for: name) : nil
    if let unknown { candidates = [unknown.provider] }
    guard !candidates.isEmpty else {
      throw APNsRefusal(.invalidProviderToken, ProviderTokenVerifier.unknown(name, directory))
    }
    guard
      let key = try unknown?.isVerified == false
        ? unknown?.provider.signingKey
        : signer(of: decoded, Array(token), among: candidates.compactMap(\.signingKey)),
      let provider = candidates.first(where: { $0.signingKey == key })
    else {
      let names = candidates.map { "'\($0.name)'" }.joined(separator: ", ")
      throw APNsRefusal(
        .invalidProviderToken, "the signature was not made with key \(name.keyID) of provider \(names)")
    }
    try checkEnvironment(of: provider)
    if let pinned, pinned != name {
      throw APNsRefusal(
        .unrelatedKeyID,
        "the token is of team \(name.teamID) and key \(name.keyID), and this connection began with team "
          + "\(pinned.teamID) and key \(pinned.keyID); use a connection for each")
    }
    try ProviderToken.checkAge(
      issuedAt: decoded.issuedAt, now: now, clockIsSynchronised: clockIsSynchronised, limits: port.limits)
    try noteUpdate(of: name, now: now)
    pinned = name
    refused = nil
    if remembered.count >= port.limits.rememberedTokens { remembered.removeFirst() }
    let known = Remembered(
      bytes: Array(token), key: key, issuedAt: decoded.issuedAt, provider: provider, generation: generation)
    remembered.append(known)
    if let authorization { last = (Array(authorization), known) }
    faults = decoded.faults
    return provider
  }

  private static func unknown(_ name: ProviderDirectory.KeyName, _ directory: ProviderDirectory) -> String {
    let exchanged = ProviderDirectory.KeyName(teamID: name.keyID, keyID: name.teamID)
    return "no provider has team \(name.teamID) with key \(name.keyID); "
      + (directory.providers(for: exchanged).isEmpty
        ? "add it with: deskbell provider add"
        : "the two are exchanged: iss is the team's id, kid the key's")
  }

  /// Finds the key that made the signature; nil if none of them did.
  /// - Throws: `APNsRefusal` if too many tokens were checked on this connection.
  private func signer(
    of decoded: ProviderToken, _ bytes: [UInt8], among keys: [ProviderKey]
  ) throws(APNsRefusal) -> ProviderKey? {
    if let refused, refused.keys == keys, bytes.withUnsafeBufferPointer({ isEqualInConstantTime(refused.bytes, $0) }) {
      return refused.signer
    }
    guard
      checks.add(
        capacity: Double(port.limits.checkedTokens), drainingPerSecond: port.limits.forgivenFailuresPerSecond,
        now: port.clock.uptime())
    else {
      throw APNsRefusal(
        .tooManyProviderTokenUpdates,
        "more than \(port.limits.checkedTokens) different tokens on one connection; sign one token, and use it for up to an hour"
      )
    }
    let signer = keys.first { decoded.isSigned(by: $0) }
    refused = (bytes, keys, signer)
    return signer
  }

  /// Returns the differences of the newest token from Apple's documentation. Empty from the second call on.
  func takeFaults() -> [PayloadFault] { exchange(&faults, with: []) }

  private func place(of token: some Collection<UInt8>) -> Int? {
    // The token of most requests is recognised by the whole field, without this copy.
    Array(token).withUnsafeBufferPointer { bytes in remembered.firstIndex { isEqualInConstantTime($0.bytes, bytes) } }
  }

  /// Returns true if the directory still has the key that verified this token; else forgets the token.
  private func isStillKnown(at index: Int, in directory: ProviderDirectory) -> Bool {
    let generation = directory.generation
    if remembered[index].generation == generation { return true }
    if let pinned,
      let provider = directory.providers(for: pinned).first(where: { $0.signingKey == remembered[index].key })
    {
      remembered[index].provider = provider
      remembered[index].generation = generation
      return true
    }
    remembered.remove(at: index)
    return false
  }

  private func checkEnvironment(of provider: Provider) throws(APNsRefusal) {
    let environment = port.environment
    guard case .token(_, let keyID, _, let covered) = provider.credential, !covered.covers(environment) else { return }
    throw APNsRefusal(
      .badEnvironmentKeyID,
      "key \(keyID) of provider '\(provider.name)' is for \(covered.rawValue) only, and this is \(environment.rawValue)"
    )
  }

  /// Records a change of the token. The first token is no change, and the first change is free: a provider may begin
  /// with an old token.
  private func noteUpdate(of name: ProviderDirectory.KeyName, now: WallTime) throws(APNsRefusal) {
    guard pinned != nil else { return }
    // After the clock is set back, a provider is not locked out for longer than the interval.
    if let last = lastUpdate, last.advanced(by: port.limits.tokenUpdateInterval) > now, last <= now {
      let minutes = port.limits.tokenUpdateInterval.inMicroseconds / 60_000_000
      throw APNsRefusal(
        .tooManyProviderTokenUpdates,
        "a second new token of key \(name.keyID) within \(minutes) minutes on one connection; sign one token, and use it for up to an hour"
      )
    }
    lastUpdate = now
  }
}

extension ProviderTokenVerifier {
  /// Finds the provider that sends a request: by the client certificate if there is one, whatever is in `authorization`
  /// [APNs, `authorization`: ignored with certificate-based authentication]; else by its provider token. Counts the
  /// request in the provider's rate.
  func provider(of client: Client, authorization: ArraySlice<UInt8>?) throws(APNsRefusal) -> Provider {
    let provider =
      if let certified = try client.certificate?.provider(in: port) { certified } else {
        try provider(byToken: authorization)
      }
    client.noteAuthenticated(as: provider)
    guard port.admitsRequest(of: provider) else {
      throw APNsRefusal(.tooManyRequests, port.limits.tooManyRequests(of: provider))
    }
    return provider
  }

  private func provider(byToken sent: ArraySlice<UInt8>?) throws(APNsRefusal) -> Provider {
    let now = port.clock.real()
    if let sent, let provider = provider(again: sent, in: port.providers, now: now) { return provider }
    namedKey = nil
    let token = try ProviderToken.bearer(sent.map { String(decoding: $0, as: UTF8.self) })
    return try provider(
      for: token, of: sent, in: port.providers, now: now, clockIsSynchronised: port.clock.isSynchronised)
  }
}
