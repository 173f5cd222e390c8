// A node has its place and its name, so that its reader can report errors without passing either along.
// A scalar stays text until a schema asks for a type.

/// A mapping, a sequence or a scalar, and the place at which it begins.
public struct YAMLNode: Sendable {
  public enum Content: Sendable {
    case mapping([YAMLEntry])
    case sequence([YAMLNode])
    /// - Parameter isPlain: written without quotation marks and not as a block.
    case scalar(text: String, isPlain: Bool)
  }

  public let content: Content
  public let position: SourcePosition
  /// The name in messages: `'pin'`, `item 2 of 'pins'`, `the document`.
  public let subject: String

  static let rootSubject = "the document"

  public init(content: Content, position: SourcePosition, subject: String) {
    self.content = content
    self.position = position
    self.subject = subject
  }

  /// The text of a scalar; nil if it is empty, and for other nodes.
  public var text: String? {
    if case .scalar(let text, _) = content, !text.isEmpty { return text }
    return nil
  }

  /// Returns a diagnostic about this node; `complaint` follows its name: `must be …`.
  public func diagnostic(_ complaint: String) -> Diagnostic {
    Diagnostic("\(subject) \(complaint)", at: position)
  }

  /// True for `key:` without a value.
  var isMissingValue: Bool {
    if case .scalar(let text, isPlain: true) = content { return text.isEmpty }
    return false
  }

  /// The description of the node in a message: `'x'`, `a mapping`, `a sequence`, `nothing`.
  var found: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a sequence"
    case .scalar(let text, let isPlain): text.isEmpty && isPlain ? "nothing" : quoted(text)
    }
  }
}

/// A key of a mapping and its value.
public struct YAMLEntry: Sendable {
  public let key: String
  public let keyPosition: SourcePosition
  public let value: YAMLNode

  public init(key: String, keyPosition: SourcePosition, value: YAMLNode) {
    self.key = key
    self.keyPosition = keyPosition
    self.value = value
  }
}
