// A certificate that somebody renews every few weeks must come into use without an end to all connections. Everything
// else that the configuration says waits for a restart, which refuses no push where systemd holds the sockets.

import HandsetCore
import Logging
import ServerIdentity
import Synchronization

/// Reads the configuration again when the service manager says so.
final class Reload: Sendable {
  private let options: DaemonOptions
  private let configuration: Configuration
  private let use: @Sendable (TLSIdentity) throws -> Void
  private let logger: Logger

  /// - Parameters:
  ///   - configuration: what was read at the start.
  ///   - use: puts a certificate into service.
  init(
    _ options: DaemonOptions, _ configuration: Configuration, logger: Logger,
    use: @escaping @Sendable (TLSIdentity) throws -> Void
  ) {
    self.options = options
    self.configuration = configuration
    self.logger = logger
    self.use = use
  }

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
      logger.error("the configuration stays as it was: \(error)")
    }
  }
}

extension Configuration {
  /// The keys, as the file has them, of what a restart would change.
  func keys(differingFrom other: Configuration) -> [String] {
    var keys: [String] = []
    func compare<Value: Equatable>(_ key: String, _ value: (Configuration) -> Value) {
      if value(self) != value(other) { keys.append(key) }
    }
    compare("listen", \.listen)
    compare("tls-names", \.names)
    // The files may be others, the daemon's own certificate is something else.
    compare("certificate") { $0.certificate == nil }
    compare("environment", \.pushEnvironment)
    compare("board", \.board)
    compare("panel", \.panel)
    compare("handsets", \.handsets)
    compare("board-handset", \.boardHandset)
    compare("speaker", \.speaker)
    compare("speaker.duck", \.duck)
    compare("limits", \.limits)
    compare("state", \.state)
    compare("control", \.control)
    compare("language", \.language)
    compare("default-sound", \.defaultSound)
    return keys
  }
}
