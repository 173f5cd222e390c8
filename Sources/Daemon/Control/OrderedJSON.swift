// JSON for people: the members of an object stay in the order in which they were given.

import FoundationEssentials

/// A JSON value whose objects have an order.
indirect enum OrderedJSON: Sendable {
  typealias Members = [(String, OrderedJSON)]

  case text(String)
  case number(Int64)
  case flag(Bool)
  case list([OrderedJSON])
  case object(Members)
  /// JSON as it is.
  case written(String)

  /// Encodes a value on one line, with sorted keys.
  init(encoding value: any Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The values are strings, numbers and objects of them, which always encode.
    self = .written((try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null")
  }

  /// Returns the text, each line after the first behind `indent`.
  func text(indent: String = "") -> String {
    let inner = indent + "  "
    func lines(_ items: [String], _ open: String, _ close: String) -> String {
      items.isEmpty ? open + close : "\(open)\n\(inner)\(items.joined(separator: ",\n" + inner))\n\(indent)\(close)"
    }
    return switch self {
    case .text(let text): OrderedJSON.quoted(text)
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let items): lines(items.map { $0.text(indent: inner) }, "[", "]")
    case .object(let members):
      lines(members.map { "\(OrderedJSON.quoted($0.0)): \($0.1.text(indent: inner))" }, "{", "}")
    case .written(let text): text
    }
  }

  private static func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}

extension OrderedJSON: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(arrayLiteral items: OrderedJSON...) { self = .list(items) }
  init(dictionaryLiteral members: (String, OrderedJSON)...) { self = .object(members) }
}
