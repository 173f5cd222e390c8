// What is written to the engine, as JSON. Its words never change.

import HandsetCore
import NATSClient

/// What the registry says of a token: `$KV.BELL_TOKENS.DESK.KEY`, or `_groups` in place of the desk.
public struct RegistryRecord: Hashable, Sendable, Codable {
  public enum Gone: String, Hashable, Sendable, Codable {
    case unregistered, expired
  }

  /// A desk of a group, or one handset of it.
  public struct Member: Hashable, Sendable, Codable {
    public var desk: String
    /// Nil for the one on the board.
    public var handset: String?

    public init(desk: String, handset: String? = nil) {
      self.desk = desk
      self.handset = handset
    }
  }

  private enum CodingKeys: String, CodingKey {
    case app, handset, environment, since, gone
    case kind = "as"
    case group, desks
  }

  public var app: String
  /// Its handset's name on that desk; nil for a group's.
  public var handset: String?
  /// `production` or `development`.
  public var environment: String
  /// When the daemon started that announced it, or the group was made, in milliseconds. For people to read.
  public var since: Int64
  /// Since when it is not; nil while it is.
  public var gone: Int64?
  public var kind: Gone?
  public var group: String?
  public var desks: [Member]?

  public init(app: String, handset: String?, environment: String, since: Int64) {
    self.app = app
    self.handset = handset
    self.environment = environment
    self.since = since
  }
}

/// What a desk or a gateway says of itself: `bell.alive.NAME`.
public struct AliveRecord: Hashable, Sendable, Codable {
  public var desk: String?
  public var gateway: String?
  public var version: String
  public var handsets: Int?
  public var tokens: Int
  /// Up to which message of the stream everything is stored.
  public var position: UInt64?
  /// Of a gateway: whether it knows the whole registry.
  public var ready: Bool?
  /// When it started, in milliseconds.
  public var since: Int64

  public init(desk: String? = nil, gateway: String? = nil, version: String, tokens: Int, since: Int64) {
    (self.desk, self.gateway, self.version, self.tokens, self.since) = (desk, gateway, version, tokens, since)
  }
}

/// What a desk's consumer says in its description: which stream this is, and which groups the desk belongs to.
public struct ConsumerNote: Hashable, Sendable, Codable {
  /// When the stream was made, in the server's words. One that was made anew begins again at 1.
  public var stream: String
  public var groups: [String]

  public init(stream: String, groups: [String]) {
    self.stream = stream
    self.groups = groups
  }
}

/// A notification was cleared or answered: `bell.clear.GROUP`.
public struct ClearRecord: Hashable, Sendable, Codable {
  /// Where.
  public var desk: String
  public var handset: String
  public var app: String
  /// The collapse identifier of its push.
  public var id: String
  /// Whether it was removed; else it was only seen.
  public var removed: Bool

  public init(desk: String, handset: String, app: String, id: String, removed: Bool) {
    (self.desk, self.handset, self.app, self.id, self.removed) = (desk, handset, app, id, removed)
  }
}

/// How NATS' own clients delete a key of a bucket: with a message, which is delivered to all who read the bucket.
extension NATSMessage {
  private static let operation = "KV-Operation"

  public static func deletion(of key: String) -> NATSMessage { NATSMessage(subject: key, fields: [operation: "DEL"]) }

  public var isDeletion: Bool { fields[NATSMessage.operation] != nil }
}
