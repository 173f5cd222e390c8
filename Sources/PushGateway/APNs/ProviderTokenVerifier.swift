// Checking a signature costs more than all the rest of a request, and a provider sends the same token for an hour: so
// a connection remembers which tokens it found good, and looks at their age, and at who may still push, each time.

import HandsetCore

/// The provider tokens of one connection.
struct ProviderTokenVerifier {
  private let limits: GatewayLimits
  /// The oldest first.
  private var remembered: [Remembered] = []
  var rememberedCount: Int { remembered.count }
  /// When the token of a key last changed; nil where it never did. No larger than the directory.
  private var lastUpdates: [ProviderDirectory.KeyName: WallTime?] = [:]

  private struct Remembered {
    var bytes: [UInt8]
    var name: ProviderDirectory.KeyName
    var key: ProviderKey
    var issuedAt: WallTime
    var provider: Provider
    var generation: UInt64
  }

  init(limits: GatewayLimits) {
    self.limits = limits
  }

  /// Whose token it is.
  ///
  /// - Throws: why it is not taken. A forged token is never told that it is too old.
  mutating func provider(
    for token: some Collection<UInt8>, in directory: ProviderDirectory, now: WallTime,
    clockIsSynchronised: () -> Bool
  ) throws(APNsRefusal) -> Provider {
    if let index = remembered.firstIndex(where: { isEqualInConstantTime($0.bytes, token) }),
      isStillKnown(at: index, in: directory)
    {
      let known = remembered[index]
      try checkAge(known.issuedAt, now, clockIsSynchronised)
      return known.provider
    }
    let decoded = try ProviderToken(token, limits: limits)
    let name = ProviderDirectory.KeyName(teamID: decoded.teamID, keyID: decoded.keyID)
    let generation = directory.generation
    guard let provider = directory.provider(for: name), case .token(_, _, let key) = provider.credential else {
      throw APNsRefusal(
        .invalidProviderToken,
        "no provider has team \(name.teamID) with key \(name.keyID); add it with: deskbell provider add")
    }
    guard decoded.isSigned(by: key) else {
      throw APNsRefusal(
        .invalidProviderToken,
        "the signature was not made with key \(name.keyID) of provider '\(provider.name)'")
    }
    try checkAge(decoded.issuedAt, now, clockIsSynchronised)
    try noteUpdate(of: name, now: now)
    if remembered.count >= limits.rememberedTokens { remembered.removeFirst() }
    remembered.append(
      Remembered(
        bytes: Array(token), name: name, key: key, issuedAt: decoded.issuedAt, provider: provider,
        generation: generation))
    return provider
  }

  /// Whether the directory still holds the key that this token was verified with; forgets the token where not.
  private mutating func isStillKnown(at index: Int, in directory: ProviderDirectory) -> Bool {
    let generation = directory.generation
    if remembered[index].generation == generation { return true }
    if let provider = directory.provider(for: remembered[index].name),
      case .token(_, _, let key) = provider.credential, key == remembered[index].key
    {
      remembered[index].provider = provider
      remembered[index].generation = generation
      return true
    }
    remembered.remove(at: index)
    return false
  }

  private func checkAge(_ issuedAt: WallTime, _ now: WallTime, _ clockIsSynchronised: () -> Bool) throws(APNsRefusal) {
    // Asking for the clock's state is a system call: only where the answer matters.
    let isAhead = issuedAt > now
    try ProviderToken.checkAge(
      issuedAt: issuedAt, now: now, clockIsSynchronised: isAhead ? clockIsSynchronised() : true, limits: limits)
  }

  private mutating func noteUpdate(of name: ProviderDirectory.KeyName, now: WallTime) throws(APNsRefusal) {
    guard let last = lastUpdates[name] else {
      lastUpdates.updateValue(nil, forKey: name)
      return
    }
    // A clock that was set back must not lock a provider out for longer than the interval.
    if let last, last.advanced(by: limits.tokenUpdateInterval) > now, last <= now {
      let minutes = limits.tokenUpdateInterval.inMicroseconds / 60_000_000
      throw APNsRefusal(
        .tooManyProviderTokenUpdates,
        "a second new token of key \(name.keyID) within \(minutes) minutes on one connection; sign one token, and use it for up to an hour"
      )
    }
    lastUpdates.updateValue(now, forKey: name)
  }
}

/// Compares without telling by its duration how much was equal: a provider token is a secret as long as it is good.
func isEqualInConstantTime(_ left: [UInt8], _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for (one, other) in zip(left, right) { difference |= one ^ other }
  return difference == 0
}
