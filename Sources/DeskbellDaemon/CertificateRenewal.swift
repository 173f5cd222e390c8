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
  private let now: @Sendable () -> WallTime
  private let alarm = Mutex<WallAlarms.Alarm?>(nil)

  /// - Parameter now: the machine's wall clock.
  init(
    folder: String, extraNames: [String], now: @escaping @Sendable () -> WallTime = { SystemClock().now().wall }
  ) {
    self.folder = folder
    self.extraNames = extraNames
    self.now = now
  }

  /// The authority and the certificate as they are to be used now, made where that is due.
  func current() throws -> CertificateAuthority {
    try CertificateAuthority.loadOrCreate(
      in: folder, now: now(), names: CertificateNames.machine(extra: extraNames))
  }

  /// Looks after the server's certificate until `stop`.
  /// - Parameters:
  ///   - renewAt: when it is to be renewed, as `current` said.
  ///   - use: puts a new one into service.
  func renew(
    at renewAt: WallTime, alarms: WallAlarms, logger: Logger, use: @escaping @Sendable (TLSIdentity) throws -> Void
  ) {
    let alarm = alarms.alarm { [weak self] in self?.look(logger: logger, use: use) }
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

  private func look(logger: Logger, use: (TLSIdentity) throws -> Void) {
    let retryAt = now().advanced(by: Limits.retryInterval)
    var next = retryAt
    do {
      let authority = try current()
      if authority.made != .nothing {
        try use(authority.identity)
        logger.notice("made a new server certificate")
      }
      next = max(authority.renewAt, retryAt)
    } catch {
      logger.error("the server certificate cannot be renewed: \(error)")
    }
    alarm.withLock(\.self)?.set(next)
  }
}
