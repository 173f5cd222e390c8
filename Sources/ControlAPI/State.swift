import HTTPRoutes
import HandsetCore

/// One handset: it takes inputs, and shows something.
public protocol HandsetBackend: Sendable {
  var name: String { get }
  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` 503 where it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict
  func state() async throws(ControlError) -> StateReport
}

/// What `GET /v1/state` answers.
public struct StateReport: Codable, Sendable, Equatable {
  public var version: String
  public var handset: Int64
  /// The handset's name.
  public var name: String
  public var isOnBoard: Bool
  /// What the 2008 service knows the handset by: 40 hexadecimal digits.
  public var deviceID: String
  /// Of the handset's clock, which may be a virtual one.
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  /// Since the daemon started, in real time.
  public var daemonUptimeMicroseconds: Int64
  /// Where providers send to: `0.0.0.0:2197`; nil where the gateway could not be started, and `devices` says why.
  public var pushAddress: String?
  /// Where the port without TLS is; absent where there is none.
  public var httpAddress: String?
  public var presentation: PresentationReport
  /// Notifications that are listed and not seen.
  public var unseen: Int
  public var apps: Int
  /// The devices of the board, the speaker, the gateway and the panel, each with what is wrong with it.
  public var devices: [DeviceReport]
  /// The newest event's sequence number, 0 before the first: a reader that follows the events after it misses none.
  public var lastEvent: UInt64
  /// Whether these are quiet hours.
  public var quietHours: Bool
  /// What is silent until when (rule N12).
  public var snoozes: [SnoozeReport] = []
  /// How far the handset's own clock is ahead of UTC; negative west of Greenwich.
  public var utcOffsetSeconds: Int
  /// Of the handset's own clock: 0 at midnight.
  public var secondOfDay: Int64 { (wallMicroseconds / 1_000_000 + Int64(utcOffsetSeconds)) % 86_400 }
  /// How the display is refreshed; nil where it refreshes itself, or there is none.
  public var scan: Scan?
  /// How much of each limit is used.
  public var usage: UsageReport?
  /// The settings file that the daemon read at its start; nil if it had none.
  public var settingsFile: String?
  /// Where the daemon stores; nil from a daemon before 0.7.2.
  public var stateDirectory: String?

  /// How the daemon refreshes a display that does not do so itself. Both numbers are since it started.
  public struct Scan: Codable, Sendable, Equatable {
    public var frames: Int
    /// Frames in which a digit's turn began too late by more than a tenth of it.
    public var lateFrames: Int
    /// Whether the system gave the thread real-time priority.
    public var isRealTime: Bool

    public init(frames: Int, lateFrames: Int, isRealTime: Bool) {
      self.frames = frames
      self.lateFrames = lateFrames
      self.isRealTime = isRealTime
    }
  }
}

extension StateReport {
  /// - Parameter daemonUptime: since it started, in real time.
  public init(
    of handset: Handset, _ identity: HandsetIdentity, isOnBoard: Bool, at now: Moment,
    presentation: PresentationReport, version: String, daemonUptime: Duration, pushAddress: String?,
    devices: [DeviceReport], scan: Scan?, usage: UsageReport?
  ) {
    self.init(
      version: version, handset: identity.id.number, name: identity.name, isOnBoard: isOnBoard,
      deviceID: identity.device.hex, uptimeMicroseconds: now.uptime.inMicroseconds,
      wallMicroseconds: now.wall.microseconds, daemonUptimeMicroseconds: daemonUptime.inMicroseconds,
      pushAddress: pushAddress, presentation: presentation, unseen: handset.unseenCount, apps: handset.apps.count,
      devices: devices, lastEvent: handset.record.nextEvent - 1,
      quietHours: handset.record.settings.quietHours?
        .contains(secondOfDay: handset.timeZone.secondOfDay(at: now.wall)) ?? false,
      snoozes: [SnoozeReport](of: handset, at: now), utcOffsetSeconds: handset.timeZone.offset(at: now.wall),
      scan: scan, usage: usage)
  }
}

/// A device of this installation.
public struct DeviceReport: Codable, Sendable, Equatable {
  /// `store`, `lamp`, `display`, `speaker`, `push gateway`.
  public var name: String
  public var works: Bool
  /// Which device, why not, and what to do; nil where it works.
  public var problem: String?
}

extension DeviceReport {
  public init(name: String, problem: String?) {
    self.init(name: name, works: problem == nil, problem: problem)
  }
}

/// What a person can see of the handset.
public struct PresentationReport: Codable, Sendable, Equatable {
  public struct Lamp: Codable, Sendable, Equatable {
    public var pattern: String
    public var sinceUptimeMicroseconds: Int64
    /// One repetition.
    public var steps: [Step]
  }

  /// One stretch of a lamp's pattern, as an eye sees it.
  public struct Step: Codable, Sendable, Equatable {
    public var lit: Bool
    public var milliseconds: Int64
    /// The share of the time in which the lamp is lit, 0 to 100. Between them where it flashes faster than an eye sees;
    /// from there the next step is approached evenly.
    public var brightness: Int
  }

  /// What the vibration motor plays, once and in real time, also where the handset's clock is a virtual one.
  public struct Motor: Codable, Sendable, Equatable {
    public var pattern: String
    /// Since the pattern began.
    public var elapsedMilliseconds: Int64
    /// All of them.
    public var steps: [MotorStep]
  }

  /// One stretch of a motor's pattern.
  public struct MotorStep: Codable, Sendable, Equatable {
    public var runs: Bool
    public var milliseconds: Int64
  }

  /// The number on the display; 0 is dark.
  public var badge: Int
  /// What the digits show: `"  12"`; nil where the handset is on no board, or its board has no display.
  public var digits: String?
  /// Each digit's lit segments, leftmost first: bit 0 is segment a (top), then clockwise b to f; bit 6 is g (middle),
  /// bit 7 the point. Nil as `digits`.
  public var segments: [Int]?
  /// Whether the display blinks, one second a cycle.
  public var segmentsBlink = false
  /// Whether these are night hours and the display is dimmer; false while it is dark.
  public var dimmed = false
  /// Nil is dark.
  public var lamp: Lamp?
  /// Nil where the motor is still, or there is none.
  public var motor: Motor?
  public var banner: NotificationReport?
  /// When the banner goes by itself; nil where there is none.
  public var bannerUntilUptimeMicroseconds: Int64?
  /// The alert on top; its buttons are among its fields.
  public var alert: NotificationReport?
  /// Alerts that wait below it.
  public var alertsBelow: Int
}

extension PresentationReport {
  /// Without display and motor, which a board has.
  /// - Parameter report: reads a notification's words as far as they are seen there.
  public init(
    of handset: Handset, at now: Moment,
    report: (Notification, NotificationContent.Place) throws -> NotificationReport
  ) rethrows {
    let shown = handset.presentation(at: now)
    self.init(
      badge: Int(clamping: shown.badge), dimmed: shown.isDimmed, lamp: shown.lamp.map(Lamp.init),
      banner: try shown.banner.flatMap { handset.notification($0.notification) }.map { try report($0, .banner) },
      bannerUntilUptimeMicroseconds: shown.banner?.until.inMicroseconds,
      alert: try shown.alert.flatMap { alert in
        try handset.notification(alert.notification).map { try report($0, .alert).selecting(alert.selected) }
      },
      alertsBelow: shown.alert?.below ?? 0)
  }
}

extension PresentationReport.Lamp {
  fileprivate init(_ lamp: Presentation.Lamp) {
    self.init(
      pattern: lamp.pattern.name, sinceUptimeMicroseconds: lamp.since.inMicroseconds,
      steps: PresentationReport.Lamp.seen(lamp.pattern.steps[...]))
  }

  /// Flashes, each lit and then dark within `flash`, become steps of their brightness, of about `blur` each.
  static func seen(_ steps: ArraySlice<PatternStep>) -> [PresentationReport.Step] {
    let (flash, blur) = (Duration.milliseconds(20), Duration.milliseconds(50))
    var (rest, seen) = (steps, [PresentationReport.Step]())
    while let step = rest.first {
      var (lit, whole) = (Duration.zero, Duration.zero)
      while whole < blur, let on = rest.first, let off = rest.dropFirst().first, on.isOn, !off.isOn,
        on.duration + off.duration <= flash
      {
        (lit, whole) = (lit + on.duration, whole + on.duration + off.duration)
        rest = rest.dropFirst(2)
      }
      if whole == .zero {
        (lit, whole) = (step.isOn ? step.duration : .zero, step.duration)
        rest = rest.dropFirst()
      }
      seen.append(
        .init(
          lit: lit > .zero, milliseconds: whole.inMicroseconds / 1000,
          brightness: Int(lit.inMicroseconds * 100 / whole.inMicroseconds)))
    }
    return seen
  }
}

extension PresentationReport.Motor {
  public init(_ pattern: VibrationPattern, after elapsed: Duration) {
    self.init(
      pattern: pattern.name, elapsedMilliseconds: elapsed.inMicroseconds / 1000,
      steps: pattern.steps.map { .init(runs: $0.isOn, milliseconds: $0.duration.inMicroseconds / 1000) })
  }
}

struct PressRequest: RequestBody, Sendable {
  /// `view` or `close`; nil with an action.
  var button: String?
  /// `short` or `long`; nil is short.
  var length: String?
  /// Identifier or title of an action of the alert on top (rule N15).
  var action: String?
  /// For an action that takes one.
  var text: String?

  enum CodingKeys: CodingKey, CaseIterable { case button, length, action, text }

  func input() throws(ControlError) -> Input {
    guard let button else {
      guard let action, length == nil else { throw ControlError(400, "a press needs a button, or an action alone") }
      return .respond(nil, action: action, text: text)
    }
    guard action == nil, text == nil else {
      throw ControlError(400, "a button has neither an action nor a text", hint: "leave out the button")
    }
    let word = length ?? PressLength.short.rawValue
    guard let length = PressLength(rawValue: word) else {
      throw ControlError(
        400, "a press is short or long, not '\(shown(word))'",
        hint: hint(for: word, among: PressLength.allCases.map(\.rawValue)))
    }
    return .press(try known(button, of: "button"), length)
  }
}

enum StateResource {
  static let routes = [
    HandsetRoute("GET", "/state") { handset, _ in try .json(await handset.handset.state()) },
    // Answers with what can be seen then: the alert below, if there is one.
    HandsetRoute("POST", "/press") { handset, request in
      let press: PressRequest = try request.body()
      try await handset.submit(press.input())
      return try .json(await handset.handset.state().presentation)
    },
  ]
}
