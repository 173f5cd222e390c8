// Times and bounds as scenarios write them. The notation of times is that of the stories in Tests/Core/Stories.

extension Duration {
  private static let units: [(name: String, microseconds: Int64)] = [
    ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1),
  ]

  /// Reads `1s`, `500ms`, `1h30m`; nil if it is no time, or one of more than 10 years.
  init?(scenario text: some StringProtocol) {
    var rest = text[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      let unit = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = Int64(digits), number < 10_000_000_000,
        let entry = Duration.units.first(where: { $0.name == unit })
      else { return nil }
      let (part, overflow) = number.multipliedReportingOverflow(by: entry.microseconds)
      guard !overflow, part <= 3_652 * 86_400_000_000 else { return nil }
      total += part
      rest = rest[unit.endIndex...]
    }
    guard total <= 3_652 * 86_400_000_000 else { return nil }
    self = .microseconds(total)
  }

  var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

/// Microseconds as a sentence has them: `0.5 s`, `3 s`, `2 min`, `1 h`.
func spoken(microseconds: Int64) -> String {
  let sign = microseconds < 0 ? "-" : ""
  let size = microseconds.magnitude
  if size >= 3_600_000_000, size % 3_600_000_000 == 0 { return "\(sign)\(size / 3_600_000_000) h" }
  if size >= 60_000_000, size % 60_000_000 == 0 { return "\(sign)\(size / 60_000_000) min" }
  let milliseconds = size / 1_000
  let (whole, part) = (milliseconds / 1_000, milliseconds % 1_000)
  guard part > 0 else { return "\(sign)\(whole) s" }
  var digits = String(repeating: "0", count: 3 - "\(part)".count) + "\(part)"
  while digits.hasSuffix("0") { digits.removeLast() }
  return "\(sign)\(whole).\(digits) s"
}

/// The time of day in UTC: `10:00:02.003`.
func timeOfDay(wallMicroseconds: Int64) -> String {
  let milliseconds = ((wallMicroseconds / 1_000) % 86_400_000 + 86_400_000) % 86_400_000
  func digits(_ number: Int64, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
  let minutes = "\(digits(milliseconds / 3_600_000, 2)):\(digits(milliseconds / 60_000 % 60, 2))"
  return "\(minutes):\(digits(milliseconds / 1_000 % 60, 2)).\(digits(milliseconds % 1_000, 3))"
}

/// A permitted range of a count or of a time: `3`, `>= 2s`, `< 5`.
struct Bound: Sendable, Hashable {
  enum Relation: String, CaseIterable, Sendable {
    case equal = ""
    case atLeast = ">="
    case atMost = "<="
    case more = ">"
    case less = "<"
  }
  enum Measure: Sendable { case count, time }

  var relation: Relation
  /// The number, or microseconds.
  var value: Int64
  var measure: Measure

  static func equal(_ count: Int) -> Bound { Bound(relation: .equal, value: Int64(count), measure: .count) }

  init(relation: Relation, value: Int64, measure: Measure) {
    (self.relation, self.value, self.measure) = (relation, value, measure)
  }

  /// Returns nil if the text is no bound of that measure.
  init?(_ text: String, _ measure: Measure) {
    // Longer signs come first: `>=` begins with `>`.
    let relations = Relation.allCases.filter { $0 != .equal }.sorted { $0.rawValue.count > $1.rawValue.count }
    let relation = relations.first { text.hasPrefix($0.rawValue) } ?? .equal
    let rest = text.dropFirst(relation.rawValue.count).drop { $0 == " " }
    switch measure {
    case .count:
      guard let count = Int64(rest), count >= 0, !rest.hasPrefix("+") else { return nil }
      self.init(relation: relation, value: count, measure: measure)
    case .time:
      guard let time = Duration(scenario: rest) else { return nil }
      self.init(relation: relation, value: time.wholeMicroseconds, measure: measure)
    }
  }

  func allows(_ value: Int64) -> Bool {
    switch relation {
    case .equal: value == self.value
    case .atLeast: value >= self.value
    case .atMost: value <= self.value
    case .more: value > self.value
    case .less: value < self.value
    }
  }

  /// True if a value that is not allowed may still grow to one that is.
  func mayReach(from value: Int64) -> Bool {
    switch relation {
    case .equal: value < self.value
    case .atLeast, .more: true
    case .atMost, .less: false
    }
  }

  /// True if more can be too many.
  var hasUpperEnd: Bool { relation == .equal || relation == .atMost || relation == .less }

  /// `3`, `at least 2 s`, `fewer than 5`.
  var description: String {
    let number = measure == .time ? spoken(microseconds: value) : "\(value)"
    return switch relation {
    case .equal: number
    case .atLeast: "at least \(number)"
    case .atMost: "at most \(number)"
    case .more: "more than \(number)"
    case .less: (measure == .time ? "less than " : "fewer than ") + number
    }
  }
}

/// Splits words at spaces; a double quote, anywhere in a word, keeps spaces together. Nil if one is not closed.
func scenarioWords(_ text: some StringProtocol) -> [String]? {
  var words: [String] = []
  var (word, isWord, isQuoted) = ("", false, false)
  for character in text {
    switch character {
    case "\"":
      isQuoted.toggle()
      isWord = true
    case " " where !isQuoted:
      if isWord { words.append(word) }
      (word, isWord) = ("", false)
    default:
      word.append(character)
      isWord = true
    }
  }
  guard !isQuoted else { return nil }
  return isWord ? words + [word] : words
}
