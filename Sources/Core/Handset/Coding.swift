// The JSON form of values, in recorded inputs, in stored requests and wherever a value leaves the program. It uses the
// names that people know, so that a line can be read and written by hand and does not change with a type's
// implementation. What 0.7.3 and later releases wrote is read for ever: no key or word changes, and an added field may
// be absent.

/// A value that is written as one text, number or list. Public, because every module must be able to decode public
/// types.
public protocol SingleValueCodable: Codable {
  associatedtype Coded: Codable
  var coded: Coded { get }
  init?(coded: Coded)
}

extension SingleValueCodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let coded = try container.decode(Coded.self)
    guard let value = Self(coded: coded) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(coded)' is no \(Self.self)")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(coded)
  }
}

/// A key with any text.
public struct AnyKey: CodingKey {
  public var stringValue: String
  public var intValue: Int? { nil }

  public init(_ text: String) { stringValue = text }
  public init(stringValue: String) { self.init(stringValue) }
  public init?(intValue: Int) { nil }
}

/// A value that is left out if it is the usual one.
protocol OmittedWhenUsual: Codable, Equatable {
  static var usual: Self { get }
}

extension BadgeRequest: OmittedWhenUsual { static let usual = BadgeRequest.absent }
extension SoundRequest: OmittedWhenUsual { static let usual = SoundRequest.none }
extension Expiration: OmittedWhenUsual { static let usual = Expiration.once }

/// A flag that is left out if it is false.
@propertyWrapper
public struct WrittenWhereTrue: Hashable, Sendable, SingleValueCodable, OmittedWhenUsual {
  static let usual = WrittenWhereTrue(wrappedValue: false)
  public var wrappedValue: Bool
  public var coded: Bool { wrappedValue }

  public init(wrappedValue: Bool) { self.wrappedValue = wrappedValue }
  public init(coded: Bool) { self.init(wrappedValue: coded) }
}

/// The key of a table's rows.
protocol TableKey: Codable, Hashable, Comparable {
  static var column: Column { get }
}

/// The name of a key's column.
enum Column: String, CodingKey {
  case app, token, node
}

extension AppID: TableKey { static let column = Column.app }
extension SlotKey: TableKey { static let column = Column.app }
extension DeviceToken: TableKey { static let column = Column.token }
extension NodeID: TableKey { static let column = Column.node }

/// One row: its key is written among the fields of its value.
private struct TableRow<Key: TableKey, Value: Codable>: Codable {
  var key: Key
  var value: Value
}

extension TableRow {
  init(from decoder: any Decoder) throws {
    key = try decoder.container(keyedBy: Column.self).decode(Key.self, forKey: Key.column)
    value = try Value(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Column.self)
    try container.encode(key, forKey: Key.column)
    try value.encode(to: encoder)
  }
}

// The compiler's code for a `Codable` type calls these where they fit: they are more specific than the library's.

extension KeyedEncodingContainer {
  /// Encodes `[seconds, attoseconds]`, exact: events round to microseconds, and must round as they did.
  mutating func encode(_ duration: Duration, forKey key: Key) throws {
    var parts = nestedUnkeyedContainer(forKey: key)
    try parts.encode(duration.components.seconds)
    try parts.encode(duration.components.attoseconds)
  }

  mutating func encodeIfPresent(_ duration: Duration?, forKey key: Key) throws {
    if let duration { try encode(duration, forKey: key) }
  }

  /// Encodes Base64; an empty list is left out.
  mutating func encode(_ bytes: [UInt8], forKey key: Key) throws {
    if !bytes.isEmpty { try encode(Base64.text(of: bytes), forKey: key) }
  }

  mutating func encode<Value: OmittedWhenUsual>(_ value: Value, forKey key: Key) throws {
    try encodeIfPresent(value == .usual ? nil : value, forKey: key)
  }

  /// Encodes a set in an order that is always the same; the tables below do the same.
  mutating func encode<Element: Codable & Hashable>(_ set: Set<Element>, forKey key: Key) throws {
    try encode(set.sorted { "\($0)" < "\($1)" }, forKey: key)
  }

  mutating func encode<RowKey: TableKey, Value: Codable>(_ table: [RowKey: Value], forKey key: Key) throws {
    try encode(table.map { TableRow(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }, forKey: key)
  }

  mutating func encode<RowKey: TableKey, Value: Codable>(_ table: [RowKey: [Value]], forKey key: Key) throws {
    let rows = table.sorted { $0.key < $1.key }.flatMap { key, values in values.map { TableRow(key: key, value: $0) } }
    try encode(rows, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
    var parts = try nestedUnkeyedContainer(forKey: key)
    return Duration(secondsComponent: try parts.decode(Int64.self), attosecondsComponent: try parts.decode(Int64.self))
  }

  func decodeIfPresent(_: Duration.Type, forKey key: Key) throws -> Duration? {
    try contains(key) && !decodeNil(forKey: key) ? decode(Duration.self, forKey: key) : nil
  }

  func decode(_: [UInt8].Type, forKey key: Key) throws -> [UInt8] {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return [] }
    guard let bytes = Base64.bytes(of: text) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "it is no Base64")
    }
    return bytes
  }

  func decode<Value: OmittedWhenUsual>(_: Value.Type, forKey key: Key) throws -> Value {
    try decodeIfPresent(Value.self, forKey: key) ?? Value.usual
  }

  /// Returns an empty list if it is absent.
  func decode<Element: Decodable>(_: [Element].Type, forKey key: Key) throws -> [Element] {
    try decodeIfPresent([Element].self, forKey: key) ?? []
  }

  func decode<Element: Codable>(_: SortedSet<Element>.Type, forKey key: Key) throws -> SortedSet<Element> {
    SortedSet(ascending: try decode([Element].self, forKey: key))
  }

  func decode<RowKey: TableKey, Value: Codable>(_: [RowKey: Value].Type, forKey key: Key) throws -> [RowKey: Value] {
    let rows = try decode([TableRow<RowKey, Value>].self, forKey: key)
    return Dictionary(rows.map { ($0.key, $0.value) }) { $1 }
  }

  func decode<RowKey: TableKey, Value: Codable>(
    _: [RowKey: [Value]].Type, forKey key: Key
  ) throws -> [RowKey: [Value]] {
    let rows = try decode([TableRow<RowKey, Value>].self, forKey: key)
    return Dictionary(grouping: rows, by: \.key).mapValues { $0.map(\.value) }
  }
}

/// Base64 with padding [RFC 4648, section 4].
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values = Dictionary(uniqueKeysWithValues: zip(digits, UInt32(0)...))

  static func text(of bytes: [UInt8]) -> String {
    let digits = digits
    return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
      var end = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let count = min(3, bytes.count - start)
        var bits: UInt32 = 0
        for place in 0..<3 { bits = bits << 8 | (place < count ? UInt32(bytes[start + place]) : 0) }
        for place in 0..<4 {
          let digit = Int(bits >> UInt32(18 - 6 * place) & 63)
          text[end] = place <= count ? digits[digit] : UInt8(ascii: "=")
          end += 1
        }
      }
      return end
    }
  }

  /// Returns the bytes; nil if the text is not Base64.
  static func bytes(of text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for (place, digit) in text.dropLast(padding).enumerated() {
      guard let value = values[digit] else { return nil }
      bits = bits << 6 | value
      if place % 4 != 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (place % 4)))) }
    }
    return bytes
  }
}
