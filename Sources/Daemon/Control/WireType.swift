// The description of bodies, made from the types themselves: a decoder records the keys that a type asks for, and the
// type gives each key a meaning. So a key is declared once, as a property, and explained once, beside it.

import FoundationEssentials
import HTTP

/// A type of a JSON body, with the meaning of each of its keys.
protocol WireType: Codable, Recordable {
  /// The name in the description. Default: the type's own.
  static var schemaName: String { get }
  static var meaning: String { get }
  /// The meaning of each key; a test excludes that one is missing.
  static var meanings: KeyValuePairs<String, Meaning> { get }
  /// Further members of the schema.
  static var moreOfSchema: OrderedJSON.Members { get }
}

extension WireType {
  static var schemaName: String { "\(Self.self)" }
  static var moreOfSchema: OrderedJSON.Members { [] }

  static var form: Form { .object(Self.self) }
  static func sample() throws -> Self { try Self(from: RecordingDecoder(recorder: Recorder())) }

  /// The keys in the order in which they are declared.
  static var keys: [WireKey] {
    let recorder = Recorder()
    // It fails at a type that is not `Recordable`; the test of the meanings then misses the keys behind it.
    _ = try? Self(from: RecordingDecoder(recorder: recorder))
    return recorder.keys
  }
}

/// A key of a JSON object.
struct WireKey {
  let name: String
  let form: Form
  let isRequired: Bool
}

/// The form of a JSON value.
indirect enum Form: Sendable {
  case text, base64, flag, integer
  case list(Form)
  /// An object whose keys are names that clients choose.
  case map(Form)
  case object(any WireType.Type)
}

/// The meaning of a key, and its values if they are bounded.
struct Meaning: Sendable, ExpressibleByStringInterpolation {
  let text: String
  /// The words of which it is one; nil if it may be any.
  var words: [String]?
  var least: Int64?
  var most: Int64?

  init(stringLiteral text: String) { self.text = text }

  init(_ text: String) { self.text = text }

  /// The values of another meaning, without its text.
  init(bounds other: Meaning) {
    text = ""
    (words, least, most) = (other.words, other.least, other.most)
  }

  static func words(_ words: [String], _ text: String) -> Meaning {
    var meaning = Meaning(text)
    meaning.words = words
    return meaning
  }

  /// - Parameter words: the words, as an enumeration of the handset.
  static func one<Words: CaseIterable & RawRepresentable<String>>(of words: Words.Type, _ text: String) -> Meaning {
    .words(words.allCases.map(\.rawValue), text)
  }

  static func number(_ range: ClosedRange<Int64>, _ text: String) -> Meaning {
    var meaning = Meaning(text)
    (meaning.least, meaning.most) = (range.lowerBound, range.upperBound)
    return meaning
  }

  static func number(from least: Int64, _ text: String) -> Meaning {
    var meaning = Meaning(text)
    meaning.least = least
    return meaning
  }

  /// A number of things: 0 or more.
  static func count(_ text: String) -> Meaning { .number(from: 0, text) }
}

// MARK: - Recording

/// A type of a value in a body.
protocol Recordable: Decodable, Sendable {
  static var form: Form { get }
  static func sample() throws -> Self
}

extension String: Recordable {
  static var form: Form { .text }
  static func sample() -> String { "" }
}

extension Bool: Recordable {
  static var form: Form { .flag }
  static func sample() -> Bool { false }
}

extension Int: Recordable {
  static var form: Form { .integer }
  static func sample() -> Int { 0 }
}

extension Int64: Recordable {
  static var form: Form { .integer }
  static func sample() -> Int64 { 0 }
}

extension UInt64: Recordable {
  static var form: Form { .integer }
  static func sample() -> UInt64 { 0 }
}

extension Data: Recordable {
  static var form: Form { .base64 }
  static func sample() -> Data { Data() }
}

extension Array: Recordable where Element: Recordable {
  static var form: Form { .list(Element.form) }
  static func sample() -> [Element] { [] }
}

extension Dictionary: Recordable where Key == String, Value: Recordable {
  static var form: Form { .map(Value.form) }
  static func sample() -> [String: Value] { [:] }
}

/// The error at a type that cannot be recorded.
private struct NotRecordable: Error {}

private final class Recorder {
  private(set) var keys: [WireKey] = []
  /// The key that was asked for only if it is there.
  private var optional: String?

  func ask(_ key: String) { optional = key }

  func add(_ key: String, _ form: Form) {
    keys.append(WireKey(name: key, form: form, isRequired: optional != key))
    optional = nil
  }
}

/// A decoder of an object that has every key.
private struct RecordingDecoder: Decoder {
  let recorder: Recorder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingContainer<Key>(recorder: recorder))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotRecordable() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotRecordable() }
}

private struct RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: Recorder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  /// Called by `decodeIfPresent` alone.
  func contains(_ key: Key) -> Bool {
    recorder.ask(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let recordable = type as? any Recordable.Type, let value = try recordable.sample() as? Value else {
      throw NotRecordable()
    }
    recorder.add(key.stringValue, recordable.form)
    return value
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw NotRecordable() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NotRecordable() }
  func superDecoder() throws -> any Decoder { throw NotRecordable() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NotRecordable() }
}

// MARK: - Types of other modules

extension ErrorBody: WireType {
  static let meaning = "The reason why a request was refused."
  static let meanings: KeyValuePairs<String, Meaning> = [
    "error": "The fault.", "hint": "What to do next.",
  ]
}
