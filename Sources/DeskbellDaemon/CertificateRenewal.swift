// A server certificate that ran out is a bell that no longer rings, and nobody watches a bell. It is renewed long
// before, and looked at once a day, since a board's clock may be set by years at any time.

import HandsetCore
import Logging
import NIOCore
import PushGateway
import Synchronization

/// Keeps the server's own certificate good.
final class CertificateRenewal: Sendable {
  private let folder: String
  private let extraNames: [String]
  private let timer = Mutex<RepeatedTask?>(nil)

  init(folder: String, extraNames: [String]) {
    self.folder = folder
    self.extraNames = extraNames
  }

  /// The authority and the certificate as they are to be used now, made where that is due.
  func current() throws -> CertificateAuthority {
    try CertificateAuthority.loadOrCreate(
      in: folder, now: SystemClock().now().wall, names: CertificateNames.machine(extra: extraNames))
  }

  /// Looks after the server's certificate until `stop`.
  func renew(_ server: PushServer, on eventLoop: any EventLoop, logger: Logger) {
    let task = eventLoop.scheduleRepeatedTask(initialDelay: .hours(24), delay: .hours(24)) { [self] _ in
      do {
        let authority = try current()
        guard authority.made != .nothing else { return }
        try server.use(authority.identity)
        logger.notice("made a new server certificate")
      } catch {
        logger.error("the server certificate cannot be renewed: \(error)")
      }
    }
    timer.withLock { $0 = task }
  }

  func stop() {
    timer.withLock { $0?.cancel() }
  }
}
