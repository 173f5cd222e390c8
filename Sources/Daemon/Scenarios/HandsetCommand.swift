import HTTP

struct CommandComplaint: Error {
  var message: String
}

extension HandsetCommand {
  /// The commands of the stories that a scenario can give.
  static let verbs = [
    "push", "launch", "background", "kill", "force-quit", "register", "unregister", "uninstall", "badge", "set",
    "condition", "press", "clear", "fetch",
  ]
  private static let kinds = ["badge", "sound", "alert"]
  /// A story's options of a push, and their fields in the control API.
  private static let pushFields = [
    "alert": "body", "title": "title", "subtitle": "subtitle", "badge": "badge", "sound": "sound", "level": "level",
    "collapse": "collapseID", "thread": "threadID",
  ]

  /// Reads a command's words.
  init(_ verb: String, _ words: [String]) throws(CommandComplaint) {
    func word(_ place: Int, _ what: String) throws(CommandComplaint) -> String {
      guard words.indices.contains(place) else { throw CommandComplaint(message: "needs \(what)") }
      return words[place]
    }
    func end(_ count: Int) throws(CommandComplaint) {
      guard words.count <= count else {
        throw CommandComplaint(message: "does not take '\(words[count...].joined(separator: " "))'")
      }
    }
    func app() throws(CommandComplaint) -> String {
      let text = try word(0, "an app")
      guard isScenarioApp(text) else { throw CommandComplaint(message: "must begin with an app, not '\(text)'") }
      return text
    }
    switch verb {
    case "push": self = .push(app: try app(), fields: try HandsetCommand.fields(words.dropFirst()))
    case "launch", "background", "kill", "force-quit":
      try end(1)
      self = .lifecycle(app: try app(), command: verb)
    case "register":
      for kind in words.dropFirst() where !HandsetCommand.kinds.contains(kind) {
        throw CommandComplaint(message: "takes badge, sound and alert, not '\(kind)'")
      }
      self = .register(app: try app(), kinds: words.count > 1 ? Array(words.dropFirst()) : HandsetCommand.kinds)
    case "unregister":
      try end(1)
      self = .unregister(app: try app())
    case "uninstall":
      try end(1)
      self = .uninstall(app: try app())
    case "badge":
      try end(2)
      guard let number = Int(try word(1, "a number")), number >= 0 else {
        throw CommandComplaint(message: "must end with a number, not '\(words[1])'")
      }
      self = .badge(app: try app(), number)
    case "set":
      try end(3)
      let owner = try app()
      self = .set(app: owner == "handset" ? nil : owner, key: try word(1, "a key"), value: try word(2, "a value"))
    case "condition":
      try end(2)
      let state = try word(1, "on or off")
      guard state == "on" || state == "off" else {
        throw CommandComplaint(message: "must end with on or off, not '\(state)'")
      }
      self = .condition(try word(0, "a condition"), isOn: state == "on")
    case "press":
      try end(1)
      let button = try word(0, "a button")
      guard button == "close" || button == "view" else {
        throw CommandComplaint(message: "must be close or view, not '\(button)'")
      }
      self = .press(button)
    case "clear", "fetch":
      try end(1)
      let owner = try word(0, "an app, or all") == "all" ? nil : try app()
      self = verb == "clear" ? .clear(app: owner) : .fetch(app: owner)
    default: throw CommandComplaint(message: "is no command")
    }
  }

  private static func fields(_ words: ArraySlice<String>) throws(CommandComplaint) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    for word in words {
      if word == "background" {
        fields["background"] = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let field = pushFields[parts[0]] else {
        let known = pushFields.keys.sorted().map { "\($0)=" }.joined(separator: ", ")
        throw CommandComplaint(message: "does not take '\(word)': there are \(known) and background")
      }
      if field == "badge" {
        guard let number = Int64(parts[1]) else {
          throw CommandComplaint(message: "has a badge that is no number: '\(parts[1])'")
        }
        fields[field] = .integer(number)
      } else {
        fields[field] = .string(parts[1])
      }
    }
    guard !fields.isEmpty else { throw CommandComplaint(message: "pushes nothing: give alert=, badge= or sound=") }
    return fields
  }

  /// The request to the control API.
  var request: (method: String, path: [String], body: JSONValue?) {
    switch self {
    case .push(let app, let fields):
      ("POST", ["pushes"], .object(fields.merging(["app": .string(app), "via": "apns"]) { own, _ in own }))
    case .lifecycle(let app, let command): ("POST", ["apps", app, "lifecycle"], ["command": .string(command)])
    case .register(let app, let kinds):
      ("POST", ["apps", app, "register"], ["kinds": .array(kinds.map { .string($0) })])
    case .unregister(let app): ("POST", ["apps", app, "unregister"], nil)
    case .uninstall(let app): ("DELETE", ["apps", app], nil)
    case .badge(let app, let number): ("PUT", ["apps", app, "badge"], ["number": .integer(Int64(number))])
    case .set(let app?, let key, let value): ("PUT", ["apps", app, "settings", key], ["value": .string(value)])
    case .set(nil, let key, let value): ("PUT", ["settings", key], ["value": .string(value)])
    case .condition(let name, let isOn): ("PUT", ["conditions", name], ["value": .string(isOn ? "on" : "off")])
    case .press(let button): ("POST", ["press"], ["button": .string(button)])
    case .clear(let app?): ("DELETE", ["apps", app, "center"], nil)
    case .clear(nil): ("DELETE", ["center"], nil)
    case .fetch(let app): ("POST", ["fetch"], .object(app.map { ["app": .string($0)] } ?? [:]))
    }
  }

  /// The app whose device token it may change.
  var registers: String? { if case .register(let app, _) = self { app } else { nil } }
}
