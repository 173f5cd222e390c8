// With an expired server certificate no push arrives, and the failure may go unnoticed. So it is renewed at two thirds
// of its life, and checked whenever the clock is set, since a board's clock may be set by years at any time. Clients
// trust its authority, which is therefore renewed only at the user's command.

import Clocks
import HandsetCore
import Logging
import ServerIdentity
import Synchronization

/// The certificates in a folder of the state directory.
struct CertificateFolder: Sendable {
  let path: String
  /// Names for the server's certificate besides those of the machine.
  let extraNames: [String]
  var now: @Sendable () -> WallTime = { SystemClock().now().wall }

  var names: CertificateNames { get throws { try CertificateNames.machine(extra: extraNames) } }

  /// Returns the authority and the certificate at a start, and makes them if there are none.
  func current() throws -> CertificateAuthority {
    try CertificateAuthority.loadOrCreate(in: path, now: now(), names: names)
  }
}

/// The renewal of the server's own certificate, until `stop`.
final class CertificateRenewal: Sendable {
  enum Limits {
    /// The time until the next try after a failure; also the least time between two checks without a clock change.
    static let retryInterval: Duration = .seconds(24 * 3600)
  }

  struct Uses: Sendable {
    var certificate: @Sendable (TLSIdentity) throws -> Void
    var standing: @Sendable (CertificateAuthority.Standing) -> Void = { _ in }
  }

  private let folder: CertificateFolder
  private let logger: Logger
  /// The lock allows one check of the files at a time: the clock and the user may cause one at the same moment.
  private let uses: Mutex<Uses>
  private let alarm = Mutex<WallAlarms.Alarm?>(nil)
  /// The time of the next check.
  private let due: Mutex<WallTime>
  private let lastStanding: Mutex<CertificateAuthority.Standing>

  var standing: CertificateAuthority.Standing { lastStanding.withLock(\.self) }

  /// - Parameter alarms: nil if the folder's clock is virtual: its owner then reports each move to `clockMoved`.
  init(
    of folder: CertificateFolder, current: CertificateAuthority, alarms: WallAlarms?, logger: Logger, uses: Uses
  ) {
    self.folder = folder
    self.logger = logger
    self.uses = Mutex(uses)
    lastStanding = Mutex(current.standing)
    due = Mutex(max(current.renewAt, folder.now().advanced(by: Limits.retryInterval)))
    report(current.standing, uses)
    let alarm = alarms?.alarm { [self] in look() }
    self.alarm.withLock { $0 = alarm }
    alarm?.set(due.withLock(\.self))
  }

  /// Checks the certificate if a virtual clock has reached the time of that.
  func clockMoved() {
    if folder.now() >= due.withLock(\.self) { look() }
  }

  func stop() {
    // Released outside of the lock.
    _ = alarm.withLock { $0.take() }
  }

  func renewAuthority() throws -> CertificateAuthority {
    let renewed = try uses.withLock { uses in
      let renewed = try CertificateAuthority.renew(in: folder.path, now: folder.now(), names: folder.names)
      try uses.certificate(renewed.identity)
      report(renewed.standing, uses)
      return renewed
    }
    set(renewed.renewAt)
    return renewed
  }

  private func look() {
    let retryAt = folder.now().advanced(by: Limits.retryInterval)
    var next = retryAt
    do {
      next = try uses.withLock { uses in
        let authority = try CertificateAuthority.load(in: folder.path, now: folder.now(), names: folder.names)
        if authority.made != .nothing {
          try uses.certificate(authority.identity)
          logger.notice("made a new server certificate")
        }
        report(authority.standing, uses)
        return max(authority.renewAt, retryAt)
      }
    } catch {
      logger.error("the server certificate cannot be renewed: \(error)")
    }
    set(next)
  }

  private func set(_ time: WallTime) {
    due.withLock { $0 = time }
    alarm.withLock(\.self)?.set(time)
  }

  private func report(_ standing: CertificateAuthority.Standing, _ uses: Uses) {
    lastStanding.withLock { $0 = standing }
    switch standing {
    case .good: break
    case .notable(let texts): for text in texts { logger.warning("\(text)") }
    case .ended(let text): logger.error("\(text)")
    }
    uses.standing(standing)
  }
}
