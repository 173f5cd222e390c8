// `deskbell check --json` gives the contents of a board file to programs that draw it. They come from the daemon's own
// reader, so a file that the daemon refuses is not drawn either.

import HandsetCore
import StrictYAML

/// YAML that was read without errors, to be written as JSON. Integers and booleans are recognised by the same rules as
/// in `YAMLNode`, so `17` is a line's number and `"17"` its label here too.
public struct YAMLContent: Encodable, Sendable {
  var node: YAMLNode

  public func encode(to encoder: any Encoder) throws {
    switch node.content {
    case .mapping(let entries):
      var container = encoder.container(keyedBy: AnyKey.self)
      for entry in entries {
        try container.encode(YAMLContent(node: entry.value), forKey: AnyKey(entry.key))
      }
    case .sequence(let items):
      var container = encoder.unkeyedContainer()
      for item in items { try container.encode(YAMLContent(node: item)) }
    case .scalar(let text, _):
      var container = encoder.singleValueContainer()
      if let integer = try? node.integer() {
        try container.encode(integer)
      } else if let boolean = try? node.boolean() {
        try container.encode(boolean)
      } else {
        try container.encode(text)
      }
    }
  }
}
