// A node has its place and its name, so that its reader can report errors without passing either along.
// A scalar stays text until a schema asks for a type.

/// A mapping, a sequence or a scalar, and the place at which it begins.
public struct YAMLNode: Sendable {
  public enum Content: Sendable {
    case mapping([YAMLEntry])
    case sequence([YAMLNode])
    /// - Parameter isPlain: written without quotation marks and not as a block.
    case scalar(text: String, isPlain: Bool)
  }

  public let content: Content
  public let position: SourcePosition
  /// The name in messages: `'pin'`, `item 2 of 'pins'`, `the document`.
  public let subject: String

  static let rootSubject = "the document"

  public init(content: Content, position: SourcePosition, subject: String) {
    self.content = content
    self.position = position
    self.subject = subject
  }

  /// The text of a scalar; nil if it is empty, and for other nodes.
  public var text: String? {
    if case .scalar(let text, _) = content, !text.isEmpty { return text }
    return nil
  }

  /// Returns a diagnostic about this node; `complaint` follows its name: `must be …`.
  public func diagnostic(_ complaint: String) -> Diagnostic {
    Diagnostic("\(subject) \(complaint)", at: position)
  }

  /// True for `key:` without a value.
  var isMissingValue: Bool {
    if case .scalar(let text, isPlain: true) = content { return text.isEmpty }
    return false
  }

  /// The description of the node in a message: `'x'`, `a mapping`, `a sequence`, `nothing`.
  var found: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a sequence"
    case .scalar(let text, let isPlain): text.isEmpty && isPlain ? "nothing" : quoted(text)
    }
  }

  // The types that a schema can ask for. YAML's own guesses (011 is 9, on is true, 1_000 is 1000) are the errors that
  // these functions detect; each message shows the correct notation.

  /// Returns text, quoted or not.
  /// - Parameter bytes: the permitted length in bytes of UTF-8.
  /// - Throws: `Diagnostic` if the node is no scalar, has no value (`key:`), or is too short or too long.
  public func string(bytes: ClosedRange<Int> = 1...YAMLLimits.stringBytes) throws(Diagnostic) -> String {
    guard case .scalar(let text, _) = content, !isMissingValue else {
      throw diagnostic("must be a string, not \(found)\(quotingAdvice)")
    }
    if text.utf8.count > bytes.upperBound {
      throw diagnostic("must have at most \(bytes.upperBound) bytes, not \(text.utf8.count)")
    }
    if text.utf8.count < bytes.lowerBound {
      throw diagnostic(
        text.isEmpty ? "must not be empty" : "must have at least \(bytes.lowerBound) bytes, not \(text.utf8.count)")
    }
    return text
  }

  /// The advice for a text that begins with a bracket: `{title}` is a mapping with the key `title`.
  private var quotingAdvice: String {
    let parts: [String]
    switch content {
    case .mapping(let entries) where entries.allSatisfy({ $0.value.isMissingValue }): parts = entries.map(\.key)
    case .sequence(let items): parts = items.compactMap(\.text)
    default: return ""
    }
    let (text, isMapping) = (parts.joined(separator: ","), found == "a mapping")
    return parts.isEmpty || text.utf8.count > 100
      ? "" : QuotingAdvice.text(key: nil, value: isMapping ? "{\(text)}" : "[\(text)]")
  }

  /// Returns a decimal integer, written without quotation marks: `-12`, `0`, `7`.
  /// - Throws: `Diagnostic` for anything else; for other notations it shows the correct one.
  public func integer(in range: ClosedRange<Int> = .min ... .max) throws(Diagnostic) -> Int {
    let wanted = range == .min ... .max ? "an integer" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    let text = try plainText(wanted)
    if let replacement = decimalNotation(of: text) {
      throw diagnostic("must be a decimal integer: write \(replacement), not \(quoted(text))")
    }
    guard isDecimalInteger(text) else { throw diagnostic("must be \(wanted), not \(found)") }
    guard let value = Int(text), range.contains(value) else { throw diagnostic("must be \(wanted), not \(text)") }
    return value
  }

  /// Returns `true` or `false`, written without quotation marks.
  /// - Throws: `Diagnostic` for anything else; for the other words of YAML 1.1 it names the correct one.
  public func boolean() throws(Diagnostic) -> Bool {
    let text = try plainText("true or false")
    if text == "true" || text == "false" { return text == "true" }
    switch text.lowercased() {
    case "true", "yes", "y", "on", "1": throw diagnostic("must be true or false: write true, not \(quoted(text))")
    case "false", "no", "n", "off", "0": throw diagnostic("must be true or false: write false, not \(quoted(text))")
    default: throw diagnostic("must be true or false, not \(found)")
    }
  }

  /// - Throws: `Diagnostic` with the nearest of `words`, or all of them if none is near.
  public func choice(of words: [String]) throws(Diagnostic) -> String {
    guard case .scalar(let text, _) = content, !isMissingValue else {
      throw diagnostic("must be one of \(listed(words)), not \(found)")
    }
    guard !words.contains(text) else { return text }
    if let near = nearest(text, among: words) {
      throw diagnostic("cannot be \(quoted(text)), did you mean \(quoted(near))?")
    }
    throw diagnostic("must be one of \(listed(words)), not \(quoted(text))")
  }

  /// Returns one of the cases of an enumeration, by its raw value.
  public func choice<Choice: CaseIterable & RawRepresentable>(
    _ type: Choice.Type = Choice.self
  ) throws(Diagnostic) -> Choice where Choice.RawValue == String {
    let word = try choice(of: Choice.allCases.map(\.rawValue))
    guard let value = Choice(rawValue: word) else { throw diagnostic("cannot be \(quoted(word))") }
    return value
  }

  /// - Throws: `Diagnostic` if the node is none, or has fewer or more items than `count`.
  public func sequence(count: ClosedRange<Int> = 0 ... .max) throws(Diagnostic) -> [YAMLNode] {
    guard case .sequence(let items) = content else { throw diagnostic("must be a sequence, not \(found)") }
    guard count.contains(items.count) else {
      throw diagnostic("must have \(countText(count)), not \(items.count)")
    }
    return items
  }

  /// Returns the keys and values of a mapping with arbitrary keys, in their order.
  /// - Throws: `Diagnostic` if the node is none, or has fewer or more keys than `count`.
  public func entries(count: ClosedRange<Int> = 0 ... .max) throws(Diagnostic) -> [YAMLEntry] {
    guard case .mapping(let entries) = content else {
      throw diagnostic("must be a mapping (key: value), not \(found)")
    }
    guard count.contains(entries.count) else {
      throw diagnostic("must have \(countText(count, "key")), not \(entries.count)")
    }
    return entries
  }

  /// The value of a key. A node that is no mapping has no keys and stays unchanged.
  public subscript(key: String) -> YAMLNode? {
    get {
      guard case .mapping(let entries) = content else { return nil }
      return entries.first { $0.key == key }?.value
    }
    set {
      guard case .mapping(var entries) = content else { return }
      let place = entries.firstIndex { $0.key == key }
      if let place { entries.remove(at: place) }
      if let newValue {
        entries.insert((key: key, keyPosition: newValue.position, value: newValue), at: place ?? entries.count)
      }
      self = YAMLNode(content: .mapping(entries), position: position, subject: subject)
    }
  }

  /// Returns the text of an unquoted scalar; `wanted` describes the schema's type.
  private func plainText(_ wanted: String) throws(Diagnostic) -> String {
    guard case .scalar(let text, let isPlain) = content, !isMissingValue else {
      throw diagnostic("must be \(wanted), not \(found)")
    }
    guard isPlain else { throw diagnostic("must be \(wanted): remove the quotation marks around \(quoted(text))") }
    return text
  }
}

