// A server certificate that ran out is a bell that no longer rings, and nobody watches a bell. It is renewed long
// before, and looked at whenever the clock is set, since a board's clock may be set by years at any time. Its authority
// is what clients trust: that is renewed where a person says so, and never else.

import Clocks
import HandsetCore
import Logging
import ServerIdentity
import Synchronization

/// Keeps the server's own certificate good.
final class CertificateRenewal: Sendable {
  enum Limits {
    /// Until the next try after one that failed; also the least between two looks that the clock did not cause.
    static let retryInterval: Duration = .seconds(24 * 3600)
  }

  /// What comes of a look.
  struct Uses: Sendable {
    /// Puts a new certificate into service.
    var certificate: @Sendable (TLSIdentity) throws -> Void
    /// How the authority stands.
    var standing: @Sendable (CertificateAuthority.Standing) -> Void = { _ in }
  }

  private let folder: String
  private let extraNames: [String]
  private let now: @Sendable () -> WallTime
  private let alarm = Mutex<WallAlarms.Alarm?>(nil)
  /// One look at the files at a time: the clock's and a person's may come together.
  private let uses = Mutex<Uses?>(nil)

  /// - Parameter now: the machine's wall clock.
  init(
    folder: String, extraNames: [String], now: @escaping @Sendable () -> WallTime = { SystemClock().now().wall }
  ) {
    self.folder = folder
    self.extraNames = extraNames
    self.now = now
  }

  /// The authority and the certificate as a start finds them, made where there is none.
  func current() throws -> CertificateAuthority {
    try CertificateAuthority.loadOrCreate(
      in: folder, now: now(), names: CertificateNames.machine(extra: extraNames))
  }

  /// Looks after the server's certificate until `stop`.
  /// - Parameter current: what is in service.
  func start(with current: CertificateAuthority, alarms: WallAlarms, logger: Logger, uses: Uses) {
    self.uses.withLock { $0 = uses }
    report(current.standing, logger, uses)
    let alarm = alarms.alarm { [weak self] in self?.look(logger: logger) }
    self.alarm.withLock { $0 = alarm }
    alarm.set(max(current.renewAt, now().advanced(by: Limits.retryInterval)))
  }

  func stop() {
    let alarm = alarm.withLock { alarm in
      defer { alarm = nil }
      return alarm
    }
    // Let go outside of the lock.
    _ = alarm
  }

  /// Makes a new authority and puts a certificate by it into service.
  func renewAuthority() throws -> CertificateAuthority {
    let renewed = try uses.withLock { uses in
      let renewed = try CertificateAuthority.renew(
        in: folder, now: now(), names: CertificateNames.machine(extra: extraNames))
      try uses?.certificate(renewed.identity)
      uses?.standing(renewed.standing)
      return renewed
    }
    alarm.withLock(\.self)?.set(renewed.renewAt)
    return renewed
  }

  private func look(logger: Logger) {
    let retryAt = now().advanced(by: Limits.retryInterval)
    var next = retryAt
    do {
      next = try uses.withLock { uses in
        let authority = try CertificateAuthority.load(
          in: folder, now: now(), names: CertificateNames.machine(extra: extraNames))
        guard let uses else { return retryAt }
        if authority.made != .nothing {
          try uses.certificate(authority.identity)
          logger.notice("made a new server certificate")
        }
        report(authority.standing, logger, uses)
        return max(authority.renewAt, retryAt)
      }
    } catch {
      logger.error("the server certificate cannot be renewed: \(error)")
    }
    alarm.withLock(\.self)?.set(next)
  }

  private func report(_ standing: CertificateAuthority.Standing, _ logger: Logger, _ uses: Uses) {
    switch standing {
    case .good: break
    case .endsSoon(let text): logger.warning("\(text)")
    case .ended(let text): logger.error("\(text)")
    }
    uses.standing(standing)
  }
}
