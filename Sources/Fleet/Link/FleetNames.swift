import Crypto
import HandsetCore

/// The names of streams, subjects and keys on the servers, which docs/fleet.md describes.
public enum FleetNames {
  public static let pushes = "BELL_PUSH"
  public static let tokens = "KV_BELL_TOKENS"
  public static let providers = "KV_BELL_PROVIDERS"
  public static let channels = "KV_BELL_CHANNELS"
  public static let events = "BELL_EVENTS"
  public static let clears = "BELL_CLEAR"

  /// The subject of the roll call, which each desk and gateway answers at once.
  public static let roll = "bell.roll"
  /// The word for the handset on the board, in place of a handset's name.
  public static let boardHandset = "_"
  /// The word in keys of group tokens, in place of a desk's name: no desk has it.
  public static let groups = "_groups"
  /// The last word of a desk's list of its apps with broadcasts, in the registry of tokens.
  public static let appsWord = "_apps"
  /// The word in subjects of broadcasts, in place of a handset's name: they are for all handsets of the desk.
  static let channelsWord = "_channels"

  /// Returns true for a permitted name of a desk, a gateway or a group: 1 to 32 of `a` to `z`, `0` to `9` and `-`.
  public static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
  }

  /// - Parameter isStored: false for a push that is tried once (`apns-expiration: 0`).
  public static func push(to address: HandsetAddress, app: AppID, isStored: Bool) -> String {
    "bell.\(isStored ? "push" : "now").\(address.desk).\(address.handset ?? boardHandset).\(word(of: app))"
  }

  /// Returns the subjects of the pushes to all apps and handsets of a desk.
  public static func pushes(to desk: String) -> String { "bell.push.\(desk).>" }
  public static func unstoredPushes(to desk: String) -> String { "bell.now.\(desk).>" }
  public static func events(of name: String) -> String { "bell.events.\(name)" }
  public static func alive(_ name: String) -> String { "bell.alive.\(name)" }
  public static func clears(in group: String) -> String { "bell.clear.\(group)" }
  /// Returns the names that a desk's consumers have in turn: a consumer whose server is down cannot be replaced.
  public static func readers(of consumer: String) -> [String] { (1...3).map { "\(consumer)_\($0)" } }

  /// Returns the subject of a desk's last state: `$KV.BELL_TOKENS.DESK._desk`.
  public static func lastSeen(_ desk: String) -> String { "$KV.BELL_TOKENS.\(desk)._desk" }

  /// Returns the subject of the list of the desk's apps with broadcasts.
  public static func apps(of desk: String) -> String { "$KV.BELL_TOKENS.\(desk).\(appsWord)" }

  /// Returns the subject of a channel in the registry of channels.
  public static func channel(_ id: ChannelID, of app: AppID) -> String {
    "$KV.BELL_CHANNELS.\(word(of: app)).\(Hex.text(Array(id.text.utf8)))"
  }

  /// Reads the app in a word of a subject; nil if it is none.
  public static func app(in word: Substring) -> AppID? {
    AppID(word.replacing("_", with: ".").replacing("=", with: "_"))
  }

  /// Reads the channel in the last word of a subject; nil if it is none.
  public static func channel(in word: Substring) -> ChannelID? {
    // Hexadecimal digits are read as those of a device token are; a channel's identifier is shorter.
    DeviceToken(hex: word).flatMap { ChannelID(String(decoding: $0.bytes, as: UTF8.self)) }
  }

  /// Returns the subject of the broadcasts on a channel for all handsets of a desk.
  public static func broadcasts(to desk: String, on channel: ChannelID, isStored: Bool) -> String {
    "bell.\(isStored ? "push" : "now").\(desk).\(channelsWord).\(Hex.text(Array(channel.text.utf8)))"
  }

  /// Returns the consumer that delivers a group's cleared notifications to a desk.
  public static func clearConsumer(of desk: String, in group: String) -> String { "\(desk)_\(group)" }

  public static func token(_ key: TokenKey, of desk: String) -> String { "$KV.BELL_TOKENS.\(desk).\(key)" }

  /// Returns the subject of a desk's claim of a token, in the registry of tokens. The first claim to be stored wins.
  public static func claim(of token: TokenKey, by desk: String) -> String { "$KV.BELL_TOKENS.\(desk).\(own)\(token)" }

  /// Returns the subject of a desk's claim of an access key, in the registry of providers.
  /// - Parameter key: the first half of its digest.
  public static func claim(ofAccessKey key: TokenKey, by desk: String) -> String {
    "$KV.BELL_PROVIDERS.\(desk).\(own)\(key)"
  }

  /// Returns the key in the last word of a claim's subject; nil for the word of another subject.
  public static func claimedKey(in word: Substring) -> TokenKey? {
    word.hasPrefix(own) ? TokenKey(hex: word.dropFirst(own.count)) : nil
  }

  /// The prefix of claims. No key of a token begins with `_`.
  private static let own = "_own-"

  public static func providers(of desk: String) -> String { "$KV.BELL_PROVIDERS.\(desk).*" }

  public static func provider(_ name: String, of desk: String) -> String {
    "$KV.BELL_PROVIDERS.\(desk).\(HandsetCore.DeviceToken(bytes: Array(name.utf8))?.hex ?? "")"
  }

  /// Returns a word of a subject that is unique for each app: no bundle identifier has a `=`.
  private static func word(of app: AppID) -> String {
    app.text.replacing("_", with: "=").replacing(".", with: "_")
  }
}

/// The address of one handset of one desk; in fleet.json and the registry, a member of a group.
public struct HandsetAddress: Hashable, Sendable, Codable, CustomStringConvertible {
  public var desk: String
  /// The name of the handset; nil for the one on the board.
  public var handset: String?

  public init(desk: String, handset: String?) {
    self.desk = desk
    self.handset = handset
  }

  /// Reads `DESK/HANDSET` or `DESK`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(parts.count), parts.allSatisfy(FleetNames.isName) else { return nil }
    self.init(desk: parts[0], handset: parts.count == 2 ? parts[1] : nil)
  }

  public var description: String { handset.map { "\(desk)/\($0)" } ?? desk }
}

/// The first half of the digest of a device token or an access key: the registry stores neither the token nor the key.
public struct TokenKey: Hashable, Sendable, CustomStringConvertible {
  private let bits: UInt128

  public init(_ token: DeviceToken) {
    self.init(digest: SHA256.hash(data: token.bytes))
  }

  /// Takes the first half of a SHA-256.
  public init(digest: some Sequence<UInt8>) {
    bits = digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Reads a key; nil unless `hex` is 32 lower-case hexadecimal digits.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == 32, hex.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let bits = UInt128(hex, radix: 16)
    else { return nil }
    self.bits = bits
  }

  public var description: String { Hex.text(withUnsafeBytes(of: bits.bigEndian) { Array($0) }) }
}
