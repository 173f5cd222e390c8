import FoundationEssentials
import Glibc
import HTTP

/// A bench that scenarios run against: one that the runner started, or an existing one.
public struct ScenarioBench: Sendable {
  /// `bell.url` and the others.
  let values: [String: String]
  let client: BenchClient
  /// The bench's process; nil if it does not say it.
  let process: pid_t?
  private let program: ScenarioProgram?

  /// Uses an existing bench.
  /// - Throws: `BenchProblem` if there is none, or it is a desk's daemon.
  public static func existing(socket: String) async throws -> ScenarioBench {
    try await ScenarioBench(socket: socket, program: nil)
  }

  private init(socket: String, program: ScenarioProgram?) async throws {
    (client, self.program) = (BenchClient(socket: socket), program)
    do {
      var values = try await client.values()
      values["bell.control"] = socket
      self.values = values
      process = try await client.process()
    } catch let error as HTTPClientError {
      throw BenchProblem(description: "\(error)")
    }
  }

  /// Starts a bench, which ends with the runner.
  /// - Parameter command: the program and its arguments; it prints its values as JSON and ends when its standard input
  ///   does.
  /// - Throws: `BenchProblem`.
  public static func started(_ command: [String], environment: [String: String]) async throws -> ScenarioBench {
    let program = ScenarioProgram(
      command[0], command, environment: environment.map { "\($0.key)=\($0.value)" }, folder: "/", log: nil)
    let printed = await polled(within: .seconds(30)) { () -> [String: String]? in
      if program.status != nil { return [:] }
      return printedValues(program.lines)
    }
    guard let printed, !printed.isEmpty, printed["error"] == nil else {
      let words =
        printedValues(program.lines)?["error"] ?? program.problem ?? program.lines.last ?? "it printed nothing"
      await program.end()
      throw BenchProblem(description: "'\(command.joined(separator: " "))' gave no bench: \(words)")
    }
    guard let socket = printed["BELL_CONTROL"] ?? printed["control"] else {
      await program.end()
      throw BenchProblem(description: "the bench printed no BELL_CONTROL: is it of the same version?")
    }
    return try await ScenarioBench(socket: socket, program: program)
  }

  public func end() async { await program?.end(signal: nil) }

  /// Returns the object that the lines are, once it is complete.
  static func printedValues(_ lines: [String]) -> [String: String]? {
    let text = Data(lines.joined(separator: "\n").utf8)
    guard let object = try? JSONDecoder().decode([String: JSONValue].self, from: text) else { return nil }
    return object.compactMapValues { value in
      switch value {
      case .object, .array, .null: nil
      default: plainText(value)
      }
    }
  }
}

public struct BenchProblem: Error, CustomStringConvertible {
  public var description: String
}

/// An address of HTTP: `http://localhost:8080/mail`.
struct ScenarioURL: Sendable, Hashable {
  var host: String
  var port: Int
  /// Path and query.
  var target: String

  /// Returns nil if it is none.
  init?(_ text: String) {
    let schemes = [("http://", 80), ("https://", 443)]
    guard let (scheme, standard) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    target = String(rest[authority.endIndex...])
    if !target.hasPrefix("/") { target = "/" + target }
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      guard let port = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(port) else { return nil }
      (host, self.port) = (String(authority[..<colon]), port)
    } else {
      (host, port) = (String(authority), standard)
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { return nil }
  }
}

/// Returns a TCP port of this machine that nothing listens on; nil if there is none.
func freePort() -> Int? {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let bound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  return bound ? Int(UInt16(bigEndian: address.sin_port)) : nil
}
