// A payload is JSON from any sender. One call into C has simdjson read it into a flat list of values; the types here
// are views into that list. Swift values are made only of the parts that are read, so the rest of a payload costs
// little however it is nested, and a wrong value costs only itself and not the push.

import CJSONReader
import HTTP

/// The reason why bytes are not accepted as a JSON object.
enum MalformedJSON: Error, Hashable {
  case notUTF8, notObject, tooDeep
  /// The bytes break the grammar of RFC 8259.
  case grammar

  /// Returns the fault of a request's body, for its sender: the place, and the token expected there.
  func detail(in body: [UInt8], depth: Int, expected: String = "a JSON object") -> String {
    switch self {
    case .notUTF8: "the body is not JSON in UTF-8"
    case .notObject: "the body is no object; expected \(expected)"
    case .tooDeep: "the body is nested deeper than \(depth) levels"
    case .grammar: "the body is not JSON" + (JSONFault(in: body).map { ": \($0)" } ?? "")
    }
  }
}

/// One value of a text that is being read. Valid only inside the closure of `JSONObject.read`.
struct JSONElement {
  fileprivate let value: UnsafePointer<json_value>

  enum Kind: Hashable {
    case null, bool, number, string, array, object
  }

  var kind: Kind {
    switch json_kind(rawValue: UInt32(value.pointee.kind)) {
    case JSON_FALSE, JSON_TRUE: .bool
    case JSON_NUMBER: .number
    case JSON_STRING: .string
    case JSON_ARRAY: .array
    case JSON_OBJECT: .object
    default: .null
    }
  }

  /// The name of a member of an object.
  var name: String { String(decoding: nameBytes, as: UTF8.self) }

  func has(name: String) -> Bool { nameBytes.count == name.utf8.count && nameBytes.elementsEqual(name.utf8) }

  fileprivate var nameBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: value.pointee.key, count: Int(value.pointee.key_length))
  }

  var isNull: Bool { kind == .null }

  var string: String? { kind == .string ? text : nil }

  /// Returns the beginning of a string, of at most `limit` bytes, and reads no more.
  func string(bytes limit: Int) -> String? {
    guard kind == .string else { return nil }
    // One more scalar shows whether a character ends at the limit.
    let bytes = UnsafeRawBufferPointer(start: value.pointee.text, count: min(Int(value.pointee.text_length), limit + 4))
    return String(decoding: bytes, as: UTF8.self).prefix(bytes: limit)
  }

  var bool: Bool? { kind == .bool ? UInt32(value.pointee.kind) == JSON_TRUE.rawValue : nil }

  /// A whole number of 64 bits; also one written as `1.0`, as some encoders do.
  var integer: Int64? {
    guard kind == .number else { return nil }
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    if textBytes.count <= 18, textBytes.allSatisfy(isDigit) {
      return textBytes.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let text = text
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
      return Int64(text)
    }
    return Double(text).flatMap(Int64.init(exactly:))
  }

  /// A number as the nearest `Double`; infinite if it is too large.
  var double: Double? { kind == .number ? Double(text) : nil }

  var object: JSONObject? { kind == .object ? JSONObject(value: value) : nil }

  var array: JSONElements? { kind == .array ? JSONElements(in: value) : nil }

  /// The largest size in bytes of a name that is compared as text, which is slow for names with many combining marks.
  static let nameLimit = 256

  /// Returns false if the value is longer as JSON, in its shortest form, or contains a name beyond the name limit.
  func fits(in limit: Int) -> Bool {
    // All values inside it follow it; each value has a separator.
    guard value.pointee.size <= limit else { return false }
    var bytes = 0
    for place in 0..<Int(value.pointee.size) where bytes <= limit {
      guard value[place].key_length <= JSONElement.nameLimit else { return false }
      bytes += 1 + Int(value[place].key_length) + Int(value[place].text_length)
    }
    return bytes <= limit
  }

  /// The kind of the value, for a message: `a string`.
  var kindName: String {
    switch kind {
    case .null: "null"
    case .bool: UInt32(value.pointee.kind) == JSON_TRUE.rawValue ? "true" : "false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value as it was sent, shortened for events.
  var quote: String {
    switch kind {
    case .null, .bool, .array, .object: kindName
    case .number: shortened(text)
    case .string: quoted(text)
    }
  }

  /// A number as it was sent; empty for other values.
  var numberText: String { kind == .number ? text : "" }

  /// The elements of an array, or the members of an object.
  var all: JSONElements { JSONElements(in: value) }

  private var text: String { String(decoding: textBytes, as: UTF8.self) }

  private var textBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: value.pointee.text, count: Int(value.pointee.text_length))
  }
}

