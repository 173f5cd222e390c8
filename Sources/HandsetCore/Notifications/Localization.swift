// The words of a message in the app's own strings [APNs, `loc-key` and `loc-args`].

extension AppManifest {
  /// The text as a person reads it. A key that the app has no string for stands for itself, as it does on a phone.
  func resolve(_ text: MessageText) -> String {
    switch text {
    case .literal(let literal): literal
    case .localized(let key, let arguments): fill(strings[key] ?? key, with: arguments)
    }
  }

  /// Replaces `%@` by the next argument, `%2$@` by the second, `%%` by a per cent sign. A place without an argument is
  /// left empty; any other `%` stands for itself.
  private func fill(_ format: String, with arguments: [String]) -> String {
    var result = ""
    var next = 0
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result.append("%")
        rest.removeFirst()
      } else if rest.first == "@" {
        if next < arguments.count { result += arguments[next] }
        next += 1
        rest.removeFirst()
      } else {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let tail = rest[digits.endIndex...]
        if let position = Int(digits), position > 0, tail.hasPrefix("$@") {
          if position <= arguments.count { result += arguments[position - 1] }
          rest = tail.dropFirst(2)
        } else {
          result.append("%")
        }
      }
    }
    return result + rest
  }

  /// The title of the action button; nil where there is none (rule N4).
  func resolve(_ title: ActionTitle) -> String? {
    switch title {
    case .standard: actionTitle ?? "View"
    case .localized(let key): strings[key] ?? key
    case .none: nil
    }
  }
}
