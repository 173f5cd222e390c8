/// The kinds of notification that an app may register for (rule S6) [HIG14].
public struct NotificationKinds: OptionSet, Hashable, Sendable, Codable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static let badge = NotificationKinds(rawValue: 1)
  public static let sound = NotificationKinds(rawValue: 2)
  public static let alert = NotificationKinds(rawValue: 4)
  public static let all: NotificationKinds = [.badge, .sound, .alert]
  /// Not a kind: the app's authorization is provisional (rule Q4) [UNAuthorizationOptions.provisional].
  public static let provisional = NotificationKinds(rawValue: 8)

  private static let named: [(kind: NotificationKinds, name: String)] = [
    (.badge, "badge"), (.sound, "sound"), (.alert, "alert"), (.provisional, "provisional"),
  ]

  /// Nil if a name is not one of `badge`, `sound`, `alert`, `provisional`.
  public init?(names: some Sequence<String>) {
    self = []
    for name in names {
      guard let entry = NotificationKinds.named.first(where: { $0.name == name }) else { return nil }
      insert(entry.kind)
    }
  }

  /// In the order badge, sound, alert, provisional.
  public var names: [String] { NotificationKinds.named.filter { contains($0.kind) }.map(\.name) }

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

/// The state of an app's registration for notifications (rules R1 to R4).
public enum Registration: Hashable, Sendable, Codable {
  private enum RegisteredCodingKeys: String, CodingKey { case _0 = "kinds" }

  /// Installed and not yet registered: pushes are accepted and discarded (rule R1).
  case pending
  case registered(NotificationKinds)
  /// A push to its token is answered 410 (rule R4).
  case unregistered(since: WallTime)
}

public struct TokenRecord: Hashable, Sendable, Codable {
  public var app: AppID
  /// The time since when the token is invalid; nil while it is valid.
  public var goneSince: WallTime?
  /// Nil for the app's ordinary token.
  @Rare public var purpose: TokenPurpose? = nil

  public init(app: AppID, goneSince: WallTime? = nil, purpose: TokenPurpose? = nil) {
    self.app = app
    self.goneSince = goneSince
    self.purpose = purpose
  }
}
