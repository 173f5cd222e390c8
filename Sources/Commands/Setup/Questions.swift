// What a person is asked on a terminal. An answer that cannot be used is asked for again; the end of input ends the
// command, so that nothing ever waits for somebody who is not there.

import Glibc

struct Questions {
  /// Reads a line; nil at the end of input.
  var answer: () -> String? = { readLine() }
  var say: (String) throws -> Void = { try Output.line($0) }
  /// Without an end of line: the answer goes behind it.
  var prompt: (String) -> Void = { Output.prompt($0) }

  /// Whether there is a terminal to ask on.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// - Parameter standard: what Enter means.
  func yes(_ question: String, standard: Bool) throws -> Bool {
    while true {
      switch try line("\(question) \(standard ? "[Y/n]" : "[y/N]") ").lowercased() {
      case "": return standard
      case "y", "yes": return true
      case "n", "no": return false
      default: try say("Please answer y or n.")
      }
    }
  }

  /// - Parameter standard: what Enter means; nil where there is no such choice.
  /// - Returns: the place of what was chosen.
  func choice(_ question: String, among choices: [String], standard: Int?) throws -> Int {
    let width = "\(choices.count)".count
    for (index, choice) in choices.enumerated() {
      let number = "\(index + 1)"
      try say("  \(String(repeating: " ", count: width - number.count))\(number)  \(choice)")
    }
    let range = "1 to \(choices.count)"
    while true {
      let text = try line("\(question) \(standard.map { "[\($0 + 1)]" } ?? "(\(range))") ")
      if text.isEmpty, let standard { return standard }
      if let number = Int(text), (1...choices.count).contains(number) { return number - 1 }
      try say("Please give a number from \(range).")
    }
  }

  func line(_ question: String) throws -> String {
    prompt(question)
    guard let answer = answer() else {
      throw Failure("setup was given up", hint: "nothing was written; run it again when it suits you")
    }
    return answer.trimmed()
  }
}

extension String {
  /// The path of a folder as it is shown, and as names are put behind it.
  var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }

  func trimmed() -> String {
    let text = drop { $0.isWhitespace }
    return String(text).trimmingEnd()
  }
}
