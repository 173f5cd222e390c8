// The gateway is an edge, so it may read the time; tests give it a clock of their own. It has two wall clocks, because
// `--clock virtual` moves the handset's clock and must not make real credentials expire.

import Clocks
import Glibc
import HandsetCore
import ServerIdentity

public struct GatewayClock: Sendable {
  /// The machine's wall clock: ages of provider tokens.
  public var real: @Sendable () -> WallTime
  /// The wall clock that the handset goes by: expirations of pushes.
  public var handset: @Sendable () -> WallTime
  /// Whether the machine's clock was set from somewhere. A board without a battery clock starts in the past, so until
  /// then a token may be any time ahead.
  public var isSynchronised: @Sendable () -> Bool
  /// The monotonic clock, for rates.
  public var uptime: @Sendable () -> Duration
  /// The machine's time zone around a time.
  public var zone: @Sendable (WallTime) -> TimeZoneTable = { SystemTimeZone.table(around: $0) }

  public init(
    real: @escaping @Sendable () -> WallTime, handset: @escaping @Sendable () -> WallTime,
    isSynchronised: @escaping @Sendable () -> Bool, uptime: @escaping @Sendable () -> Duration = SystemClock.uptime
  ) {
    self.uptime = uptime
    self.real = real
    self.handset = handset
    self.isSynchronised = isSynchronised
  }

  /// The machine's clock for all.
  public static let system = GatewayClock(
    real: SystemClock.wallTime, handset: SystemClock.wallTime, isSynchronised: systemClockIsSynchronised)
}

/// A clock before 2026 is wrong. A later one counts as right, unless systemd-timesyncd, which sets the time of the last
/// shutdown at boot, has not reached a time server yet.
private func systemClockIsSynchronised() -> Bool {
  guard SystemClock.wallTime() >= CertificateAuthority.earliestPlausibleTime else { return false }
  let timesync = "/run/systemd/timesync"
  return access(timesync, F_OK) != 0 || access("\(timesync)/synchronized", F_OK) == 0
}
