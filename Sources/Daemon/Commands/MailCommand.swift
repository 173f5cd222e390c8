import ArgumentParser
import CommandSupport
import Glibc
import HandsetCore

struct MailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail",
    abstract: "Ring with a mail from standard input; takes sendmail's options.",
    usage: "deskbell mail [--app <app>] [--provider <folder>] [-t] [-i] [-f <address>] [<recipient> ...]",
    discussion: """
      Shows the mail's subject, its sender and the first 3,000 bytes of its text. A mail of high importance is \
      time-sensitive, one of low importance is passive. sendmail's options are accepted; recipients are ignored. Without \
      --app it rings the app home.mail, which is created the first time. A link to deskbell with the name sendmail runs \
      this command, for cron and other programs that call /usr/sbin/sendmail.

      Examples:
        deskbell mail < message.eml
        printf 'Subject: Backup\\n\\nIt is done\\n' | deskbell mail -t
        sudo ln -s /usr/bin/deskbell /usr/local/sbin/sendmail
      """)

  static let app = "home.mail"

  /// The bytes of the text, as JSON: a push has 4,096.
  static let textBytes = 3_000

  @Option(help: ArgumentHelp("The app that rings. Default: home.mail.", valueName: "app"), completion: .apps)
  var app: String?
  @Option(help: ArgumentHelp("The folder of a provider, to ring another machine.", valueName: "folder"))
  var provider: String?
  @OptionGroup var control: HandsetOptions
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("sendmail's options, and recipients.", valueName: "sendmail's arguments"))
  var arguments: [String] = []

  func validate() throws {
    // The captured words include these options.
    if arguments.first == "--help" || arguments.first == "-h" { throw CleanExit.helpRequest(self) }
  }

  func run() async throws {
    let sendmail = try SendmailArguments(arguments.first == "--" ? Array(arguments.dropFirst()) : arguments)
    let mail = MailMessage(MailCommand.standardInput(endsAtDot: !sendmail.ignoresDots))
    let sender = mail.sender ?? sendmail.name ?? sendmail.from
    let text = MailCommand.shown(mail.text, bytes: MailCommand.textBytes)
    guard let title = mail.subject ?? sender ?? (text.isEmpty ? nil : "Mail") else {
      throw Failure("standard input has no mail", hint: "printf 'Subject: Hello\\n\\nWorld\\n' | deskbell mail")
    }
    let level: InterruptionLevel = mail.priority == 1 ? .timeSensitive : mail.priority == 5 ? .passive : .active
    var options = ["--title=\(MailCommand.shown(title, bytes: 400))", "--level=\(level.rawValue)"]
    if mail.subject != nil, let sender { options.append("--subtitle=\(MailCommand.shown(sender, bytes: 200))") }
    if !text.isEmpty { options.append("--body=\(text)") }
    try await PushCommand.ring(options, app: app, own: (MailCommand.app, "Mail"), provider: provider, control)
  }

  /// Returns the beginning of a text, within that many bytes of JSON; control characters become blanks, line ends stay.
  static func shown(_ text: String, bytes limit: Int) -> String {
    var result = ""
    var bytes = 0
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 && scalar != "\n" || scalar.value == 0x7F
      bytes += "\"\\/\n".unicodeScalars.contains(scalar) ? 2 : UTF8.width(scalar)
      guard bytes <= limit else { break }
      result.unicodeScalars.append(isControl ? " " : scalar)
    }
    return String(result.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Reads all of standard input, so that its writer does not fail, and keeps the first bytes.
  /// - Parameter endsAtDot: if true, a line with only a dot ends it, as in sendmail without `-i`.
  private static func standardInput(endsAtDot: Bool) -> [UInt8] {
    var mail: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      mail += buffer[..<min(count, MailMessage.Limits.bytes - mail.count)]
    }
    guard endsAtDot else { return mail }
    var rest = mail[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      if line.elementsEqual(".".utf8) || line.elementsEqual(".\r".utf8) { return Array(mail[..<line.startIndex]) }
      rest = rest[line.endIndex...].dropFirst()
    }
    return mail
  }
}

/// The options and recipients with which programs call sendmail.
struct SendmailArguments: Equatable {
  /// True if a line with only a dot does not end the mail.
  var ignoresDots = false
  var name: String?
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
