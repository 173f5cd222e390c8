import ArgumentParser
import ControlAPI
import FoundationEssentials
import Glibc
import UnixSockets

/// `--control`, for every command that talks to the daemon.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "The daemon's control socket. Default: $DESKBELL_CONTROL, else the daemon's usual place.", valueName: "socket"))
  var socket: String?

  /// - Throws: `Failure` where there is no socket in any of the places.
  func client() throws(Failure) -> ControlClient {
    ControlClient(socket: try ControlSocket.path(named: socket, environment: Environment.ofProcess))
  }
}

/// `--handset`, for every command about one handset, and the daemon that has it.
struct HandsetOptions: ParsableArguments {
  @Option(
    name: .customLong("handset"),
    help: ArgumentHelp("The handset. Default: $DESKBELL_HANDSET, else the one on the board.", valueName: "name"),
    completion: .handsets)
  var name: String?
  @OptionGroup var control: ControlOptions

  /// - Throws: `Failure` where there is no socket in any of the places.
  func client() throws(Failure) -> ControlClient {
    try HandsetOptions.client(socket: control.socket, handset: name)
  }

  /// - Throws: as `client()`.
  static func client(socket: String?, handset: String?) throws(Failure) -> ControlClient {
    let environment = Environment.ofProcess
    return ControlClient(
      socket: try ControlSocket.path(named: socket, environment: environment),
      handset: handset ?? environment["DESKBELL_HANDSET"])
  }
}

/// `--json`, for every command that reads.
struct JSONOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON.")
  var isWanted = false

  /// Prints the value as JSON where that is wanted, else as text.
  func print<Value: Encodable>(_ value: Value, _ text: (Value) -> String) throws {
    try isWanted ? Output.json(value) : Output.line(text(value))
  }
}

enum ControlSocket {
  /// The socket to talk to: the one named, else the first place with a daemon, else the first with a socket at all.
  /// - Throws: `Failure`, exit code 3, that lists the places.
  static func path(named: String?, environment: Environment) throws(Failure) -> String {
    if let named { return named }
    if let set = environment["DESKBELL_CONTROL"] { return set }
    let places = places(environment)
    let present = places.filter { state(of: $0) != .absent }
    if let place = present.first(where: { state(of: $0) == .answers }) ?? present.first { return place }
    throw .noDaemon("no daemon is there: no socket at \(places.joined(separator: " or "))")
  }

  /// Where a daemon may have put its socket, the likeliest first.
  static func places(_ environment: Environment) -> [String] {
    var places = ["/run/deskbell/control.sock"]
    if let state = environment["DESKBELL_STATE"] { places.append("\(state)/control.sock") }
    places.append("/var/lib/deskbell/control.sock")
    if let state = environment["XDG_STATE_HOME"] {
      places.append("\(state)/deskbell/control.sock")
    } else if let home = environment["HOME"] {
      places.append("\(home)/.local/state/deskbell/control.sock")
    }
    return places
  }

  enum State { case absent, deserted, answers }

  /// A socket without permission to connect counts as one that answers.
  static func state(of path: String) -> State {
    guard let address = UnixAddress(path) else { return .absent }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .absent }
    defer { close(descriptor) }
    if address.connect(descriptor) == 0 { return .answers }
    return switch errno {
    case ENOENT, ENOTDIR: .absent
    case ECONNREFUSED, ENOTSOCK: .deserted
    default: .answers
    }
  }
}

/// Environment variables; an empty one counts as not set.
struct Environment: Sendable {
  private let variables: [String: String]

  init(_ variables: [String: String]) {
    self.variables = variables
  }

  static var ofProcess: Environment { Environment(ProcessInfo.processInfo.environment) }

  subscript(name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
