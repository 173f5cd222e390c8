// Rule N6: the system shortens a message that is too long for where it stands, and the message should not.

extension NotificationContent {
  /// The body, cut to `limit` characters as a reader counts them, the last of them an ellipsis where it was cut.
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
