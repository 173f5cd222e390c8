import CommandSupport

/// The options and recipients with which programs call sendmail.
struct SendmailArguments: Equatable {
  /// True if a line with only a dot does not end the mail.
  var ignoresDots = false
  /// The sender's full name.
  var name: String?
  /// The address in the envelope.
  var from: String?
  var recipients: [String] = []

  /// - Throws: `Failure`, exit code 2, for a mode that does not send the mail on standard input.
  init(_ words: [String]) throws(Failure) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        recipients += rest
        return
      }
      guard word.first == "-", word.count > 1 else {
        recipients.append(word)
        continue
      }
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        switch letter {
        case "t", "v", "n", "m", "s", "G", "U": continue
        case "i": ignoresDots = true
        // Their values are attached, if they have one.
        case "o":
          if letters == "i" { ignoresDots = true }
          letters = ""
        case "b":
          guard letters == "m" || letters.isEmpty else {
            throw Failure(
              "-b\(letters) is a mode of a mail server", hint: "deskbell mail sends the mail on standard input",
              code: Program.Exit.usage)
          }
          letters = ""
        case "q", "d", "e", "A": letters = ""
        case "B", "C", "D", "F", "f", "h", "L", "N", "O", "p", "R", "r", "V", "X":
          let value = letters.isEmpty ? rest.popFirst() : String(letters)
          letters = ""
          if letter == "F" { name = value }
          if letter == "f" || letter == "r" { from = value }
        default:
          throw Failure(
            "there is no option -\(letter) of sendmail", hint: "see 'deskbell mail --help'", code: Program.Exit.usage)
        }
      }
    }
  }
}
