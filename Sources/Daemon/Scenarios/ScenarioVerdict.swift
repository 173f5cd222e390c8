/// The state of an expectation.
enum Verdict: Sendable, Equatable {
  case met
  /// It may still come true.
  case open(Shortfall)
  /// It cannot come true any more.
  case failed(Shortfall)
}

/// The failure of an expectation: its sentence, and what was expected.
struct Shortfall: Sendable, Equatable, Error {
  var line: Int
  var sentence: String
  var expected: String
  /// The request that it is about, for its explanation.
  var push: String?
}

/// Which requests the expectations of answers have been met by.
struct AnswerCursor: Sendable {
  /// The last one's number; 0 for none.
  var request: UInt64 = 0
  var previous: SeenRequest?
  /// How many there were.
  var count = 0
  /// The handset's uptime after the last step that did something.
  var since: Int64 = 0

  mutating func take(_ request: SeenRequest) {
    self.request = request.request
    previous = request
    count += 1
  }
}

/// `first`, `second`, … `11th`.
func ordinal(_ number: Int) -> String {
  let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
  if words.indices.contains(number - 1) { return words[number - 1] }
  let ending = (11...13).contains(number % 100) ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
  return "\(number)\(ending)"
}

func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
