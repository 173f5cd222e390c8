/// A title or a text of a hook: words with places in double braces, which name values of the body by path. It is the
/// first of its candidates whose places all have values. A template library would need all of Foundation, or do more
/// than that.
public struct TemplateText: Hashable, Sendable {
  private enum Piece: Hashable, Sendable {
    case text(String)
    /// `alerts.*.labels.alertname`, `alerts[status=firing].labels.alertname`; or several, of which the first with a
    /// value counts: `release.name|release.tag_name`.
    case place([[TemplateStep]])
  }

  /// The maximum number of candidates, and of bytes in each.
  public static let limits = (candidates: 48, bytes: 1_024)
  /// The maximum number of elements that `*` matches or a filter joins; and of members or elements that are searched.
  static let elementLimit = 32
  static let memberLimit = 512
  /// The maximum bytes of a filled text; the rest is left out. A place can be named many times.
  static let filledBytes = 8 * 1024

  private let candidates: [[Piece]]

  /// - Throws: `TemplateError` if braces are not closed, a place has no path, or a limit is exceeded.
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
    while let open = pair(of: "{", in: rest) {
      guard let close = pair(of: "}", in: rest[open.upperBound...]) else {
        throw TemplateError("'{{' without '}}' in '\(text)'")
      }
      if open.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<open.lowerBound]))) }
      let places = rest[open.upperBound..<close.lowerBound].split(separator: "|", omittingEmptySubsequences: false)
      let paths = places.compactMap { TemplateStep.path($0.trimmingSpaces[...]) }
      guard paths.count == places.count else {
        throw TemplateError(
          "'\(text)': a place has a path such as {{alert.name}} or {{alerts[status=firing].name}}")
      }
      pieces.append(.place(paths))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    return pieces
  }

  /// Finds two braces by their bytes, as each start reads all templates.
  private static func pair(of brace: Unicode.Scalar, in text: Substring) -> Range<Substring.Index>? {
    var place = text.startIndex
    while let first = text.utf8[place...].firstIndex(of: UInt8(ascii: brace)) {
      let second = text.utf8.index(after: first)
      guard second < text.endIndex else { return nil }
      place = text.utf8.index(after: second)
      if text.utf8[second] == UInt8(ascii: brace) { return first..<place }
      place = second
    }
    return nil
  }

  /// Returns the filled text; nil if no candidate has a value for each of its places.
  func filled(from values: TemplateValues) -> String? {
    candidates.lazy.compactMap { TemplateText.filled($0, from: values) }.first { !$0.isEmpty }
  }

  /// Returns each candidate that has all its values, filled.
  func all(from values: TemplateValues) -> [String] {
    candidates.compactMap { TemplateText.filled($0, from: values) }.filter { !$0.isEmpty }
  }

  /// Returns true if a place is the value of that name or, with `inside`, a value in it.
  func names(_ name: String, inside: Bool) -> Bool {
    candidates.joined().contains { piece in
      guard case .place(let paths) = piece else { return false }
      return paths.contains { path in
        // By bytes: comparing texts by characters takes long if these have many combining marks.
        guard case .name(let first)? = path.first, (path.count > 1) == inside else { return false }
        return first.utf8.elementsEqual(name.utf8)
      }
    }
  }

  private static func filled(_ pieces: [Piece], from values: TemplateValues) -> String? {
    var result = ""
    for piece in pieces {
      switch piece {
      case .text(let text): result += text
      case .place(let paths):
        guard let text = values.text(at: paths) else { return nil }
        if result.utf8.count <= filledBytes { result += text }
      }
    }
    return result.prefix(bytes: filledBytes)
  }
}

/// One step of a path, from a value to those that it contains.
private enum TemplateStep: Hashable, Sendable {
  /// The name of a member, the index of an array's element, or `*` for all elements.
  case name(String)
  /// `[status=firing]`: the elements of an array that have this value there; for an object, the object itself if it has
  /// it. An absent value counts as an empty text.
  case matching([TemplateStep], String)