/// A key of a mapping and its value.
public typealias YAMLEntry = (key: String, keyPosition: SourcePosition, value: YAMLNode)

private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// Returns true for `-?(0|[1-9][0-9]*)`, but not for `-0`.
private func isDecimalInteger(_ text: String) -> Bool {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { return false }
  return digits == "0" ? text == "0" : !digits.hasPrefix("0")
}

/// Returns the decimal notation of an integer in another of YAML's notations; nil if it is in none of them.
private func decimalNotation(of text: String) -> String? {
  var digits = text.filter { $0 != "_" }[...]
  let sign = digits.hasPrefix("-") ? "-" : ""
  if digits.hasPrefix("-") || digits.hasPrefix("+") { digits = digits.dropFirst() }
  for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
    return Int64(digits.dropFirst(2), radix: radix).flatMap { $0 < 0 ? nil : "\(sign)\($0)" }
  }
  guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit), !isDecimalInteger(text) else { return nil }
  // YAML 1.1 reads 011 as 9, people read it as 11, which is suggested.
  return Int64(digits).map { $0 == 0 ? "0" : "\(sign)\($0)" }
}

private func countText(_ count: ClosedRange<Int>, _ noun: String = "item") -> String {
  if count.lowerBound == count.upperBound { return "\(count.lowerBound) \(noun)\(count.lowerBound == 1 ? "" : "s")" }
  if count.upperBound == .max { return "at least \(count.lowerBound) \(noun)\(count.lowerBound == 1 ? "" : "s")" }
  return "\(count.lowerBound) to \(count.upperBound) \(noun)s"
}
