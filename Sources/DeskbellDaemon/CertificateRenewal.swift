// A server certificate that ran out is a bell that no longer rings, and nobody watches a bell. It is renewed long
// before, and looked at whenever the clock is set, since a board's clock may be set by years at any time.

import HandsetCore
import Logging
import PushGateway
import Synchronization

/// Keeps the server's own certificate good.
final class CertificateRenewal: Sendable {
  enum Limits {
    /// Until the next try after one that failed; also the least between two looks that the clock did not cause.
    static let retryInterval: Duration = .seconds(24 * 3600)
  }

  private let folder: String
  private let extraNames: [String]
  private let alarm = Mutex<WallAlarms.Alarm?>(nil)

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
  /// - Parameter renewAt: when it is to be renewed, as `current` said.
  func renew(_ server: PushServer, at renewAt: WallTime, alarms: WallAlarms, logger: Logger) {
    let alarm = alarms.alarm { [weak self] in self?.look(after: server, logger: logger) }
    self.alarm.withLock { $0 = alarm }
    alarm.set(renewAt)
  }

  func stop() {
    let alarm = alarm.withLock { alarm in
      defer { alarm = nil }
      return alarm
    }
    // Let go outside of the lock.
    _ = alarm
  }

  private func look(after server: PushServer, logger: Logger) {
    let retryAt = SystemClock().now().wall.advanced(by: Limits.retryInterval)
    var next = retryAt
    do {
      let authority = try current()
      if authority.made != .nothing {
        try server.use(authority.identity)
        logger.notice("made a new server certificate")
      }
      next = max(authority.renewAt, retryAt)
    } catch {
      logger.error("the server certificate cannot be renewed: \(error)")
    }
    alarm.withLock(\.self)?.set(next)
  }
}
