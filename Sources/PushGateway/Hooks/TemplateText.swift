// Titles and texts of hooks: words with places in double braces, which name values of the body by their path. A library's
// templates would bring all of Foundation, or more than a place by its path.

/// A text with places: the first of its candidates of which every place has a value.
public struct TemplateText: Hashable, Sendable {
  private enum Piece: Hashable, Sendable {
    case text(String)
    /// `alerts.*.labels.alertname`: names, numbers for elements of an array, `*` for all of them.
    case place([String])
  }

  /// Candidates, and bytes of one.
  public static let limits = (candidates: 16, bytes: 1_024)
  /// Elements that `*` stands for, and values that it joins.
  private static let elementLimit = 32

  private let candidates: [[Piece]]

  /// - Throws: `TemplateError` where braces are not closed, or a place is empty.
  public init(_ candidates: [String]) throws(TemplateError) {
    guard (1...TemplateText.limits.candidates).contains(candidates.count) else {
      throw TemplateError("1 to \(TemplateText.limits.candidates) texts are expected")
    }
    self.candidates = try candidates.map { (text) throws(TemplateError) in try TemplateText.pieces(text) }
  }

  private static func pieces(_ text: String) throws(TemplateError) -> [Piece] {
    guard text.utf8.count <= limits.bytes else { throw TemplateError("it has more than \(limits.bytes) bytes") }
    var pieces: [Piece] = []
    var rest = Substring(text)
    while let open = rest.firstRange(of: "{{") {
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
        throw TemplateError("'{{' without '}}' in '\(text)'")
      }
      if open.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<open.lowerBound]))) }
      let path = rest[open.upperBound..<close.lowerBound].trimmingSpaces.split(
        separator: ".", omittingEmptySubsequences: false)
      guard !path.contains("") else { throw TemplateError("'\(text)': a place has a path such as {{alert.name}}") }
      pieces.append(.place(path.map(String.init)))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    return pieces
  }

  /// Nil where no candidate has a value for each of its places.
  func filled(from value: JSONValue) -> String? {
    for candidate in candidates {
      var result: String? = ""
      for piece in candidate {
        switch piece {
        case .text(let text): result? += text
        case .place(let path):
          if let text = value.text(at: path[...], limit: TemplateText.elementLimit) {
            result? += text
          } else {
            result = nil
          }
        }
      }
      if let result, !result.isEmpty { return result }
    }
    return nil
  }
}

/// What is wrong with a template.
public struct TemplateError: Error, Hashable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

extension JSONValue {
  /// The text of what is there; nil where there is nothing, or nothing that is a text.
  fileprivate func text(at path: ArraySlice<String>, limit: Int) -> String? {
    guard let name = path.first else {
      switch self {
      case .string(let text): return text.isEmpty ? nil : text
      case .integer(let number): return String(number)
      case .double(let number): return number.description
      case .bool(let value): return value ? "true" : "false"
      case .array, .object, .null: return nil
      }
    }
    switch self {
    case .object(let values): return values[name]?.text(at: path.dropFirst(), limit: limit)
    case .array(let values) where name == "*":
      var texts: [String] = []
      for value in values.prefix(limit) {
        if let text = value.text(at: path.dropFirst(), limit: limit), !texts.contains(text) { texts.append(text) }
      }
      return texts.isEmpty ? nil : texts.joined(separator: ", ")
    case .array(let values):
      guard let index = Int(name), values.indices.contains(index) else { return nil }
      return values[index].text(at: path.dropFirst(), limit: limit)
    default: return nil
    }
  }
}
