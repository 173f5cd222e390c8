// The words of the control API: what its JSON bodies hold, for the daemon that writes them and the commands that read
// them. Field names are the JSON keys; times are whole microseconds.

/// What `GET /v1/state` answers.
public struct StateReport: Codable, Sendable, Equatable {
  public var version: String
  /// 1 for the handset on the board.
  public var handset: Int64
  /// What the 2008 service knows the handset by: 40 hexadecimal digits.
  public var deviceID: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  /// Where providers send to: `0.0.0.0:2197`; nil where the gateway could not be started, and `devices` says why.
  public var pushAddress: String?
  public var presentation: PresentationReport
  /// Notifications that are listed and not seen.
  public var unseen: Int
  public var apps: Int
  /// The devices of the board, the speaker, the gateway and the panel, each with what is wrong with it.
  public var devices: [DeviceReport]
  /// The newest event's sequence number, 0 before the first: whoever follows the events after it misses nothing.
  public var lastEvent: UInt64
  /// Whether these are quiet hours.
  public var quietHours: Bool
  /// How far the handset's own clock is ahead of UTC; negative west of Greenwich.
  public var utcOffsetSeconds: Int
  /// How the display is refreshed; nil where it refreshes itself, or there is none.
  public var scan: Scan?

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

  public init(
    version: String, handset: Int64, deviceID: String, uptimeMicroseconds: Int64, wallMicroseconds: Int64,
    pushAddress: String?, presentation: PresentationReport, unseen: Int, apps: Int, devices: [DeviceReport],
    lastEvent: UInt64 = 0, quietHours: Bool = false, utcOffsetSeconds: Int = 0, scan: Scan? = nil
  ) {
    self.version = version
    self.handset = handset
    self.deviceID = deviceID
    self.uptimeMicroseconds = uptimeMicroseconds
    self.wallMicroseconds = wallMicroseconds
    self.pushAddress = pushAddress
    self.presentation = presentation
    self.unseen = unseen
    self.apps = apps
    self.devices = devices
    self.lastEvent = lastEvent
    self.quietHours = quietHours
    self.utcOffsetSeconds = utcOffsetSeconds
    self.scan = scan
  }
}

/// What `POST /v1/ca` answers.
public struct AuthorityReport: Codable, Sendable, Equatable {
  /// The new certificate authority's certificate as PEM.
  public var certificate: String
  /// The files in which the one before is kept: its certificate, its private key.
  public var replaced: [String]

  public init(certificate: String, replaced: [String]) {
    self.certificate = certificate
    self.replaced = replaced
  }
}

/// What `GET /v1/certificate` answers.
public struct CertificateReport: Codable, Sendable, Equatable {
  /// As PEM, without those that lead from it to its authority.
  public var certificate: String
  /// Host names, the first part of which may be `*`, and addresses; in the certificate's order.
  public var names: [String]
  /// One of the names, for clients to connect by; nil where there is none.
  public var host: String?
  /// The file of a certificate of the user's own; nil where the daemon's authority issued it.
  public var file: String?

  public init(certificate: String, names: [String], host: String?, file: String?) {
    self.certificate = certificate
    self.names = names
    self.host = host
    self.file = file
  }
}

/// What a person can see of the handset.
public struct PresentationReport: Codable, Sendable, Equatable {
  public struct Lamp: Codable, Sendable, Equatable {
    public var pattern: String
    public var sinceUptimeMicroseconds: Int64
    /// One repetition, so that anybody can draw it.
    public var steps: [Step]

    public init(pattern: String, sinceUptimeMicroseconds: Int64, steps: [Step] = []) {
      self.pattern = pattern
      self.sinceUptimeMicroseconds = sinceUptimeMicroseconds
      self.steps = steps
    }
  }

  /// One stretch of a lamp's pattern.
  public struct Step: Codable, Sendable, Equatable {
    public var lit: Bool
    public var milliseconds: Int64

    public init(lit: Bool, milliseconds: Int64) {
      self.lit = lit
      self.milliseconds = milliseconds
    }
  }