  /// Returns the steps of `alerts[labels.severity=critical].labels.alertname`; nil if a name or a bracket is missing.
  static func path(_ text: Substring) -> [TemplateStep]? {
    var steps: [TemplateStep] = []
    var rest = text
    while true {
      let name = rest.prefix { $0 != "." && $0 != "[" }
      rest = rest[name.endIndex...]
      // The whole value can be filtered too: `[deleted=true].ref`.
      guard !name.isEmpty || steps.isEmpty && rest.first == "[" else { return nil }
      if !name.isEmpty { steps.append(.name(String(name))) }
      while rest.first == "[" {
        guard let end = rest.firstIndex(of: "]"), let equals = rest[..<end].firstIndex(of: "="),
          let path = path(rest[rest.index(after: rest.startIndex)..<equals])
        else { return nil }
        steps.append(.matching(path, String(rest[rest.index(after: equals)..<end])))
        rest = rest[rest.index(after: end)...]
      }
      guard let dot = rest.first else { return steps }
      guard dot == "." else { return nil }
      rest = rest.dropFirst()
    }
  }
}

/// The values that a template's places name.
enum TemplateValues {
  case json(JSONObject)
  case fields([(name: String, value: String)])

  fileprivate func text(at paths: [[TemplateStep]]) -> String? {
    for path in paths {
      if let text = text(at: path[...]) { return text }
    }
    return nil
  }

  private func text(at path: ArraySlice<TemplateStep>) -> String? {
    switch self {
    case .json(let object): return object.text(at: path)
    case .fields(let fields):
      guard case .name(let name)? = path.first, path.count == 1, let text = fields.value(of: name) else { return nil }
      return text.isEmpty ? nil : text.prefix(bytes: TemplateText.filledBytes)
    }
  }
}

public struct TemplateError: Error, Hashable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

extension JSONObject {
  fileprivate func text(at path: ArraySlice<TemplateStep>) -> String? {
    switch path.first {
    case .name(let name):
      elements.prefix(TemplateText.memberLimit).first { $0.has(name: name) }?.text(at: path.dropFirst())
    case .matching(let place, let value):
      (text(at: place[...]) ?? "").utf8.elementsEqual(value.utf8) ? text(at: path.dropFirst()) : nil
    case nil: nil
    }
  }
}

extension JSONElement {
  /// Returns the text of the value at a path; nil if there is none, or it has no text.
  fileprivate func text(at path: ArraySlice<TemplateStep>) -> String? {
    guard let step = path.first else {
      switch kind {
      case .string: return string(bytes: TemplateText.filledBytes).flatMap { $0.isEmpty ? nil : $0 }
      case .number: return integer.map { String($0) } ?? double.flatMap { $0.isFinite ? $0.description : nil }
      case .bool: return bool == true ? "true" : "false"
      case .array, .object, .null: return nil
      }
    }
    if let object { return object.text(at: path) }
    guard let array else { return nil }
    let rest = path.dropFirst()
    switch step {
    case .name("*"): return JSONElement.joined(array.prefix(TemplateText.elementLimit), at: rest)
    case .name(let name):
      return Int(name).flatMap { index in index < 0 ? nil : array.dropFirst(index).first { _ in true } }?
        .text(at: rest)
    case .matching(let place, let value):
      let matching = array.prefix(TemplateText.memberLimit).lazy.filter {
        ($0.text(at: place[...]) ?? "").utf8.elementsEqual(value.utf8)
      }
      return JSONElement.joined(matching.prefix(TemplateText.elementLimit), at: rest)
    }
  }

  /// Returns the different texts of several values, separated by commas.
  private static func joined(_ values: some Sequence<JSONElement>, at path: ArraySlice<TemplateStep>) -> String? {
    var texts: [String] = []
    // Compared by bytes: comparing by characters takes long if texts have many combining marks.
    var known: Set<[UInt8]> = []
    for value in values {
      if let text = value.text(at: path), known.insert(Array(text.utf8)).inserted { texts.append(text) }
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ").prefix(bytes: TemplateText.filledBytes)
  }
}
