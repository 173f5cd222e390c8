// The commands and addresses that open and wake an app. A missing command is found when the app is installed, not when
// the first push arrives.

import AppLink
import StrictYAML

extension AppBundle {
  /// Reads the mapping `hooks`; errors in it are reported.
  /// - Parameter files: the paths of the bundle's files.
  static func programs(_ root: MappingReader, files: Set<String>) -> AppPrograms {
    root.mapping("hooks", required: false) { hooks in
      let launch = program("launch", in: hooks, files: files)
      let background = program("background", in: hooks, files: files)
      let notification = program("notification", in: hooks, files: files)
      if ["launch", "background", "notification"].allSatisfy({ hooks.node($0) == nil }) {
        hooks.report("'hooks' names none of launch, background and notification")
      }
      return AppPrograms(launch: launch, background: background, notification: notification)
    } ?? AppPrograms()
  }

  private static func program(_ key: String, in hooks: MappingReader, files: Set<String>) -> AppPrograms.Program? {
    guard let node = hooks.node(key) else { return nil }
    switch node.content {
    case .mapping:
      return hooks.mapping(node) { service in
        service.required("socket") { AppPrograms.Program.socket(try socketPath($0)) }
      }
    case .sequence:
      return hooks.decode(node) { AppPrograms.Program.command(try words($0, files: files)) }
    case .scalar:
      return hooks.decode(node) { node throws(Diagnostic) -> AppPrograms.Program in
        throw node.diagnostic(
          "must be a list of words, as in [bin/fetch, --quiet], or { socket: PATH }; no shell is run")
      }
    }
  }

  private static func words(_ node: YAMLNode, files: Set<String>) throws(Diagnostic) -> [String] {
    var words: [String] = []
    for item in try node.sequence(count: 1...AppLinkLimits.commandWords) {
      let word = try item.string(bytes: 1...AppLinkLimits.commandWordBytes)
      if words.isEmpty, !word.hasPrefix("/"), !files.contains(word.hasPrefix("./") ? String(word.dropFirst(2)) : word) {
        throw item.diagnostic("must be a file of the bundle, or the absolute path of a program; '\(word)' is neither")
      }
      words.append(word)
    }
    return words
  }

  private static func socketPath(_ node: YAMLNode) throws(Diagnostic) -> String {
    let path = try node.string(bytes: 1...AppLinkLimits.socketPathBytes)
    guard path.hasPrefix("/") else {
      throw node.diagnostic("must be an absolute path, as in /run/mailroom.sock")
    }
    return path
  }
}

extension AppPrograms {
  /// True if the app has a command that the daemon runs.
  var haveCommand: Bool {
    [launch, background, notification].contains { program in if case .command = program { true } else { false } }
  }
}