  /// What the vibration motor plays, once and in real time, also where the handset's clock is a virtual one.
  public struct Motor: Codable, Sendable, Equatable {
    public var pattern: String
    /// Since the pattern began.
    public var elapsedMilliseconds: Int64
    /// The whole of it, so that anybody can draw what is left.
    public var steps: [MotorStep]

    public init(pattern: String, elapsedMilliseconds: Int64, steps: [MotorStep]) {
      self.pattern = pattern
      self.elapsedMilliseconds = elapsedMilliseconds
      self.steps = steps
    }
  }

  /// One stretch of a motor's pattern.
  public struct MotorStep: Codable, Sendable, Equatable {
    public var runs: Bool
    public var milliseconds: Int64

    public init(runs: Bool, milliseconds: Int64) {
      self.runs = runs
      self.milliseconds = milliseconds
    }
  }

  /// The number on the display; 0 is dark.
  public var badge: Int
  /// What the digits show: `"  12"`; nil where the board has no display.
  public var digits: String?
  /// Each digit's lit segments, leftmost first: bit 0 is segment a (top), then clockwise b to f; bit 6 is g (middle),
  /// bit 7 the point. Nil where the board has no display.
  public var segments: [Int]?
  /// Whether the display blinks, one second a cycle.
  public var segmentsBlink: Bool
  /// Whether these are night hours and the display is dimmer; false while it is dark.
  public var dimmed: Bool
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

  public init(
    badge: Int, digits: String?, segments: [Int]? = nil, segmentsBlink: Bool = false, dimmed: Bool = false, lamp: Lamp?,
    motor: Motor? = nil, banner: NotificationReport?, bannerUntilUptimeMicroseconds: Int64? = nil,
    alert: NotificationReport?,
    alertsBelow: Int
  ) {
    self.badge = badge
    self.digits = digits
    self.segments = segments
    self.segmentsBlink = segmentsBlink
    self.dimmed = dimmed
    self.lamp = lamp
    self.motor = motor
    self.banner = banner
    self.bannerUntilUptimeMicroseconds = bannerUntilUptimeMicroseconds
    self.alert = alert
    self.alertsBelow = alertsBelow
  }
}

/// A device of this installation.
public struct DeviceReport: Codable, Sendable, Equatable {
  /// `store`, `lamp`, `display`, `speaker`, `push gateway`.
  public var name: String
  public var works: Bool
  /// Which device, why not, and what to do; nil where it works.
  public var problem: String?

  public init(name: String, works: Bool, problem: String?) {
    self.name = name
    self.works = works
    self.problem = problem
  }
}

/// An installed app.
public struct AppReport: Codable, Sendable, Equatable {
  public struct Held: Codable, Sendable, Equatable {
    public var push: String
    public var expiresWallMicroseconds: Int64

    public init(push: String, expiresWallMicroseconds: Int64) {
      self.push = push
      self.expiresWallMicroseconds = expiresWallMicroseconds
    }
  }

  public var id: String
  public var name: String
  /// `pending`, `registered` or `unregistered`.
  public var registration: String
  /// `badge`, `sound`, `alert`: what it registered for.
  public var kinds: [String]
  /// `notRunning`, `background`, `foreground` or `forceQuit`.
  public var lifecycle: String
  /// The number on its icon, also where it may not be shown.
  public var badge: Int
  /// What its icon shows.
  public var visibleBadge: Int
  /// The device token that its provider sends to.
  public var token: String
  public var receivesBackgroundUpdates: Bool
  /// What the system presents while the app is in the foreground: `badge`, `sound`, `alert`.
  public var foregroundPresentation: [String]
  public var sounds: [String]
  /// Listed in Notification Center.
  public var notifications: Int
  public var settings: [SettingReport]
  public var held: Held?

  public init(
    id: String, name: String, registration: String, kinds: [String], lifecycle: String, badge: Int, visibleBadge: Int,
    token: String, receivesBackgroundUpdates: Bool, foregroundPresentation: [String], sounds: [String],
    notifications: Int, settings: [SettingReport], held: Held?
  ) {
    self.id = id
    self.name = name
    self.registration = registration
    self.kinds = kinds
    self.lifecycle = lifecycle
    self.badge = badge
    self.visibleBadge = visibleBadge
    self.token = token
    self.receivesBackgroundUpdates = receivesBackgroundUpdates
    self.foregroundPresentation = foregroundPresentation
    self.sounds = sounds
    self.notifications = notifications
    self.settings = settings
    self.held = held
  }
}

