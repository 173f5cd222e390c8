import Board
import Clocks
import HTTP
import HandsetCore
import HandsetStore
import Host

public struct StateReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The handset's presentation, and the state of the daemon's devices."

  public var version: String
  public var handset: Int64
  public var name: String
  public var isOnBoard: Bool
  public var deviceID: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  public var daemonUptimeMicroseconds: Int64
  public var pushAddress: String?
  public var httpAddress: String?
  public var channelsAddress: String?
  public var presentation: PresentationReport
  public var unseen: Int
  public var apps: Int
  public var devices: [DeviceReport]
  public var lastEvent: UInt64
  public var quietHours: Bool
  public var snoozes: [SnoozeReport] = []
  public var activities: [ActivityReport] = []
  public var waiting: [WaitingReport] = []
  public var focus = FocusState()
  public var summary = SummaryState()
  public var deferred = 0
  public var utcOffsetSeconds: Int
  public var secondOfDay: Int64 { (wallMicroseconds / 1_000_000 + Int64(utcOffsetSeconds)) % 86_400 }
  public var scan: Scan?
  public var usage: UsageReport?
  public var settingsFile: String?
  public var stateDirectory: String?

  static let meanings: [String: Meaning] = [
    "version": "The daemon's version.",
    "handset": "The handset's number.",
    "daemonUptimeMicroseconds": "The time since the daemon started, in real time.",
    "pushAddress": Meaning(
      "The address for providers, HOST:PORT; absent if the push port could not be started: devices has the "
        + "reason."),
    "channelsAddress":
      "The address of the port for the management of channels, HOST:PORT; absent if it has none of its own.",
    "httpAddress": "The address of the port without TLS, HOST:PORT; absent if there is none.",
    "presentation": "The visible state.",
    "devices": "The devices of the board, the speaker, the push port and the panel, each with its problem.",
    "lastEvent": .count(
      "The newest event's sequence number, 0 before the first: a reader that follows the events after it misses "
        + "none."),
    "quietHours": "True during quiet hours.",
    "snoozes": "The snoozes and their ends (N12).",
    "activities": "The Live Activities, oldest first (LA1).",
    "waiting": "The pushes that wait in the service, in the order in which they were sent (F1, F4).",
    "focus": "The Focus mode that is on (Q3).",
    "summary": "What waits for the scheduled summary (Q2).",
    "deferred": .count("The pushes that wait until low power ends, or for the summary (Q1, Q2)."),
    "utcOffsetSeconds": "The lead of the handset's local time over UTC; negative west of Greenwich.",
    "scan": "The refresh of the display; absent if the display refreshes itself, or there is none.",
    "usage": "The use of each limit.",
    "settingsFile": "The settings file that the daemon read at its start; absent if it had none.",
    "stateDirectory": "The directory in which the daemon stores its state.",
  ]

  public struct Scan: Codable, Sendable, Equatable, WireType {
    static let meaning =
      "The daemon's refresh of a display that does not refresh itself. Both numbers count from its start."

    public var frames: Int
    public var lateFrames: Int
    public var isRealTime: Bool

    static let meanings: [String: Meaning] = [
      "frames": .count("The number of frames."),
      "lateFrames": .count("Frames in which a digit's turn began late by more than a tenth of it."),
      "isRealTime": "True if the system gave the thread real-time priority.",
    ]
  }
}

public struct FocusState: Codable, Sendable, Equatable, WireType {
  static let meaning = "The Focus mode that is on."

  public var mode: String?
  public var untilWallMicroseconds: Int64?

  static let meanings: [String: Meaning] = [
    "mode": "Its name; absent if none is on.",
    "untilWallMicroseconds":
      "The end of its hours, in microseconds since 1970-01-01T00:00:00Z; absent if the person turned it on.",
  ]
}

public struct SummaryState: Codable, Sendable, Equatable, WireType {
  static let meaning = "What waits for the scheduled summary."

  public var nextWallMicroseconds: Int64?
  public var count = 0

  static let meanings: [String: Meaning] = [
    "nextWallMicroseconds":
      "The time of the summary, in microseconds since 1970-01-01T00:00:00Z; absent if nothing waits.",
    "count": .count("The pushes that wait."),
  ]
}

public struct DeviceReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A device of this installation."

  public var name: String
  public var works: Bool
  public var problem: String?

  static let meanings: [String: Meaning] = [
    "name": "store, lamp, display, speaker, push gateway and others.",
    "works": "True if it works.",
    "problem": "The device, the fault and the remedy; absent if it works.",
  ]
}

