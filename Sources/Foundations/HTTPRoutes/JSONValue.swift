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
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode([String: JSONValue].self) {
      self = .object(value)
    } else if let value = try? single.decode([JSONValue].self) {
      self = .array(value)
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? single.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? single.decode(Decimal.self) {
      self = .decimal(value)
    } else {
      self = .double(try single.decode(Double.self))
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

  /// Reads a JSON object.
  /// - Throws: `JSONProblem`, which explains the fault.
  public static func object(in bytes: [UInt8]) throws(JSONProblem) -> [String: JSONValue] {
    let value: JSONValue
    do {
      value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    } catch {
      // FoundationEssentials does not report the position.
      throw JSONProblem(reason: "this is not JSON; 'python3 -m json.tool' shows where the mistake is")
    }
    guard case .object(let object) = value else { throw JSONProblem(reason: "this is JSON, but no object {…}") }
    return object
  }
}

/// The reason why bytes are no JSON object.
public struct JSONProblem: Error {
  public let reason: String

  public init(reason: String) {
    self.reason = reason
  }
}

extension Encodable {
  /// Returns JSON without spaces. The keys are sorted, so that equal values are equal bytes.
  /// - Throws: `EncodingError` for a number that JSON cannot express.
  public func sortedJSON() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(self))
  }
}
