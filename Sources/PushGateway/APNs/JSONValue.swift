// A payload is anybody's JSON. `JSONDecoder` parses it; this is the shape it is decoded into, so that a wrong value in
// one place costs that place and not the push.

import FoundationEssentials

/// Any JSON value. Of a key that comes twice in an object the first counts, as `JSONDecoder` has it.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number with a fraction, or too large for an integer.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Why bytes are not taken as JSON.
  struct Malformed: Error, Hashable {
    var detail: String
  }

  /// - Parameter depth: how deep arrays and objects may be nested.
  static func decode(_ bytes: [UInt8], depth: Int) throws(Malformed) -> JSONValue {
    // JSONDecoder also reads UTF-16 and UTF-32, which JSON on the network is not [RFC 8259, 8.1]. They have zeros.
    guard !bytes.contains(0) else { throw Malformed(detail: "the body is not JSON in UTF-8") }
    guard !hasTrailingComma(bytes) else { throw Malformed(detail: "the body has a comma before a closing bracket") }
    let decoder = JSONDecoder()
    if let depthKey { decoder.userInfo[depthKey] = depth }
    do {
      return try decoder.decode(JSONValue.self, from: Data(bytes))
    } catch let error as TooDeep {
      throw Malformed(detail: "the body is nested deeper than \(error.limit) levels")
    } catch {
      throw Malformed(detail: "the body is not JSON")
    }
  }

  /// JSONDecoder reads over a comma that no value follows; JSON has none there [RFC 8259, 4 and 5], and a payload that
  /// only passes here would be refused by Apple's service.
  private static func hasTrailingComma(_ bytes: [UInt8]) -> Bool {
    var isInString = false
    var isEscaped = false
    var isAfterComma = false
    for byte in bytes {
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if isAfterComma { return true }
      default: isInString = byte == UInt8(ascii: "\"")
      }
      isAfterComma = byte == UInt8(ascii: ",")
    }
    return false
  }

  /// What it is, for a message: `a string`.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// As it came, as far as that matters to whoever reads it in an event.
  var quote: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): quoted(value)
    case .array, .object: kind
    }
  }
}

private struct TooDeep: Error {
  var limit: Int
}

private let depthKey = CodingUserInfoKey(rawValue: "payloadDepth")

extension JSONValue: Decodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      return nil
    }
  }

  // In the order of how often each occurs: a miss makes JSONDecoder compose an error, which is slow.
  init(from decoder: any Decoder) throws {
    let limit = depthKey.flatMap { decoder.userInfo[$0] as? Int } ?? 0
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let object = try? decoder.container(keyedBy: Key.self) {
      guard decoder.codingPath.count < limit else { throw TooDeep(limit: limit) }
      var members: [String: JSONValue] = [:]
      for key in object.allKeys {
        members[key.stringValue] = try object.decode(JSONValue.self, forKey: key)
      }
      self = .object(members)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else {
      var array = try decoder.unkeyedContainer()
      guard decoder.codingPath.count < limit else { throw TooDeep(limit: limit) }
      var elements: [JSONValue] = []
      while !array.isAtEnd { elements.append(try array.decode(JSONValue.self)) }
      self = .array(elements)
    }
  }
}