public struct PresentationReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The visible state of the handset."

  public struct Lamp: Codable, Sendable, Equatable, WireType {
    static let meaning = "A lamp that is lit."

    public var pattern: String
    public var colour: String
    public var sinceUptimeMicroseconds: Int64
    public var steps: [Step]

    static let meanings: [String: Meaning] = [
      "pattern":
        "steady, blink, double, breathe, heartbeat or sos; with a colour, such as blink-red, if one was chosen.",
      "colour": """
      red, orange, yellow, green, cyan, blue, purple or white, on a lamp that has several: the chosen one, or red for a \
      critical alert, orange for a time-sensitive one, and white for all else.
      """,
      "sinceUptimeMicroseconds": "The uptime at which the pattern started.",
    ]
  }

  public struct Step: Codable, Sendable, Equatable, WireType {
    static let meaning = "One section of a lamp's pattern, as an eye sees it."

    public var lit: Bool
    public var milliseconds: Int64
    public var brightness: Int

    static let meanings: [String: Meaning] = [
      "lit": "True if the lamp shines.",
      "milliseconds": .number(from: 1, "The length."),
      "brightness": .number(
        0...100,
        "The share of the time in which the lamp is lit, in percent. Values between 0 and 100 mean that it "
          + "flashes faster than an eye sees; from such a step the brightness changes evenly to that of the next."),
    ]
  }

  public struct Motor: Codable, Sendable, Equatable, WireType {
    static let meaning =
      "The vibration motor's pattern, played once and in real time, even if the handset's clock is virtual."

    public var pattern: String
    public var elapsedMilliseconds: Int64
    public var steps: [MotorStep]

    static let meanings: [String: Meaning] = [
      "pattern": "pulse, double or triple.",
      "elapsedMilliseconds": .count("The time since the pattern began."),
      "steps": "All steps of the pattern.",
    ]
  }

  public struct MotorStep: Codable, Sendable, Equatable, WireType {
    static let meaning = "One section of a motor's pattern."

    public var runs: Bool
    public var milliseconds: Int64

    static let meanings: [String: Meaning] = [
      "runs": "True if the motor runs.",
      "milliseconds": .number(from: 1, "The length."),
    ]
  }

  public var badge: Int
  public var digits: String?
  public var segments: [Int]?
  public var segmentsBlink = false
  public var dimmed = false
  public var lamp: Lamp?
  public var motor: Motor?
  public var banner: NotificationReport?
  public var bannerUntilUptimeMicroseconds: Int64?
  public var alert: NotificationReport?
  public var alertsBelow: Int

  static let meanings: [String: Meaning] = [
    "badge": .count("The number on the display; 0 is dark."),
    "digits": "The text on the digits; absent if the handset is on no board, or its board has no display.",
    "segments": Meaning(
      "Each digit's lit segments, leftmost first: bit 0 is segment a (top), then clockwise b to f; bit 6 is g "
        + "(middle), bit 7 the point. Absent if digits is."),
    "segmentsBlink": "True if the display blinks, with a cycle of one second.",
    "dimmed": "True if the display is dimmer because of night hours; false while it is dark.",
    "lamp": "The lamp's pattern; absent if it is dark.",
    "motor": "The motor's pattern; absent if the motor is still, or there is none.",
    "banner": "The banner; absent if there is none.",
    "bannerUntilUptimeMicroseconds": "The uptime at which the banner disappears by itself; absent if there is none.",
    "alert": "The alert on top; its buttons are among its fields.",
    "alertsBelow": .count("The number of alerts that wait below it."),
  ]
}

extension PresentationReport {
  /// Makes it without display and motor, which belong to a board.
  /// - Parameter report: reads a notification's text as far as it is visible there.
  init(
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
      pattern: lamp.pattern.name, colour: lamp.pattern.light.rawValue,
      sinceUptimeMicroseconds: lamp.since.inMicroseconds,
      steps: PresentationReport.Lamp.seen(lamp.pattern.steps[...]))
  }

  /// Converts flashes, each lit and then dark within `flash`, to steps of their brightness, of about `blur` each.
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
  init(_ pattern: VibrationPattern, after elapsed: Duration) {
    self.init(
      pattern: pattern.name, elapsedMilliseconds: elapsed.inMicroseconds / 1000,
      steps: pattern.steps.map { .init(runs: $0.isOn, milliseconds: $0.duration.inMicroseconds / 1000) })
  }
}

struct PressRequest: RequestBody, Sendable {
  static let meaning =
    "A button of the handset: the alert's, or, without an alert, one of the board's. Or, in place of a "
    + "button, an action of the alert on top."

  var button: String?
  var length: String?
  var action: String?
  var text: String?

  static let meanings: [String: Meaning] = [
    "button": .one(of: AlertButton.self, "view launches the app; both dismiss the alert."),
    "length": .one(
      of: PressLength.self,
      "A long press of close clears Notification Center; one of view snoozes the app of the alert on top; "
        + "without an alert it fetches, unless the fetch mode is push, and else snoozes all. Absent is short."),
    "action": "The identifier or title of an action of the alert on top; without button and length.",
  ]

