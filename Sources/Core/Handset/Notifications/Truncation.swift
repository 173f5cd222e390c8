// Rule N6: a message that is too long for its place is cut with an ellipsis.

extension NotificationContent {
  /// A place where a message is shown.
  public enum Place: Hashable, Sendable, CaseIterable {
    case banner, alert, center

    /// The limit of a title, a subtitle and a body there, in characters as a reader counts them.
    public var characters: Int {
      switch self {
      case .banner: Policy.bannerCharacters
      case .alert: Policy.alertCharacters
      case .center: Policy.centerCharacters
      }
    }
  }

  /// The content without the parts that only the person may read: "Notification" stands for the message (rule N18).
  public var withoutPreview: NotificationContent {
    var hidden = self
    (hidden.title, hidden.subtitle, hidden.body) = (nil, nil, "Notification")
    return hidden
  }

  /// Returns the words, cut for that place. The payload is not cut.
  public func shortened(for place: Place) -> NotificationContent {
    var shortened = self
    shortened.title = title.map { NotificationContent.truncate($0, to: place.characters) }
    shortened.subtitle = subtitle.map { NotificationContent.truncate($0, to: place.characters) }
    shortened.body = body.map { NotificationContent.truncate($0, to: place.characters) }
    return shortened
  }

  /// Returns the body, cut to `limit` characters as a reader counts them, the last of them an ellipsis if it was cut.
  /// - Parameter limit: 1 or more.
  public static func truncate(_ text: String, to limit: Int) -> String {
    guard let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex), end != text.endIndex else {
      return text
    }
    var kept = text[..<text.index(before: end)]
    while let last = kept.last, last.isWhitespace { kept.removeLast() }
    return kept + "…"
  }
}
