// The actions that an app's notifications offer besides opening them (rule N15): the list `categories`.

import HandsetCore
import StrictYAML

extension AppBundle {
  /// Reads the categories; nil if there are none. Errors in them are reported.
  static func categories(_ root: MappingReader) -> [NotificationCategory]? {
    let categories = root.list("categories", required: false, count: 1...Policy.categoryLimit) { node in
      root.mapping(node) { category in
        let id = category.required("id") { try $0.string(bytes: 1...Policy.actionNameLimit) }
        let actions = category.list("actions", count: 1...Policy.actionLimit) { node in
          category.mapping(node) { action($0) }
        }
        guard let id, let actions else { return nil as NotificationCategory? }
        if let twice = firstTwice(actions.compactMap { $0?.id }) {
          category.report("two actions have the id '\(twice)'")
        }
        return NotificationCategory(id: id, actions: actions.compactMap(\.self))
      }
    }
    guard let known = categories?.compactMap(\.self) else { return nil }
    if let twice = firstTwice(known.map(\.id)) { root.report("two categories have the id '\(twice)'") }
    return known
  }

  private static func action(_ reader: MappingReader) -> NotificationAction? {
    let id = reader.required("id") { node in
      let id = try node.string(bytes: 1...Policy.actionNameLimit)
      guard !AlertButton.allCases.map(\.rawValue).contains(id), !id.hasPrefix("com.apple.") else {
        throw node.diagnostic("cannot be '\(id)', which has a meaning already")
      }
      return id
    }
    let title = reader.required("title") { try $0.string(bytes: 1...Policy.appNameLimit) }
    let opensApp = reader.optional("foreground", default: false) { try $0.boolean() }
    let isDestructive = reader.optional("destructive", default: false) { try $0.boolean() }
    let needsUnlock = reader.optional("authentication-required", default: false) { try $0.boolean() }
    let textInput = reader.mapping("text-input", required: false) { input in
      let button = input.required("button") { try $0.string(bytes: 1...Policy.appNameLimit) }
      let placeholder = input.optional("placeholder") { try $0.string(bytes: 1...Policy.appNameLimit) }
      return button.map { NotificationAction.TextInput(button: $0, placeholder: placeholder) }
    }
    guard let id, let title else { return nil }
    var action = NotificationAction(id: id, title: title, opensApp: opensApp, textInput: textInput)
    action.isDestructive = isDestructive
    action.needsUnlock = needsUnlock
    return action
  }

  private static func firstTwice(_ names: [String]) -> String? {
    var known: Set<String> = []
    return names.first { !known.insert($0).inserted }
  }
}
