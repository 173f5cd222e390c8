// The records on the servers, as JSON. Their field names never change.

import HandsetCore
import NATSClient

/// The registry's record of a token: `$KV.BELL_TOKENS.DESK.KEY`, or `_groups` in place of the desk.
public struct RegistryRecord: Hashable, Sendable, Codable {
  public enum Gone: String, Hashable, Sendable, Codable {
    case unregistered, expired
  }

  private enum CodingKeys: String, CodingKey {
    case app, handset, environment, since, gone
    case kind = "as"
    case group, desks
  }

  public var app: String
  /// The handset's name on that desk; nil for a group's token.
  public var handset: String?
  /// The environment: `production` or `development`.
  public var environment: String
  /// The start of the daemon that announced it, or the creation of the group, in milliseconds. For people to read.
  public var since: Int64
  /// The time since which the token is no longer registered; nil while it is.
  public var gone: Int64?
  public var kind: Gone?
  public var group: String?
  public var desks: [HandsetAddress]?

  public init(app: String, handset: String?, environment: String, since: Int64) {
    self.app = app
    self.handset = handset
    self.environment = environment
    self.since = since
  }
}

/// A channel in the registry: `$KV.BELL_CHANNELS.APP.CHANNEL`.
public struct ChannelRecord: Hashable, Sendable, Codable {
  public var app: String
  public var environment: String
  /// The message-storage-policy, 0 or 1.
  public var policy: Int
  /// The desks that its provider could push to when it was made, at most `deskLimit`. Only providers of one of them may
  /// use it: other desks may have apps of the same identifier.
  public var desks: [String]
  /// The time at which it was made, in milliseconds. For people to read.
  public var made: Int64

  public static let deskLimit = 64

  public init(app: String, environment: String, policy: Int, desks: [String], made: Int64) {
    (self.app, self.environment, self.policy, self.made) = (app, environment, policy, made)
    self.desks = Array(desks.prefix(ChannelRecord.deskLimit))
  }
}

/// A desk's list of its apps with broadcasts: `$KV.BELL_TOKENS.DESK._apps`.
public struct BroadcastApps: Hashable, Sendable, Codable {
  public var environment: String
  public var broadcast: [String]

  /// The bytes of all identifiers: as many as fit into a message of the registry. Further apps are left out.
  public static let limit = 7_000

  public init(environment: String, _ apps: [AppID]) {
    var bytes = 0
    self.environment = environment
    let fitting = apps.map(\.text).prefix { app in
      bytes += app.utf8.count + 3
      return bytes <= BroadcastApps.limit
    }
    broadcast = Array(fitting)
  }
}

/// A desk's or a gateway's message about itself: `bell.alive.NAME`.
public struct AliveRecord: Hashable, Sendable, Codable {
  public var desk: String?
  public var gateway: String?
  public var version: String
  public var handsets: Int?
  public var tokens: Int
  /// The position in the stream up to which everything is stored.
  public var position: UInt64?
  /// True if a gateway has the whole registry.
  public var ready: Bool?
  /// The start time, in milliseconds.
  public var since: Int64

  public init(desk: String? = nil, gateway: String? = nil, version: String, tokens: Int, since: Int64) {
    (self.desk, self.gateway, self.version, self.tokens, self.since) = (desk, gateway, version, tokens, since)
  }
}

/// The note in the description of a desk's consumer: the identity of the stream, and the groups of the desk.
public struct ConsumerNote: Hashable, Sendable, Codable {
  /// The stream's creation time, in the server's format. A stream that was created again begins at 1.
  public var stream: String
  public var groups: [String]
}

/// A deletion of a bucket's key, as in NATS' own clients: a message, which is delivered to all readers of the bucket.
extension NATSMessage {
  private static let operation = "KV-Operation"

  public static func deletion(of key: String) -> NATSMessage { NATSMessage(subject: key, fields: [operation: "DEL"]) }

  public var isDeletion: Bool { fields[NATSMessage.operation] != nil }
}
