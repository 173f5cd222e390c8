import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import SystemThreads
import UnixSockets

struct PanelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "panel",
    abstract: "Print a one-time link to the web panel, or make it reachable for a phone.",
    discussion: """
      Examples:
        deskbell panel
        deskbell panel --json
        deskbell panel enable
        deskbell panel password
        openssl rand -base64 24 | tee secret.txt | deskbell panel password -
      """,
    subcommands: [Address.self, Enable.self, Disable.self, Password.self], defaultSubcommand: Address.self)

  struct Address: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "address",
      abstract: "Print a link that signs in one browser; valid for five minutes.",
      discussion: """
        Open the link on this machine. In an SSH session, or without a screen, it also prints the ssh command that makes \
        the link work on your own machine; keep that command running. 'deskbell panel enable' needs no tunnel.

        Examples:
          deskbell panel
          deskbell panel address --json
        """)

    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let token = try await options.client().panelToken()
      try options.json.print(token) { $0.url }
      let environment = Environment.ofProcess
      // Standard output has only the link, for scripts.
      if !options.json.isWanted,
        let tunnel = PanelCommand.tunnel(
          to: token.url, environment: environment, user: PanelCommand.user(environment),
          host: ProcessInfo.processInfo.hostName)
      {
        Output.complaint("The link is for this machine. On yours, keep this running, and open the link there:")
        Output.complaint("  \(tunnel)")
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable",
      abstract: "Make the panel reachable for phones and other machines.",
      discussion: """
        The panel then listens on the network, with TLS and a password, also after a restart. An existing password is \
        kept unless a file is given. If there is none, it is asked for, or read from standard input.

        Examples:
          deskbell panel enable
          openssl rand -base64 24 | tee secret.txt | deskbell panel enable -
          deskbell panel disable
        """)

    @Argument(help: ArgumentHelp("The file with a new password, - for standard input.", valueName: "file"))
    var file: String?
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let client = try options.client()
      let hasPassword = try await client.panel().hasPassword
      if file != nil || !hasPassword {
        try await client.setPanelPassword(PanelCommand.newPassword(from: file))
      }
      let panel = try await client.setPanelNetwork(true)
      let certificate = try? await client.certificate()
      let port = panel.address.split(separator: ":").last.flatMap { Int($0) } ?? 0
      try options.json.print(panel) { panel in
        var lines = ["The panel is at \(panel.url) for every machine on the network. Sign in with its password."]
        if certificate?.file == nil {
          lines.append("Browsers warn until they know the certificate's authority: deskbell ca > ca.pem")
        }
        let hints = PanelCommand.firewallHints(port: port)
        if !hints.isEmpty { lines.append("A firewall is active here. Let the panel through:") }
        return (lines + hints.map { "  \($0)" }).joined(separator: "\n")
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "disable",
      abstract: "Make the panel reachable from this machine only.",
      discussion: """
        Undoes 'deskbell panel enable'. The password stays; 'deskbell panel password --remove' removes it.

        Example:
          deskbell panel disable
        """)

    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let panel = try await options.client().setPanelNetwork(false)
      try options.json.print(panel) { "The panel is at \($0.url) for this machine only." }
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
      try await client.setPanelPassword(PanelCommand.newPassword(from: file))
      try Output.line("the panel has a new password; every browser has to sign in again")
    }
  }

  private static func newPassword(from file: String?) throws(Failure) -> String {
    guard file == nil, isatty(STDIN_FILENO) == 1 else { return try PasswordFile.password(at: file ?? "-") }
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
    write("New password: ", to: STDERR_FILENO)
    guard let line = readLine(), !line.isEmpty else { throw Failure("no password was typed") }
    return line
  }

  // MARK: The ways to the panel from another machine's browser: through SSH, or through this machine's firewall

  /// Returns the command for the user's own machine that forwards a link through SSH. Nil if the link is valid for
  /// other machines, or a browser of this machine can probably open it.
  static func tunnel(to link: String, environment: Environment, user: String, host: String) -> String? {
    // The scheme, the address, the rest.
    let parts = link.split(separator: "/")
    guard parts.count > 1, var target = NetworkAddress(String(parts[1])), target.isLoopback else { return nil }
    if target.host == "localhost" { target.host = "127.0.0.1" }
    var place = host.contains(".") ? host : "\(host).local"
    var option = ""
    // The client's address and port, and the server's address and port that the client used [ssh(1)].
    let session = environment["SSH_CONNECTION"]?.split(separator: " ") ?? []
    if session.count == 4 {
      place = String(session[2])
      if session[3] != "22" { option = "-p \(session[3]) " }
    } else if environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil {
      return nil
    }
    return "ssh \(option)-L \(target.port):\(target) \(user)@\(place)"
  }

  /// Returns commands that open the port in this machine's active firewalls.
  static func firewallHints(port: Int, root: String = "") -> [String] {
    func text(_ path: String) -> String {
      FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    var hints: [String] = []
    if text("/etc/ufw/ufw.conf").split(separator: "\n").contains("ENABLED=yes") {
      hints.append("sudo ufw allow \(port)/tcp")
    }
    if access("\(root)/run/firewalld", F_OK) == 0 {
      hints.append("sudo firewall-cmd --permanent --add-port=\(port)/tcp && sudo firewall-cmd --reload")
    }
    // The service loads rules and ends; the rules that Debian ships accept all input.
    if access("\(root)/etc/systemd/system/sysinit.target.wants/nftables.service", F_OK) == 0,
      text("/etc/nftables.conf").contains("policy drop")
    {
      hints.append("sudo nft insert rule inet filter input tcp dport \(port) accept   # and in /etc/nftables.conf")
    }
    return hints
  }

  /// Returns the user who signed in here, even if sudo runs the command.
  static func user(_ environment: Environment) -> String {
    environment["SUDO_USER"] ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
  }
}
