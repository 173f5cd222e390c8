import FoundationEssentials

/// Any JSON value. Its meaning is kept when it is sent on: whole numbers stay whole, and decimals keep their digits.
public enum JSONValue: Sendable, Hashable, Codable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case decimal(Decimal)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  public init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    func read<Value: Decodable>(_ make: (Value) -> JSONValue) -> JSONValue? {
      (try? single.decode(Value.self)).map(make)
    }
    if single.decodeNil() {
      self = .null
    } else if let value = read(JSONValue.object) ?? read(JSONValue.array) ?? read(JSONValue.bool) {
      self = value
    } else if let value = read(JSONValue.string) ?? read(JSONValue.integer) ?? read(JSONValue.unsigned) {
      self = value
    } else {
      self = try read(JSONValue.decimal) ?? .double(single.decode(Double.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    case .null: try single.encodeNil()
    case .bool(let value): try single.encode(value)
    case .integer(let value): try single.encode(value)
    case .unsigned(let value): try single.encode(value)
    case .decimal(let value): try single.encode(value)
    case .double(let value): try single.encode(value)
    case .string(let value): try single.encode(value)
    case .array(let value): try single.encode(value)
    case .object(let value): try single.encode(value)
    }
  }
}

extension Encodable {
  /// Returns JSON without spaces, its keys sorted, so that equal values are equal bytes.
  /// - Throws: `EncodingError` for a number that JSON cannot express.
  public func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(self))
  }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self = .string(text) }
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }
  public init(arrayLiteral items: JSONValue...) { self = .array(items) }
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(members) { _, last in last })
  }
}
