// What a property list can hold, and what becomes of it in the JSON that an app is given.

/// A value of a property list [Apple, PropertyList-1.0.dtd].
enum PropertyListValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// ISO 8601 as it was written; checked.
  case date(String)
  /// In base64, without the white space.
  case data(String)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// What it is, for a message: `a string`.
  var kind: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .real: "a real"
    case .boolean: "a boolean"
    case .date: "a date"
    case .data: "data"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

extension PropertyListValue: Encodable {
  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      return nil
    }
  }

  /// Dates and data, which JSON does not have, as the strings they were written as.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let text), .date(let text), .data(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .real(let number): try container.encode(number)
    case .boolean(let flag): try container.encode(flag)
    case .array(let elements): try container.encode(elements)
    case .dictionary(let members): try container.encode(members)
    }
  }
}
