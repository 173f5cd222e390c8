import CommandSupport
import Glibc

/// Questions on a terminal. An invalid answer is asked for again; the end of input ends the command, so that it never
/// waits without a user.
struct Questions {
  /// The command that asks, for its error.
  var command = "setup"
  var answer: () -> String? = { readLine() }
  var say: (String) throws -> Void = { try Output.line($0) }
  /// Prints without an end of line, so that the answer follows.
  var prompt: (String) -> Void = { Output.prompt($0) }

  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// - Parameter standard: the meaning of Enter.
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

  /// - Parameter standard: the meaning of Enter; nil if it has none.
  /// - Returns: the index of the chosen one.
  func choice(_ question: String, among choices: [String], standard: Int?) throws -> Int {
    let width = "\(choices.count)".count
    for (index, choice) in choices.enumerated() {
      try say("  \("\(index + 1)".aligned(to: width))  \(choice)")
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
      throw Failure("\(command) was cancelled", hint: "nothing was written; run it again at any time")
    }
    return answer.trimmed()
  }
}