  func input() throws(ControlError) -> Input {
    guard let button else {
      guard let action, length == nil else { throw ControlError(400, "a press needs a button, or an action alone") }
      return .respond(nil, action: action, text: text)
    }
    guard action == nil, text == nil else {
      throw ControlError(400, "a button has neither an action nor a text", hint: "leave out the button")
    }
    return .press(
      try known(button, of: "button"), try known(length ?? PressLength.short.rawValue, of: "length of a press"))
  }
}

enum StateResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/state", "state", in: .state, "The handset's presentation, and the devices", answer: "The state."
    ) { handset, _ in try await handset.state() },
    HandsetRoute(
      "POST", "/press", "press", in: .center, "Press a button of the alert on top", body: PressRequest(button: "close"),
      answer: "The presentation after the press.", refusals: [409: ""]
    ) { handset, request -> PresentationReport in
      let press: PressRequest = try request.body()
      try await handset.access.apply(press.input())
      return try await handset.state().presentation
    },
  ]
}

extension HandsetParts {
  func state() async throws(ControlError) -> StateReport {
    let scan = daemon.front?.scanReport.map {
      StateReport.Scan(frames: $0.frames, lateFrames: $0.lateFrames, isRealTime: $0.isRealTime)
    }
    let devices = daemon.devices.all.map { DeviceReport(name: $0.name, works: $0.works, problem: $0.problem) }
    return try await access.read { handset, store, number, now in
      var presentation = try PresentationReport(of: handset, at: now) {
        try NotificationReport($0, of: handset, in: $1, store: store, number: number)
      }
      if isOnBoard { daemon.complete(&presentation, handset.presentation(at: now), at: now) }
      let (settings, zone) = (handset.record.settings, handset.timeZone)
      return StateReport(
        version: Daemon.version, handset: number.number, name: name, isOnBoard: isOnBoard,
        deviceID: access.identity.device.hex, uptimeMicroseconds: now.uptime.inMicroseconds,
        wallMicroseconds: now.wall.microseconds,
        daemonUptimeMicroseconds: (SystemClock().now().uptime - daemon.started).inMicroseconds,
        pushAddress: daemon.pushAddress, httpAddress: daemon.httpAddress, channelsAddress: daemon.channelsAddress,
        presentation: presentation,
        unseen: handset.unseenCount, apps: handset.apps.count, devices: devices,
        lastEvent: handset.record.nextEvent - 1,
        quietHours: settings.quietHours?.contains(secondOfDay: zone.secondOfDay(at: now.wall)) ?? false,
        snoozes: [SnoozeReport](of: handset, at: now),
        activities: handset.liveActivities.map { ActivityReport($0, of: handset, at: now) },
        waiting: [WaitingReport](of: handset, at: now),
        focus: FocusState(
          mode: settings.focus, untilWallMicroseconds: handset.focusEnd(at: now)?.microseconds),
        summary: SummaryState(
          nextWallMicroseconds: handset.summaryDue(at: now)?.microseconds,
          count: handset.deferredPushes.count { $0.reason == .summary }),
        deferred: handset.deferredPushes.count,
        utcOffsetSeconds: zone.offset(at: now.wall), scan: scan,
        usage: try UsageReport(of: handset, events: store.eventCount(of: number), providers: daemon.port().providers),
        settingsFile: daemon.settingsFile, stateDirectory: daemon.stateDirectory)
    }
  }
}

extension ControlParts {
  /// Adds the board's outputs for its handset, besides the lamp.
  fileprivate func complete(_ presentation: inout PresentationReport, _ shown: Presentation, at now: Moment) {
    if let text = display.map({ SegmentText(shown, on: $0, at: now.uptime) }) {
      presentation.digits = text.characters
      presentation.segments = text.digits.map(Int.init)
      presentation.segmentsBlink = text.blinks
    }
    presentation.motor = vibration(SystemClock().now().uptime).map { .init($0.pattern, after: $0.elapsed) }
  }
}

extension ControlClient {
  public func state() async throws -> StateReport { try await get(path("state")) }

  /// - Parameter button: `view` or `close`.
  /// - Parameter length: `short` or `long`.
  public func press(_ button: String, _ length: String = "short") async throws -> PresentationReport {
    try await send("POST", path("press"), PressRequest(button: button, length: length))
  }

  /// - Parameter action: the identifier or title of an action of the alert on top.
  public func choose(_ action: String, text: String? = nil) async throws -> PresentationReport {
    try await send("POST", path("press"), PressRequest(action: action, text: text))
  }
}
