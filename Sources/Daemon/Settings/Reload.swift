// A certificate that is renewed every few weeks must come into use without closing all connections. All other changes
// of the configuration wait for a restart, which refuses no push if systemd holds the sockets.

import Logging
import ServerIdentity

/// A new reading of the configuration when the service manager requests it.
struct Reload: Sendable {
  let options: DaemonOptions
  /// The configuration that was read at the start.
  let configuration: Configuration
  let logger: Logger
  /// Activates a certificate.
  let use: @Sendable (TLSIdentity) throws -> Void

  /// Applies the changes that are possible now, and logs the others. An invalid file changes nothing.
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
