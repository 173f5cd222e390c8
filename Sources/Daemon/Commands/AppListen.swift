import AppLink
import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import HandsetCore
import SystemThreads
import UnixSockets

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
    var hello = ["app": app.text, "state": state.rawValue]
    hello["handset"] = handset
    let connection = try AppConnection(socket: path, hello: hello)
    var refusal: String?
    while let (line, message) = connection.next() {
      if let push = message.push {
        try print(line)
        connection.send(["completed": push, "result": result.rawValue])
      } else if let error = message.error {
        // The last message before a connection is closed, or one about a push.
        refusal = error
      } else if message.stopped == true {
        return
      } else {
        try print(line)
        if message.state == Lifecycle.foreground.rawValue { connection.send(["state": Lifecycle.foreground.rawValue]) }
      }
    }
    if let refusal { throw Failure("the daemon closed the app's connection: \(refusal)") }
    throw Failure(
      "the daemon stopped", hint: "once it runs again, listen again", code: Program.Exit.noDaemon)
  }
}

/// An app's end of the apps' socket. It blocks: the program does nothing else.
private final class AppConnection {
  /// A message to an app, as far as the program handles it.
  struct Message: Decodable {
    /// The identifier of a push, to be completed.
    var push: String?
    /// `foreground` if the person opened the app.
    var state: String?
    var stopped: Bool?
    /// The reason why a line of the app was refused.
    var error: String?
  }

  private let descriptor: CInt
  private let lines: UnsafeMutablePointer<FILE>?

  /// Connects and sends the first line. If the app is refused, that is the first message.
  init(socket path: String, hello: [String: String]) throws(Failure) {
    descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var code = ENAMETOOLONG
    if let address = UnixAddress(path) {
      code = descriptor >= 0 && address.connect(descriptor) == 0 ? 0 : errno
    }
    lines = code == 0 ? fdopen(descriptor, "r") : nil
    switch code {
    case 0: send(["hello": hello])
    case EACCES, EPERM: throw Failure.noPermission(path)
    default: throw Failure.noDaemon("no daemon listens for apps at \(path): \(SystemError(code: code).reason)")
    }
  }

  deinit {
    if let lines { fclose(lines) } else if descriptor >= 0 { close(descriptor) }
  }

  func next() -> (line: String, message: Message)? {
    guard let lines else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(text) }
    let count = getline(&text, &capacity, lines)
    guard count > 0, let text, text[count - 1] == CChar(UInt8(ascii: "\n")) else { return nil }
    let line = Data(bytes: text, count: count - 1)
    let message = (try? JSONDecoder().decode(Message.self, from: line)) ?? Message()
    return (String(decoding: line, as: UTF8.self), message)
  }

  /// Sends a line of JSON. If the daemon has closed the connection, `next` reports it.
  func send(_ line: some Encodable) {
    // The encoding of texts cannot fail.
    var rest = ((try? JSONEncoder().encode(line)).map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 && errno != EINTR { return }
      rest.removeFirst(max(count, 0))
    }
  }
}
