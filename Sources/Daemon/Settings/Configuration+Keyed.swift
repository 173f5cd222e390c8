// The settings for access keys: the port without TLS, and the templates of hooks.

import HandsetCore
import PushPort
import StrictYAML

/// A port without TLS, for clients that do not support it.
struct PlainPort: Hashable, Sendable {
  enum Key: String, DescribedKey {
    case listen
    case ways = "for"

    var meaning: String {
      switch self {
      case .listen: "Its address, `HOST:PORT`; `*` is every address."
      case .ways:
        "The ways in that it has: "
          + KeyedWay.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."
      }
    }
  }

  var listen: Configuration.Address
  var ways: [KeyedWay]

  /// Reads the port; nil if it has errors, which are reported.
  init?(_ mapping: MappingReader) {
    let listen: Configuration.Address? = mapping.required(Key.listen) { node in
      guard let address = Configuration.Address(try node.string()) else {
        throw node.diagnostic("expected HOST:PORT, such as \"*:2199\" or \"192.168.1.5:2199\"")
      }
      return address
    }
    let ways: [KeyedWay]? = mapping.list(Key.ways) { try $0.choice() }
    guard let listen, let ways else { return nil }
    (self.listen, self.ways) = (listen, ways)
  }
}

extension Configuration {
  private static let templateLimit = 64

  static var readyTemplates: [String: HookTemplate] {
    do {
      return try HookTemplate.ready()
    } catch {
      preconditionFailure("a ready template is not well formed: \(error)")
    }
  }

  static func hookTemplates(_ root: MappingReader) -> [String: HookTemplate] {
    var templates: [String: HookTemplate] = [:]
    guard let node = root.node(Key.hookTemplates) else { return templates }
    for entry in root.decode(node, { try $0.entries(count: 0...templateLimit) }) ?? [] {
      templates[entry.key] = root.mapping(entry.value) { HookTemplate($0, over: readyTemplates[entry.key]) }
    }
    return templates
  }
}

extension HookTemplate {
  /// Reads a template; nil if it has errors, which are reported.
  /// - Parameter ready: the shipped template with that name; a template without a text of its own changes parts of it.
  fileprivate init?(_ mapping: MappingReader, over ready: HookTemplate?) {
    let read: (YAMLNode) throws -> TemplateText = { try TemplateText($0) }
    let title = mapping.optional("title", read)
    let own = ready == nil ? mapping.required("text", read) : mapping.optional("text", read)
    let level = mapping.optional("level", read)
    var levels: [String: InterruptionLevel] = [:]
    if let node = mapping.node("levels") {
      for entry in mapping.decode(node, { try $0.entries(count: 0...64) }) ?? [] {
        levels[entry.key] = mapping.decode(entry.value) { try $0.choice() }
      }
    }
    let replaces = mapping.optional("replaces", read)
    let tags = mapping.optional("tags", read)
    let badge = mapping.optional("badge", read)
    guard let base = own.map({ HookTemplate(text: $0) }) ?? ready else { return nil }
    self = base
    (self.title, self.level) = (title ?? base.title, level ?? base.level)
    self.levels.merge(levels) { $1 }
    (self.replaces, self.tags, self.badge) = (replaces ?? base.replaces, tags ?? base.tags, badge ?? base.badge)
  }
}

extension TemplateText {
  /// Reads a text, or a list of texts, of which the first that has all its values is used.
  fileprivate init(_ node: YAMLNode) throws {
    let texts: [String]
    if case .sequence = node.content {
      texts = try node.sequence(count: 1...TemplateText.limits.candidates).map { try $0.string() }
    } else {
      texts = [try node.string()]
    }
    try self.init(texts)
  }
}
