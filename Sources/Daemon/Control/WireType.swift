// The description of bodies, made from the types themselves: a decoder records the keys that a type asks for, and the
// type gives each key a meaning. So a key is declared once, as a property, and explained once, beside it.

import FoundationEssentials
import HTTP
import HandsetCore
import PushPort

/// A type of a JSON body, with the meaning of each of its keys.
protocol WireType: Codable, Recordable {
  /// The name in the description. Default: the type's own.
  static var schemaName: String { get }
  static var meaning: String { get }
  /// The meanings of its keys, except those with the usual one; a test excludes that one is missing.
  static var meanings: [String: Meaning] { get }
  static var moreOfSchema: [String: JSONValue] { get }
}

extension WireType {
  static var schemaName: String { "\(Self.self)" }
  static var meanings: [String: Meaning] { [:] }
  static var moreOfSchema: [String: JSONValue] { [:] }

  static var form: Form { .object(Self.self) }
  static func sample() throws -> Self { try Self(from: Recorder()) }

  static func meaning(of key: String) -> Meaning { meanings[key] ?? Meaning.usual[key] ?? "" }

  /// The keys in the order in which they are declared.
  static var keys: [WireKey] {
    let recorder = Recorder()
    // It fails at a type that is not `Recordable`; the test of the meanings then misses the keys behind it.
    _ = try? Self(from: recorder)
    return recorder.keys
  }
}

typealias WireKey = (name: String, form: Form, isRequired: Bool)

indirect enum Form: Sendable {
  case text, base64, flag, integer, number
  case anyObject
  case list(Form)
  /// An object whose keys are names that clients choose.
  case map(Form)
  case object(any WireType.Type)
  case either([any WireType.Type])
}

/// The meaning of a key, and its values if they are bounded.
struct Meaning: Sendable, ExpressibleByStringInterpolation {
  let text: String
  /// The members of the schema that bound the value.
  let bounds: [String: JSONValue]

  init(_ text: String, _ bounds: [String: JSONValue] = [:]) { (self.text, self.bounds) = (text, bounds) }

  init(stringLiteral text: String) { self.init(text, [:]) }

  static func words(_ words: [String], _ text: String) -> Meaning {
    Meaning(text, ["enum": .array(words.map(JSONValue.string))])
  }

  static func one<Words: CaseIterable & RawRepresentable<String>>(of words: Words.Type, _ text: String) -> Meaning {
    .words(words.allCases.map(\.rawValue), text)
  }

  static func number(_ range: ClosedRange<Int64>, _ text: String) -> Meaning {
    Meaning(text, ["minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
  }

  static func number(from least: Int64, _ text: String) -> Meaning { Meaning(text, ["minimum": .integer(least)]) }

  /// A number of things: 0 or more.
  static func count(_ text: String) -> Meaning { .number(from: 0, text) }

  /// The meanings of keys that have the same one in several types.
  static let usual: [String: Meaning] = [
    "app": "The bundle identifier.",
    "apps": .count("The number of installed apps."),
    "badge": .count("The number on the app's icon; 0 clears it."),
    "body": "The message.",
    "bytes": "The bytes of texts and payloads.",
    "collapseID": "The value of apns-collapse-id: a later push with the same one replaces it.",
    "deviceID": "The device ID in the 2008 service: 40 hexadecimal digits.",
    "environment": .one(
      of: CredentialEnvironment.self, "The one of Apple's two services for which the credential is valid."),
    "error": "The fault.",
    "handset": "The handset's name.",
    "hint": "The remedy.",
    "isOnBoard": "True if it is the handset on the board.",
    "keyID": "10 letters and digits: the token's kid.",
    "level": .one(of: InterruptionLevel.self, "The interruption level; absent is active."),
    "milliseconds": .count("The length."),
    "name": "The name.",
    "notes": "The parts that were not installed, and why.",
    "push": "The identifier of the push.",
    "sound": "A sound of the app's bundle, by its name, or default.",
    "steps": "The steps of one repetition of the pattern.",
    "subtitle": "The line below the title.",
    "teamID": "10 letters and digits: the token's iss.",
    "text": "The text, for an action that takes one: at most 4096 bytes of UTF-8.",
    "threadID": "The thread: notifications with the same one are grouped.",
    "title": "The title.",
    "token": "The device token that the app's provider sends to: lower-case hexadecimal digits.",
    "unseen": .count("Notifications that are listed and not seen."),
    "uptimeMicroseconds": Meaning(
      "The uptime on the handset's clock: since the board booted, unless the clock is a virtual one."),
    "value": "on, off, or one of the key's own words.",
    "wallMicroseconds": "Microseconds since 1970-01-01T00:00:00Z.",
  ]
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

extension Recordable where Self: FixedWidthInteger {
  static var form: Form { .integer }
  static func sample() -> Self { 0 }
}

extension Int: Recordable {}
extension Int64: Recordable {}
extension UInt64: Recordable {}

extension Double: Recordable {
  static var form: Form { .number }
  static func sample() -> Double { 0 }
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

private struct NotRecordable: Error {}

/// A decoder of an object that has every key, which records them.
private final class Recorder: Decoder {
  private(set) var keys: [WireKey] = []
  /// The key that was asked for only if it is there.
  private var optional: String?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func ask(_ key: String) { optional = key }

  func add(_ key: String, _ form: Form) {
    keys.append((name: key, form: form, isRequired: optional != key))
    optional = nil
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingContainer<Key>(recorder: self))
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

// MARK: - Requests

/// The JSON body of a request. A mistyped key is refused: ignoring it would hide the error.
protocol RequestBody: WireType {}

extension RequestBody {
  static var moreOfSchema: [String: JSONValue] { ["additionalProperties": false] }

  /// - Parameter path: the keys that lead to the object.
  /// - Throws: `ControlError` 400 with the nearest key.
  fileprivate static func requireKnownKeys(
    in object: KeyedDecodingContainer<AnyKey>, at path: [String] = []
  ) throws(ControlError) {
    let keys = Self.keys
    let known = keys.map(\.name)
    let unknown = object.allKeys.map(\.stringValue).filter { !known.contains($0) }
    if let key = unknown.min() {
      let place = (path + [shown(key)]).joined(separator: ".")
      throw ControlError(400, "unknown key '\(place)'", hint: hint(for: key, among: known))
    }
    for key in keys {
      // The decoder reports absent values, and those of another type.
      guard case .object(let type) = key.form, let body = type as? any RequestBody.Type,
        let inner = try? object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key.name))
      else { continue }
      try body.requireKnownKeys(in: inner, at: path + [key.name])
    }
  }
}

private struct Checked<Body: RequestBody>: Decodable {
  var body: Body

  init(from decoder: any Decoder) throws {
    try Body.requireKnownKeys(in: decoder.container(keyedBy: AnyKey.self))
    body = try Body(from: decoder)
  }
}

extension HTTPRequest {
  /// Returns the JSON body.
  /// - Throws: `ControlError` or `HTTPError` 400 with the key and its error.
  func body<Body: RequestBody>(_ type: Body.Type = Body.self) throws -> Body {
    try json(Checked<Body>.self).body
  }
}

// MARK: - Types of other modules

extension ErrorBody: WireType {
  static let meaning = "The reason why a request was refused."
}