/// One setting, of the handset or of an app.
public struct SettingReport: Codable, Sendable, Equatable {
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// A notification in Notification Center or on the screen.
public struct NotificationReport: Codable, Sendable, Equatable {
  public var id: UInt64
  public var app: String
  public var appName: String
  /// The push that brought it.
  public var push: String
  public var level: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// Of its alert, left to right.
  public var buttons: [String]
  public var threadID: String?
  public var collapseID: String?
  public var isListed: Bool
  public var isSeen: Bool
  public var arrivedWallMicroseconds: Int64

  public init(
    id: UInt64, app: String, appName: String, push: String, level: String, title: String?, subtitle: String?,
    body: String?, buttons: [String], threadID: String?, collapseID: String?, isListed: Bool, isSeen: Bool,
    arrivedWallMicroseconds: Int64
  ) {
    self.id = id
    self.app = app
    self.appName = appName
    self.push = push
    self.level = level
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.buttons = buttons
    self.threadID = threadID
    self.collapseID = collapseID
    self.isListed = isListed
    self.isSeen = isSeen
    self.arrivedWallMicroseconds = arrivedWallMicroseconds
  }
}

/// A local notification that waits for its time.
public struct LocalNotificationReport: Codable, Sendable, Equatable {
  public var app: String
  /// The app's own name for it.
  public var identifier: String
  /// What its events carry.
  public var push: String
  /// By the wall clock as it goes now; nil where it was due at once and waits no more.
  public var dueWallMicroseconds: Int64?
  public var request: LocalNotificationRequest

  public init(
    app: String, identifier: String, push: String, dueWallMicroseconds: Int64?, request: LocalNotificationRequest
  ) {
    self.app = app
    self.identifier = identifier
    self.push = push
    self.dueWallMicroseconds = dueWallMicroseconds
    self.request = request
  }
}

/// A provider whose pushes are let in.
public struct ProviderReport: Codable, Sendable, Equatable {
  public var name: String
  /// The bundle identifiers it may send to.
  public var apps: [String]
  /// `token`: signs provider tokens with an ES256 key. `password`: uses the 2008 service. `certificate`: shows a client
  /// certificate.
  public var credential: String
  public var teamID: String?
  public var keyID: String?
  /// Which of Apple's two services the credential is good for: `development`, `production` or `both`.
  public var environment: String?
  public var certificate: Certificate?

  /// A client certificate.
  public struct Certificate: Codable, Sendable, Equatable {
    /// SHA-256 of the whole of it, in hexadecimal digits.
    public var fingerprint: String
    /// What it may name in `apns-topic`.
    public var topics: [String]
    public var validFromWallMicroseconds: Int64
    public var validUntilWallMicroseconds: Int64

    public init(
      fingerprint: String, topics: [String], validFromWallMicroseconds: Int64, validUntilWallMicroseconds: Int64
    ) {
      self.fingerprint = fingerprint
      self.topics = topics
      self.validFromWallMicroseconds = validFromWallMicroseconds
      self.validUntilWallMicroseconds = validUntilWallMicroseconds
    }
  }

  public init(
    name: String, apps: [String], credential: String, teamID: String? = nil, keyID: String? = nil,
    environment: String? = nil, certificate: Certificate? = nil
  ) {
    self.name = name
    self.apps = apps
    self.credential = credential
    self.teamID = teamID
    self.keyID = keyID
    self.environment = environment
    self.certificate = certificate
  }
}

/// The handset's clock.
public struct ClockReport: Codable, Sendable, Equatable {
  /// `system`, or `virtual`: it stands still but for being advanced.
  public var clock: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64

  public init(clock: String, uptimeMicroseconds: Int64, wallMicroseconds: Int64) {
    self.clock = clock
    self.uptimeMicroseconds = uptimeMicroseconds
    self.wallMicroseconds = wallMicroseconds
  }
}
