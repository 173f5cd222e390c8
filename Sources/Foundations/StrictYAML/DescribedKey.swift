/// A key of a mapping that has its meaning beside it, for the reference.
public protocol DescribedKey: RawRepresentable, CaseIterable, Sendable where RawValue == String {
  /// The meaning, in a sentence or two, with the default.
  var meaning: String { get }
}

/// Readings by a described key.
extension MappingReader {
  public func required<Value>(_ key: some DescribedKey, _ read: (YAMLNode) throws -> Value) -> Value? {
    required(key.rawValue, read)
  }

  public func optional<Value>(_ key: some DescribedKey, _ read: (YAMLNode) throws -> Value) -> Value? {
    optional(key.rawValue, read)
  }

  public func optional<Value>(
    _ key: some DescribedKey, default fallback: Value, _ read: (YAMLNode) throws -> Value
  ) -> Value {
    optional(key.rawValue, default: fallback, read)
  }

  public func list<Value>(
    _ key: some DescribedKey, required: Bool = true, _ read: (YAMLNode) throws -> Value
  ) -> [Value]? {
    list(key.rawValue, required: required, read)
  }

  public func mapping<Value>(
    _ key: some DescribedKey, required: Bool = true, _ body: (MappingReader) -> Value?
  ) -> Value? {
    mapping(key.rawValue, required: required, body)
  }
}
