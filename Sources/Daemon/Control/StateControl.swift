import Board
import Clocks
import ControlAPI
import HandsetCore
import HandsetStore
import Host

/// The daemon's status.
struct DaemonStatus: Sendable {
  let devices: DeviceTable
  /// The address that providers send to.
  let pushAddress: String
  /// The address of the port without TLS; nil if there is none.
  let httpAddress: String?
  /// The system's uptime at its start.
  let started: Duration
  /// The panel of the board; nil without a board.
  let panel: Front?
  /// The path of the settings file; nil if there is none.
  let settingsFile: String?
  let stateDirectory: String
  /// The use of the push port by each provider.
  let providers: @Sendable () -> [UsageReport.Provider]
}

/// The board's outputs for its handset, besides the lamp.
struct BoardStatus: Sendable {
  let display: BoardDescription.Display?
  /// The pattern that the motor plays at an uptime of the system, and the time since it began.
  let vibration: @Sendable (Duration) -> (pattern: VibrationPattern, elapsed: Duration)?

  func complete(_ presentation: inout PresentationReport, badge: Int128) {
    if let text = display.map({ SegmentText(badge: badge, on: $0) }) {
      presentation.digits = text.characters
      presentation.segments = text.digits.map(Int.init)
      presentation.segmentsBlink = text.blinks
    }
    presentation.motor = vibration(SystemClock().now().uptime).map { .init($0.pattern, after: $0.elapsed) }
  }
}

/// A handset's inputs and its state in the control API.
struct StateControl: HandsetBackend {
  let access: HandsetAccess
  let daemon: DaemonStatus
  /// The board's outputs; nil for a handset that is not on the board.
  let board: BoardStatus?

  var name: String { access.identity.name }

  func submit(_ input: Input) async throws(ControlError) -> Verdict { try await access.submit(input) }

  func state() async throws(ControlError) -> StateReport {
    let scan = daemon.panel?.scanReport.map {
      StateReport.Scan(frames: $0.frames, lateFrames: $0.lateFrames, isRealTime: $0.isRealTime)
    }
    let devices = daemon.devices.all.map { DeviceReport(name: $0.name, problem: $0.problem) }
    return try await access.read { handset, store, number, now in
      var presentation = try PresentationReport(of: handset, at: now) {
        try NotificationReport($0, of: handset, in: $1, store: store, number: number)
      }
      board?.complete(&presentation, badge: handset.presentation(at: now).badge)
      var report = StateReport(
        of: handset, access.identity, isOnBoard: board != nil, at: now, presentation: presentation,
        version: Daemon.version, daemonUptime: SystemClock().now().uptime - daemon.started,
        pushAddress: daemon.pushAddress, devices: devices, scan: scan,
        usage: try UsageReport(of: handset, events: store.eventCount(of: number), providers: daemon.providers()))
      report.httpAddress = daemon.httpAddress
      (report.settingsFile, report.stateDirectory) = (daemon.settingsFile, daemon.stateDirectory)
      return report
    }
  }
}

extension NotificationReport {
  /// - Parameter place: where it is shown, which determines how much of its text is visible (rule N6).
  init(
    _ notification: Notification, of handset: Handset, in place: NotificationContent.Place, store: HandsetStore,
    number: HandsetID
  ) throws {
    var content = try store.content(of: notification.id, handset: number)?.shortened(for: place)
    if handset.hidesPreview(of: notification) { content = content?.withoutPreview }
    self.init(
      notification, content, actions: handset.actions(of: notification),
      isLocked: handset.record.conditions.contains(.locked))
  }
}
