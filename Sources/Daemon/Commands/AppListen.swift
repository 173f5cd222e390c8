import AppLink
import ArgumentParser
import Glibc
import HandsetCore

extension AppCommand {
  struct Listen: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "listen",
      abstract: "Act as the app: connect, print each push, and complete it.",
      discussion: """
        Prints one JSON object per line until Ctrl-C, or until the app is killed or force-quit. The daemon treats \
        Ctrl-C as the app's death.

        Examples:
          deskbell app listen com.example.mailroom
          deskbell app listen com.example.mailroom --result noData | jq .payload
        """)

    @Argument(
      help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps,
      transform: AppListening.app)
    var app: AppID
    @Flag(help: "Start in the foreground instead of the background.")
    var foreground = false
    @Option(help: ArgumentHelp("The result of every push.", valueName: "result"))
    var result = DeliveryResult.newData
    @Option(
      help: ArgumentHelp(
        "The apps' socket. Default: $DESKBELL_APPS_SOCKET, else the one beside the control socket.",
        valueName: "socket"))
    var appsSocket: String?
    @OptionGroup var control: HandsetOptions

    func run() throws {
      let environment = Environment.ofProcess
      let path = try AppListening.socket(named: appsSocket, environment: environment) { () throws(Failure) in
        try ControlSocket.path(named: control.control.socket, environment: environment)
      }
      try AppListening.listen(
        at: path, app: app, handset: control.name ?? environment["DESKBELL_HANDSET"],
        state: foreground ? .foreground : .background, result: result
      ) { try Output.line($0.printableJSON) }
    }
  }
}

extension DeliveryResult: ExpressibleByArgument {}

/// The implementation of `deskbell app listen`, apart from its output.
enum AppListening {
  static func app(_ text: String) throws -> AppID {
    guard let app = AppID(text) else {
      throw ValidationError("'\(text)' is no bundle identifier: letters, digits, dots and dashes.")
    }
    return app
  }

  /// Returns the socket of the option, else of the environment, else the one beside the control socket.
  static func socket(
    named: String?, environment: Environment, control: () throws(Failure) -> String
  ) throws(Failure) -> String {
    if let named { return named }
    if let set = environment["DESKBELL_APPS_SOCKET"] { return set }
    return AppLink.socket(beside: try control())
  }

  /// Returns once the daemon has stopped the app.
  /// - Parameter handset: its name; nil for the handset on the board.
  /// - Throws: `Failure` if the daemon is not running, refuses the app, or stops.
  static func listen(
    at path: String, app: AppID, handset: String? = nil, state: Lifecycle, result: DeliveryResult,
    print: (String) throws -> Void
  ) throws {
    let connection: AppConnection
    do {
      connection = try AppConnection(socket: path, app: app, handset: handset, state: state)
    } catch {
      if error.code == EACCES || error.code == EPERM { throw Failure.noPermission(error.socket) }
      throw Failure.noDaemon("no daemon listens for apps at \(error)")
    }
    var refusal: String?
    while let (line, message) = connection.next() {
      switch message {
      case .push(let push):
        try print(line)
        connection.complete(push, result)
      case .opened:
        try print(line)
        connection.declare(.foreground)
      case .stopped: return
      // The last message before a connection is closed, or one about a push.
      case .refused(let why): refusal = why
      case .other: try print(line)
      }
    }
    if let refusal { throw Failure("the daemon closed the app's connection: \(refusal)") }
    throw Failure(
      "the daemon stopped", hint: "once it runs again, listen again", code: Program.Exit.noDaemon)
  }
}
