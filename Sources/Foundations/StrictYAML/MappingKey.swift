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
