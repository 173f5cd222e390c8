// The values of a property list, and their form in the JSON that an app receives.

import HTTP

/// A value of a property list [Apple, PropertyList-1.0.dtd].
enum PropertyListValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// A date in ISO 8601, checked, and kept as it was written.
  case date(String)
  /// Base64 without white space.
  case data(String)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// The kind of the value, for a message: `a string`.
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

extension PropertyListValue {
  /// The value in JSON: dates and data, which JSON does not have, are the strings that were written.
  var json: JSONValue {
    switch self {
    case .string(let text), .date(let text), .data(let text): .string(text)
    case .integer(let number): .integer(number)
    case .real(let number): .double(number)
    case .boolean(let flag): .bool(flag)
    case .array(let elements): .array(elements.map(\.json))
    case .dictionary(let members): .object(members.mapValues(\.json))
    }
  }
}
