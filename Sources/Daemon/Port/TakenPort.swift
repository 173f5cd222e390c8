import Glibc
import HTTP
import PushPort
import UnixSockets

/// The error for a port that is in use: the program that uses it, and the commands that help.
enum TakenPort {
  /// Adds the program that uses a port to the error of a server; other errors stay as they are.
  /// - Parameters:
  ///   - address: the requested address.
  ///   - other: the option that chooses another port: `--listen`.
  static func explained(_ error: any Error, at address: Configuration.Address, other: String) -> any Error {
    guard (error as? ListenError)?.isTaken ?? (error as? ServerError)?.isTaken ?? false else { return error }
    return DaemonError("cannot listen on \(address): \(problem(SocketHolder.ofPort(address.port), address, other))")
  }

  static func problem(_ holder: SocketHolder?, _ address: Configuration.Address, _ other: String) -> String {
    var free = address
    // A port 100 further is free more often than the next one.
    free.port += address.port < 65_400 ? 100 : -100
    let another = "choose another with \(other) '\(free)'"
    guard let holder else { return "another program has that port; stop it, or \(another)" }
    if holder.process == Int(getpid()) { return "this daemon has that port already; \(another)" }
    let stop = holder.stopping.map { "stop it with '\($0)'" } ?? "stop it"
    return "\(holder) has that port; \(stop), or \(another)"
  }
}
