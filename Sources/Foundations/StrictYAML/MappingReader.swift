// An unread key is a typo or an unsupported setting; its writer needs an error in both cases. So a mapping is read by
// naming its keys, and the code that opened the reader closes it: the named keys are the valid ones.

/// A reader of one mapping by its keys. It is valid during the closure it is passed to.
///
/// A failed reading reports the reason and returns nil, as for an absent optional key. If the node is no mapping, that
/// is reported once and every reading returns nil.
public final class MappingReader {
  public let position: SourcePosition
  public let diagnostics: Diagnostics

  private let subject: String
  /// The entries; nil if the node is no mapping.
  private let entries: [YAMLEntry]?
  private var named: [String] = []
  private var missing: [String] = []
  private var skipsUnreadKeys = false
  private var advice: (String) -> String? = { _ in nil }

  /// Returns the value of a required key.
  /// - Parameter read: decodes the value. A `Diagnostic` that it throws is reported unchanged, any other error as a
  ///   complaint about this key.
  public func required<Value>(_ key: some MappingKey, _ read: (YAMLNode) throws -> Value) -> Value? {
    node(key, required: true).flatMap { decode($0, read) }
  }

  public func optional<Value>(_ key: some MappingKey, _ read: (YAMLNode) throws -> Value) -> Value? {
    node(key, required: false).flatMap { decode($0, read) }
  }

  /// Returns the value of a key, or `fallback` if the key is absent (or wrong, which is reported).
  public func optional<Value>(_ key: some MappingKey, default fallback: Value, _ read: (YAMLNode) throws -> Value)
    -> Value
  {
    optional(key, read) ?? fallback
  }

  /// Returns the items of a sequence, each decoded by `read`; nil if the key is absent or anything is wrong.
  public func list<Value>(
    _ key: some MappingKey, required: Bool = true, count: ClosedRange<Int> = 0 ... .max,
    _ read: (YAMLNode) throws -> Value
  ) -> [Value]? {
    guard let node = node(key, required: required),
      let items = decode(node, { try $0.sequence(count: count) })
    else { return nil }
    let values = items.map { decode($0, read) }
    let good = values.compactMap(\.self)
    return good.count == values.count ? good : nil
  }

  public func mapping<Value>(
    _ key: some MappingKey, required: Bool = true, _ body: (MappingReader) -> Value?
  ) -> Value? {
    node(key, required: required).flatMap { mapping($0, body) }
  }

  /// Reads a node as a mapping, for values that may have several forms.
  public func mapping<Value>(_ node: YAMLNode, _ body: (MappingReader) -> Value?) -> Value? {
    MappingReader.read(node, diagnostics: diagnostics, body)
  }

  /// Returns the node of a key, and adds the key to the valid ones; nil if it is absent.
  public func node(_ key: some MappingKey, required: Bool = false) -> YAMLNode? {
    let key = key.mappingKey
    named.append(key)
    if let entry = entries?.first(where: { $0.key == key }) { return entry.value }
    if required && entries != nil { missing.append(key) }
    return nil
  }

  /// Decodes a node; an error of `read` is reported at that node.
  public func decode<Value>(_ node: YAMLNode, _ read: (YAMLNode) throws -> Value) -> Value? {
    do {
      return try read(node)
    } catch let diagnostic as Diagnostic {
      diagnostics.report(diagnostic)
    } catch {
      diagnostics.report("\(node.subject): \(error)", at: node.position)
    }
    return nil
  }

  /// Reports an error that no single key causes; at the mapping itself unless a place is given.
  public func report(_ message: String, at position: SourcePosition? = nil) {
    diagnostics.report(message, at: position ?? self.position)
  }

  /// Permits unread keys: for a closure that returns early because it cannot know the valid ones. A key that looks like
  /// a missing required one is still reported.
  public func skipUnreadKeys() {
    skipsUnreadKeys = true
  }

  /// Explains keys that belong elsewhere.
  /// - Parameter advice: returns the remedy for a key that is not valid here; nil for an unknown one.
  public func explainUnknown(_ advice: @escaping (_ key: String) -> String?) { self.advice = advice }

  static func read<Value>(
    _ node: YAMLNode, diagnostics: Diagnostics, _ body: (MappingReader) -> Value?
  ) -> Value? {
    let reader = MappingReader(node, diagnostics: diagnostics)
    let value = body(reader)
    reader.finish()
    return reader.entries == nil ? nil : value
  }

  private init(_ node: YAMLNode, diagnostics: Diagnostics) {
    self.position = node.position
    self.subject = node.subject
    self.diagnostics = diagnostics
    do {
      self.entries = try node.entries()
    } catch {
      self.entries = nil
      diagnostics.report(error)
    }
  }

  private func finish() {
    var explained: Set<String> = []
    for entry in entries ?? [] where !named.contains(entry.key) {
      if let advice = advice(entry.key) {
        diagnostics.report("unknown key \(quoted(entry.key)); \(advice)", at: entry.keyPosition)
      } else if let meant = nearest(entry.key, among: missing) {
        explained.insert(meant)
        reportUnknown(entry, meant: meant)
      } else if !skipsUnreadKeys {
        reportUnknown(entry, meant: nearest(entry.key, among: named))
      }
    }
    for key in missing where !explained.contains(key) {
      diagnostics.report("required key \(quoted(key)) is missing from \(subject)", at: position)
    }
  }

  private func reportUnknown(_ entry: YAMLEntry, meant: String?) {
    let advice =
      if let meant {
        ", did you mean \(quoted(meant))?"
      } else if named.isEmpty {
        "; no keys are valid here"
      } else {
        "; valid here: \(listed(named.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }))"
      }
    diagnostics.report("unknown key \(quoted(entry.key))\(advice)", at: entry.keyPosition)
  }
}

/// A key of a mapping: its text, or a case that has the text.
public protocol MappingKey {
  var mappingKey: String { get }
}

extension String: MappingKey {
  public var mappingKey: String { self }
}

/// A key of a mapping that has its meaning beside it, for the reference.
public protocol DescribedKey: MappingKey, RawRepresentable, CaseIterable, Sendable where RawValue == String {
  /// The meaning, in a sentence or two, with the default.
  var meaning: String { get }
}

extension DescribedKey {
  public var mappingKey: String { rawValue }
}
