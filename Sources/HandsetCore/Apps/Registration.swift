// Rules R1 to R4: what a token is good for, and since when it is not.

/// The kinds of notification that an app may register for (rule S6) [HIG14].
public struct NotificationKinds: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static let badge = NotificationKinds(rawValue: 1)
  public static let sound = NotificationKinds(rawValue: 2)
  public static let alert = NotificationKinds(rawValue: 4)
  public static let all: NotificationKinds = [.badge, .sound, .alert]

  private static let named: [(kind: NotificationKinds, name: String)] = [
    (.badge, "badge"), (.sound, "sound"), (.alert, "alert"),
  ]

  /// Nil where a name is none of `badge`, `sound`, `alert`.
  public init?(names: some Sequence<String>) {
    self = []
    for name in names {
      guard let entry = NotificationKinds.named.first(where: { $0.name == name }) else { return nil }
      insert(entry.kind)
    }
  }

  /// In the order badge, sound, alert.
  public var names: [String] {
    NotificationKinds.named.filter { contains($0.kind) }.map(\.name)
  }
}

extension NotificationKinds: Codable {
  /// By their names.
  public init(from decoder: any Decoder) throws {
    let names = try [String](from: decoder)
    guard let kinds = NotificationKinds(names: names) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(names) are not kinds of notification"))
    }
    self = kinds
  }

  public func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}

/// Where an app stands with the handset's notifications.
public enum Registration: Hashable, Sendable, Codable {
  private enum RegisteredCodingKeys: String, CodingKey { case _0 = "kinds" }

  /// Installed, and not registered yet: pushes are accepted and reach nobody (rule R1).
  case pending
  case registered(NotificationKinds)
  /// Its token answers as gone (rule R4).
  case unregistered(since: WallTime)
}

/// What the handset knows of a token.
public struct TokenRecord: Hashable, Sendable, Codable {
  public var app: AppID
  /// Since when the token is good for nothing; nil while it is its app's.
  public var goneSince: WallTime?

  public init(app: AppID, goneSince: WallTime? = nil) {
    self.app = app
    self.goneSince = goneSince
  }
}