/// A JSON object of a text that is being read.
struct JSONObject {
  fileprivate let value: UnsafePointer<json_value>

  /// Reads `bytes` and passes the object to `body`. `body` must not keep any part of it, and must not read another
  /// text: both would use the same memory, which belongs to the thread.
  static func read<Result>(
    _ bytes: [UInt8], depth: Int, _ body: (JSONObject) -> Result
  ) throws(MalformedJSON) -> Result {
    let reading = bytes.withUnsafeBufferPointer { json_read($0.baseAddress, $0.count, UInt32(clamping: depth)) }
    guard let values = reading.values else {
      switch reading.problem {
      case JSON_NOT_UTF8: throw .notUTF8
      case JSON_NOT_OBJECT: throw .notObject
      case JSON_TOO_DEEP: throw .tooDeep
      default: throw .grammar
      }
    }
    return body(JSONObject(value: values))
  }

  var elements: JSONElements { JSONElements(in: value) }

  /// Returns the members whose names are in `Name`, the first of each, and up to `limit` others in order.
  func members<Name: JSONName>(
    _ names: JSONNames<Name>, unknown limit: Int = 0
  ) -> (known: JSONMembers<Name>, unknown: [JSONElement]) {
    var known = JSONMembers<Name>()
    var unknown: [JSONElement] = []
    for member in JSONElements(in: value) {
      if let name = names[member.nameBytes] {
        if known.all.isEmpty { known.all.reserveCapacity(6) }
        if known[name] == nil { known.all.append((name, member)) }
      } else if unknown.count < limit {
        unknown.append(member)
      }
    }
    return (known, unknown)
  }
}

/// The members of an object whose names are known, in order: so few that comparing each is quicker than a dictionary.
struct JSONMembers<Name: JSONName> {
  fileprivate(set) var all: [(name: Name, element: JSONElement)] = []

  subscript(name: Name) -> JSONElement? { all.first { $0.name == name }?.element }
}

/// The elements of an array or object, in order.
struct JSONElements: Sequence, IteratorProtocol {
  private var at: UnsafePointer<json_value>
  private let end: UnsafePointer<json_value>

  fileprivate init(in container: UnsafePointer<json_value>) {
    at = container + 1
    end = container + Int(container.pointee.size)
  }

  mutating func next() -> JSONElement? {
    guard at < end else { return nil }
    defer { at += Int(at.pointee.size) }
    return JSONElement(value: at)
  }

  var count: Int { reduce(0) { count, _ in count + 1 } }
}

/// The names that members of one object can have.
typealias JSONName = CaseIterable & Hashable & RawRepresentable<String> & Sendable

/// Finds a name by its bytes, without making a `String` of every name.
struct JSONNames<Name: JSONName>: Sendable {
  /// The texts one after the other, and the place and name of each; those of one length together.
  private var text: [UInt8] = []
  private var entries: [(start: Int, name: Name)] = []
  private var byLength: [Range<Int>] = []

  /// - Parameter others: further texts that stand for a name.
  init(also others: [Name: [String]] = [:]) {
    let all = Name.allCases.flatMap { name in ([name.rawValue] + others[name, default: []]).map { (name, $0.utf8) } }
    for length in 0...(all.map(\.1.count).max() ?? 0) {
      let first = entries.count
      for (name, bytes) in all where bytes.count == length {
        entries.append((text.count, name))
        text += bytes
      }
      byLength.append(first..<entries.count)
    }
  }

  fileprivate subscript(bytes: UnsafeRawBufferPointer) -> Name? {
    guard bytes.count < byLength.count else { return nil }
    return text.withUnsafeBytes { text in
      for place in byLength[bytes.count] {
        let start = entries[place].start
        if bytes.hasBytes(of: UnsafeRawBufferPointer(rebasing: text[start..<(start + bytes.count)])) {
          return entries[place].name
        }
      }
      return nil
    }
  }
}
