import HTTP
import HandsetCore

/// The reader of a message's actions. Their short form has the grammar of ntfy's server: `http, Open, https://…,
/// clear=true; view, …`. A part is a value, or `name=value`, also with spaces around the sign. A value in single or
/// double quotes may contain separators, and after a backslash the quote itself.
enum NtfyActions {
  /// The maximum number of actions [ntfy: 3].
  static let limit = 3

  private static let kinds = ["view", "http", "broadcast", "copy"]
  private static let partNames: Set<String> = [
    "action", "label", "url", "clear", "method", "body", "intent", "value",
  ]
  private static let flags = ["1": true, "true": true, "yes": true, "0": false, "false": false, "no": false]

  /// - Returns: an object for each action; nil if the text has another form.
  static func parse(_ text: String) -> [JSONValue]? {
    var scanner = Scanner(Array(text.utf8))
    var actions: [JSONValue] = []
    while !scanner.isAtEnd {
      guard actions.count < limit, let action = scanner.action() else { return nil }
      actions.append(action)
    }
    return check(actions)
  }

  /// Returns the actions with their kinds in lower case; nil if there are too many, or one is of no known kind.
  static func check(_ actions: [JSONValue]) -> [JSONValue]? {
    guard actions.count <= limit else { return nil }
    var checked: [JSONValue] = []
    for action in actions {
      guard case .object(var values) = action, case .string(let text)? = values["action"] else { return nil }
      let kind = text.prefix(bytes: 16).lowercased()
      guard kinds.contains(kind) else { return nil }
      values["action"] = .string(kind)
      checked.append(.object(values))
    }
    return checked
  }

  /// A scanner that reads the text once, from its start to its end.
  private struct Scanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      skipSpaces()
    }

    var isAtEnd: Bool { place == bytes.count }
    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }
    private var isAtSeparator: Bool { [nil, UInt8(ascii: ","), UInt8(ascii: ";")].contains(next) }

    private mutating func skipSpaces() {
      while let next, [0x20, 0x09, 0x0A, 0x0D].contains(next) { place += 1 }
    }

    /// Reads one action and its separator; nil if it is malformed.
    mutating func action() -> JSONValue? {
      var values: [String: JSONValue] = [:]
      var maps: [String: [String: JSONValue]] = [:]
      for section in 0... {
        skipSpaces()
        // A trailing comma begins no part.
        if section > 1, isAtSeparator, next != UInt8(ascii: ",") {
          endSection()
          break
        }
        var name = name()
        guard let value = value() else { return nil }
        if name == nil { name = unnamed(section, values["action"]) }
        guard let name else { return nil }
        if let dot = name.firstIndex(of: ".") {
          maps[String(name[..<dot]), default: [:]][String(name[name.index(after: dot)...])] = .string(value)
        } else if name == "clear" {
          guard let clears = NtfyActions.flags[value.prefix(bytes: 8).lowercased()] else { return nil }
          values[name] = .bool(clears)
        } else {
          values[name] = .string(value)
        }
        if endSection() { break }
      }
      skipSpaces()
      for (name, map) in maps { values[name] = .object(map) }
      guard case .string(let label)? = values["label"], !label.isEmpty else { return nil }
      return .object(values)
    }

    /// Skips a separator.
    /// - Returns: true if the action ends there.
    @discardableResult private mutating func endSection() -> Bool {
      let separator = next
      if separator != nil { place += 1 }
      return separator != UInt8(ascii: ",")
    }

    /// Returns the implied name of a part without one; nil if it needs a name.
    private func unnamed(_ section: Int, _ kind: JSONValue?) -> String? {
      guard section == 2 else { return section == 0 ? "action" : section == 1 ? "label" : nil }
      guard case .string(let kind)? = kind else { return nil }
      return ["view": "url", "http": "url", "copy": "value"][kind.prefix(bytes: 16).lowercased()]
    }

    /// Reads a name and the sign after it. The name is in lower case, except a map member's name after the dot. An
    /// unknown name is the beginning of a value: `Oven=on`.
    private mutating func name() -> String? {
      var end = place
      while end < bytes.count, bytes[end].isASCIILetterOrDigit || "_-.".utf8.contains(bytes[end]) { end += 1 }
      var sign = end
      while sign < bytes.count, [0x20, 0x09].contains(bytes[sign]) { sign += 1 }
      guard end > place, sign < bytes.count, bytes[sign] == UInt8(ascii: "="),
        end - place <= JSONElement.nameLimit
      else { return nil }
      let text = String(decoding: bytes[place..<end], as: UTF8.self)
      let parts = text.split(separator: ".", maxSplits: 1)
      let first = parts.first?.lowercased() ?? ""
      let name: String
      if parts.count == 2, first == "headers" || first == "extras" {
        name = "\(first).\(parts[1])"
      } else {
        guard NtfyActions.partNames.contains(text.lowercased()) else { return nil }
        name = text.lowercased()
      }
      place = sign + 1
      skipSpaces()
      return name
    }

    /// Reads the value up to a separator; nil if its quotes do not end, or more text follows them.
    private mutating func value() -> String? {
      guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        let start = place
        while !isAtSeparator { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self).trimmingWhitespace
      }
      place += 1
      var value: [UInt8] = []
      while let byte = next {
        place += 1
        if byte == quote {
          guard value.last == UInt8(ascii: "\\") else {
            skipSpaces()
            return isAtSeparator ? String(decoding: value, as: UTF8.self) : nil
          }
          value.removeLast()
        }
        value.append(byte)
      }
      return nil
    }
  }

  // MARK: The actions that the handset can carry out (rule N15)

  /// Returns the notification's actions: `http` makes a call, `view` opens the app, and the app receives the others in
  /// the background. An action's identifier is its place in the message, from 1.
  static func offered(_ values: [JSONValue]) -> (actions: [NotificationAction], faults: [PayloadFault]) {
    var actions: [NotificationAction] = []
    var faults: [PayloadFault] = []
    for (index, value) in values.enumerated() {
      guard case .object(let members) = value else { continue }
      if let action = action(members, id: "\(index + 1)") {
        actions.append(action)
      } else {
        faults.append(
          PayloadFault(path: "actions[\(index)]", problem: "without a label, or no request that can be made"))
      }
    }
    guard NotificationOptions(actions: actions).isValid else {
      return ([], [PayloadFault(path: "actions", problem: "longer than \(Policy.actionBytesLimit) bytes together")])
    }
    return (actions, faults)
  }

  private static func action(_ members: [String: JSONValue], id: String) -> NotificationAction? {
    func text(_ name: String) -> String? { if case .string(let text)? = members[name] { text } else { nil } }
    guard let kind = text("action"), let label = text("label"), !label.isEmpty else { return nil }
    var action = NotificationAction(id: id, title: label.prefix(bytes: Policy.appNameLimit), opensApp: kind == "view")
    if case .bool(true)? = members["clear"] {} else { action.keepsNotification = true }
    if kind == "view" { action.url = text("url") }
    guard kind == "http" else { return action }
    var headers: [String: String] = [:]
    if case .object(let fields)? = members["headers"] {
      for case (let name, .string(let value)) in fields { headers[name] = value }
    }
    let call = WebCall(
      method: text("method")?.uppercased() ?? "POST", url: text("url") ?? "", headers: headers,
      body: Array((text("body") ?? "").utf8))
    guard call.isValid else { return nil }
    action.call = call
    return action
  }
}
