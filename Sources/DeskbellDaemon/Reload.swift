// A certificate that somebody renews every few weeks must come into use without an end to all connections. Everything
// else that the configuration says waits for a restart, which refuses no push where systemd holds the sockets.

import Logging
import ServerIdentity

/// Reads the configuration again when the service manager says so.
struct Reload: Sendable {
  let options: DaemonOptions
  /// What was read at the start.
  let configuration: Configuration
  let logger: Logger
  /// Puts a certificate into service.
  let use: @Sendable (TLSIdentity) throws -> Void

  /// Does what can be done now, and logs what cannot. A file that is wrong changes nothing.
  func run() {
    do {
      let new = try Configuration(options)
      let later = new.keys(differingFrom: configuration)
      if let own = new.certificate, configuration.certificate != nil {
        try use(TLSIdentity(certificateChainFile: own.chain, keyFile: own.key))
        logger.notice("reloaded: the certificate \(own.chain)")
      }
      if !later.isEmpty {
        logger.warning("read, and in force after the next restart: \(later.joined(separator: ", "))")
      }
    } catch {
      for line in "\(error)".split(separator: "\n") { logger.error("the configuration stays as it was: \(line)") }
    }
  }
}

extension Configuration {
  /// The keys, as the file has them, of what a restart would change.
  func keys(differingFrom other: Configuration) -> [String] {
    let differences: [(key: String, isOther: Bool)] = [
      ("listen", listen != other.listen), ("tls-names", names != other.names),
      // The files may be others, the daemon's own certificate is something else.
      ("certificate", (certificate == nil) != (other.certificate == nil)),
      ("environment", pushEnvironment != other.pushEnvironment), ("board", board != other.board),
      ("display", display != other.display),
      ("panel", panel != other.panel), ("handsets", handsets != other.handsets),
      ("board-handset", boardHandset != other.boardHandset), ("speaker", speaker != other.speaker),
      ("speaker.duck", duck != other.duck), ("limits", limits != other.limits), ("state", state != other.state),
      ("control", control != other.control), ("language", language != other.language),
      ("fleet", fleet != other.fleet), ("default-sound", defaultSound != other.defaultSound),
    ]
    return differences.filter(\.isOther).map(\.key)
  }
}
