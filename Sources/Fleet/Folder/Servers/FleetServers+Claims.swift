// Desks of version 0.7.0 announce tokens and access keys without claiming them.

import FleetLink
import FoundationEssentials

extension FleetServers {
  /// Stores the missing claims for the tokens and keys that desks and groups have announced. If two desks have
  /// announced the same one, it is left to them: the servers do not know which was first.
  /// - Returns: the number of claims stored.
  func claimAnnounced() async throws -> Int {
    try await claimAnnounced(in: FleetNames.tokens, "$KV.BELL_TOKENS.>", FleetNames.claim(of:by:)) { word, _ in
      TokenKey(hex: word)
    }
      + claimAnnounced(in: FleetNames.providers, "$KV.BELL_PROVIDERS.>", FleetNames.claim(ofAccessKey:by:)) {
        AnnouncedProvider.accessKey(in: $1)
      }
  }

  /// - Parameters:
  ///   - claim: returns the subject of a desk's claim of a key.
  ///   - key: returns the key of a record from the last word of its subject and its payload.
  private func claimAnnounced(
    in stream: String, _ subjects: String, _ claim: (TokenKey, String) -> String,
    key: (Substring, [UInt8]) -> TokenKey?
  ) async throws -> Int {
    var claimed: Set<TokenKey> = []
    var announced: [TokenKey: Set<String>] = [:]
    try await read(stream, subjects, from: .newest) { message in
      let words = message.message.subject.split(separator: ".")
      guard words.count == 4, !message.message.isDeletion else { return }
      if let key = FleetNames.claimedKey(in: words[3]) {
        claimed.insert(key)
      } else if let key = key(words[3], message.message.payload) {
        announced[key, default: []].insert(String(words[2]))
      }
    }
    var count = 0
    for (key, desks) in announced where !claimed.contains(key) {
      let owner = desks.contains(FleetNames.groups) ? FleetNames.groups : desks.count == 1 ? desks.first : nil
      if let owner, try await self.claim(claim(key, owner)) { count += 1 }
    }
    return count
  }

  /// Stores a claim if there is none.
  /// - Returns: true if it was stored now.
  @discardableResult
  func claim(_ subject: String) async throws -> Bool {
    try await patiently(subject) { try await jetStream.claim(subject) }
  }
}

/// The part of a provider's record that names its access key.
private struct AnnouncedProvider: Decodable {
  struct Credential: Decodable {
    var topic: Opening?
    var hook: Opening?
  }

  struct Opening: Decodable {
    var opens: Key
  }

  struct Key: Decodable {
    /// The digest.
    var key: Data
  }

  var credential: Credential

  static func accessKey(in record: [UInt8]) -> TokenKey? {
    guard let provider = try? JSONDecoder().decode(AnnouncedProvider.self, from: Data(record)) else { return nil }
    return (provider.credential.topic ?? provider.credential.hook).map { TokenKey(digest: $0.opens.key) }
  }
}
