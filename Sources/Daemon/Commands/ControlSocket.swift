import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import Glibc
import UnixSockets

/// `--json` and the daemon, for every command that prints an answer of it.
struct DaemonQuery: ParsableArguments {
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func client() throws(Failure) -> ControlClient { try control.client() }
}

/// The same for an answer about one handset.
struct HandsetQuery: ParsableArguments {
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func client() throws(Failure) -> ControlClient { try control.client() }
}

/// `--control`, for every command that talks to the daemon.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "The daemon's control socket. Default: $DESKBELL_CONTROL, else the daemon's usual place.", valueName: "socket"))
  var socket: String?

  /// - Throws: `Failure` if none of the places has a socket.
  func client() throws(Failure) -> ControlClient {
    ControlClient(socket: try ControlSocket.path(named: socket, environment: Environment.ofProcess))
  }

  /// Finds `--control` and `--handset` on an unfinished command line, which cannot be parsed.
  static func named(in words: [String]) -> (socket: String?, handset: String?) {
    func value(of option: String) -> String? {
      for (word, next) in zip(words, words.dropFirst() + [""]) {
        if word == option { return next.isEmpty ? nil : next }
        if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      }
      return nil
    }
    return (value(of: "--control"), value(of: "--handset"))
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

  func client() throws(Failure) -> ControlClient {
    try HandsetOptions.client(socket: control.socket, handset: name)
  }

  static func client(socket: String?, handset: String?) throws(Failure) -> ControlClient {
    let environment = Environment.ofProcess
    return ControlClient(
      socket: try ControlSocket.path(named: socket, environment: environment),
      handset: handset ?? environment["DESKBELL_HANDSET"])
  }
}

/// Completions of names that a shell can only get from the daemon.
extension CompletionKind {
  static var apps: CompletionKind { names { try await $0.apps().map(\.id) } }
  static var providers: CompletionKind { names { try await $0.providers().map(\.name) } }
  static var handsets: CompletionKind { names { try await $0.handsets().map(\.name) } }
  static func keys(_ way: KeyKind) -> CompletionKind { names { try await $0.keys(way).map(\.name) } }
  /// The keys of the handset's settings, and the apps, which have their own.
  static var appsAndSettings: CompletionKind {
    names { try await $0.apps().map(\.id) + $0.settings(of: nil).map(\.key) }
  }
  static var conditions: CompletionKind { names { try await $0.conditions().map(\.key) } }

  /// Returns no names if no daemon answers: a shell cannot show a message.
  private static func names(
    _ ask: @escaping @Sendable (ControlClient) async throws -> [String]
  ) -> CompletionKind {
    .custom { words, _, _ in
      let options = ControlOptions.named(in: words)
      guard let client = try? HandsetOptions.client(socket: options.socket, handset: options.handset) else { return [] }
      return (try? await ask(client)) ?? []
    }
  }
}

enum ControlSocket {
  /// Returns the socket of the option, else the first that this user may connect to, else one of another user's daemon,
  /// else one left behind by a daemon.
  /// - Throws: `Failure`, exit code 3, that lists the places.
  static func path(named: String?, environment: Environment) throws(Failure) -> String {
    if let named { return named }
    if let set = environment["DESKBELL_CONTROL"] { return set }
    let places = places(environment)
    guard let path = choice(among: places) else {
      throw .noDaemon("no daemon is there: no socket at \(places.joined(separator: " or "))")
    }
    return path
  }

  static func choice(among places: [String], state: (String) -> State = state(of:)) -> String? {
    let states = places.map { (path: $0, state: state($0)) }
    return [State.answers, .forbidden, .deserted].lazy
      .compactMap { wanted in states.first { $0.state == wanted }?.path }.first
  }

  /// Returns the usual places of a daemon's socket, the most likely first.
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

  enum State { case absent, deserted, forbidden, answers }

  static func state(of path: String) -> State {
    guard let address = UnixAddress(path) else { return .absent }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .absent }
    defer { close(descriptor) }
    if address.connect(descriptor) == 0 { return .answers }
    return switch errno {
    case ENOENT, ENOTDIR: .absent
    case ECONNREFUSED, ENOTSOCK: .deserted
    case EACCES, EPERM: .forbidden
    default: .answers
    }
  }
}

extension Failure {
  /// Returns the failure for another user's daemon, with the command that gives access to it.
  static func noPermission(_ path: String) -> Failure {
    var status = stat()
    let holder = SocketHolder.ofSocket(at: path).map { " of \($0)" } ?? ""
    let group =
      stat(path, &status) == 0 && status.st_gid != 0 && status.st_mode & 0o060 == 0o060
      ? getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } : nil
    return Failure("no permission to use \(path)\(holder)", hint: Membership.advice(group: group))
  }
}

/// Membership of the group that may use a control socket.
enum Membership {
  /// - Parameters:
  ///   - group: nil if only the socket's owner may use it.
  ///   - user: nil for a user without a name.
  ///   - isMember: looks in the system's list. A session keeps the groups that it began with.
  static func advice(
    group: String?, user: String? = SocketHolder.name(of: geteuid()),
    isMember: (String, String) -> Bool = isMember(_:of:)
  ) -> String {
    guard let group, let user else {
      return "run this as root, or start a daemon of your own: deskbell serve --board simulated --listen '*:2297'"
    }
    if isMember(user, group) { return "\(user) is in the group \(group) since this login: log in again" }
    return "join its group, and log in again: sudo usermod --append --groups \(group) \(user)"
  }

  /// Returns the user who ran sudo, if that user is not in the service's group yet.
  static func newMember(
    _ environment: Environment, isMember: (String, String) -> Bool = isMember(_:of:)
  ) -> String? {
    guard let user = environment["SUDO_USER"], user != "root", !isMember(user, SystemService.group) else { return nil }
    return user
  }

  static func isMember(_ user: String, of group: String) -> Bool {
    guard let entry = getgrnam(group) else { return false }
    var members = entry.pointee.gr_mem
    while let member = members?.pointee {
      if String(cString: member) == user { return true }
      members = members?.advanced(by: 1)
    }
    return false
  }
}

/// The environment variables; an empty one counts as not set.
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
