import Clocks
import Glibc
import HandsetCore
import ServerIdentity

/// The clocks of the port, which tests replace. There are two wall clocks, because `--clock virtual` alone moves the
/// handset's clock and must not make real credentials expire.
public struct PortClock: Sendable {
  /// The machine's wall clock, for the age of provider tokens and the validity of client certificates.
  public var real: @Sendable () -> WallTime
  /// The handset's wall clock, for the expiration of pushes.
  public var handset: @Sendable () -> WallTime
  /// Returns true if the machine's clock was set. A board without a battery clock starts in the past, so until then a
  /// token may be any time ahead.
  public var isSynchronised: @Sendable () -> Bool
  /// The monotonic clock, for the rates of providers and refusals.
  public var uptime: @Sendable () -> Duration = SystemClock.uptime
  /// The monotonic clock, for the frames of connections and the machine's networks. It is the machine's even if the
  /// others are joined to a virtual clock, which would never forgive a connection its frames.
  public var machineUptime: @Sendable () -> Duration = SystemClock.uptime
  /// Returns the machine's time zone around a time.
  public var zone: @Sendable (WallTime) -> TimeZoneTable = { SystemTimeZone.table(around: $0) }

  public static let system = PortClock(
    real: SystemClock.wallTime, handset: SystemClock.wallTime, isSynchronised: systemClockIsSynchronised)

  /// Returns the clocks of a port that judges credentials and rates by the handset's clock, for a bench whose provider
  /// follows it too.
  public static func joined(to clock: any Clock) -> PortClock {
    PortClock(
      real: { clock.now().wall }, handset: { clock.now().wall }, isSynchronised: { true },
      uptime: { clock.now().uptime })
  }
}

/// Returns true if the clock is plausible. Before 2026 it is wrong. A later time counts as right, unless
/// systemd-timesyncd, which restores the time of the last shutdown at boot, has not reached a time server yet.
private func systemClockIsSynchronised() -> Bool {
  guard SystemClock.wallTime() >= CertificateAuthority.earliestPlausibleTime else { return false }
  let timesync = "/run/systemd/timesync"
  return access(timesync, F_OK) != 0 || access("\(timesync)/synchronized", F_OK) == 0
}
