import ArgumentParser
import ControlAPI
import DeskbellDaemon
import Glibc

struct PanelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "panel",
    abstract: "Print a one-time link to the web panel, or set its password.",
    discussion: """
      Examples:
        deskbell panel
        deskbell panel --json
        deskbell panel password
        openssl rand -base64 24 | tee secret.txt | deskbell panel password -
      """,
    subcommands: [Address.self, Password.self], defaultSubcommand: Address.self)

  struct Address: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "address",
      abstract: "Print a link that signs in one browser; valid for five minutes.",
      discussion: """
        Open the link on this machine. From another machine, use an SSH tunnel and keep it open:
          ssh -L 2198:127.0.0.1:2198 bell.local
          deskbell panel

        Examples:
          deskbell panel
          deskbell panel address --json
        """)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      let token = try await control.client().panelToken()
      try json.print(token) { $0.url }
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password",
      abstract: "Set or remove the password for access over the network.",
      discussion: """
        Asks for the password on a terminal. Only its hash is stored. All browsers must sign in again.

        Examples:
          deskbell panel password
          openssl rand -base64 24 | tee secret.txt | deskbell panel password -
          deskbell panel password --remove
        """)

    @Argument(help: ArgumentHelp("The file with the password, - for standard input.", valueName: "file"))
    var file: String?
    @Flag(help: "Remove the password. Then only links from 'deskbell panel' open the panel.")
    var remove = false
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if remove && file != nil { throw ValidationError("--remove takes no password.") }
    }

    func run() async throws {
      let client = try control.client()
      if remove {
        try await client.setPanelPassword(nil)
        return try Output.line("the panel has no password")
      }
      try await client.setPanelPassword(password())
      try Output.line("the panel has a new password; every browser has to sign in again")
    }

    private func password() throws(Failure) -> String {
      if let file { return try PasswordFile.password(at: file) }
      guard isatty(STDIN_FILENO) == 1 else { return try PasswordFile.password(at: "-") }
      return try Terminal.secret(asking: "New password: ")
    }
  }
}

/// What a person types without its being seen.
private enum Terminal {
  static func secret(asking question: String) throws(Failure) -> String {
    var usual = termios()
    guard tcgetattr(STDIN_FILENO, &usual) == 0 else {
      throw Failure("the terminal's settings cannot be read", hint: "give the password on standard input, with -")
    }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
      Output.complaint("")
    }
    write(question, to: STDERR_FILENO)
    guard let line = readLine(), !line.isEmpty else { throw Failure("no password was typed") }
    return line
  }
}
