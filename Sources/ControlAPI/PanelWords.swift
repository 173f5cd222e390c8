// The words about the web panel and of what only it asks for: a test push, and a sound to be drawn.

/// What `GET /v1/panel` answers.
public struct PanelReport: Codable, Sendable, Equatable {
  /// Where it listens: `127.0.0.1:2198`.
  public var address: String
  /// What to open on this machine.
  public var url: String
  /// Whether other machines can reach it.
  public var isOnNetwork: Bool
  public var hasPassword: Bool

  public init(address: String, url: String, isOnNetwork: Bool, hasPassword: Bool) {
    self.address = address
    self.url = url
    self.isOnNetwork = isOnNetwork
    self.hasPassword = hasPassword
  }
}

/// What `POST /v1/panel/tokens` answers.
public struct PanelTokenReport: Codable, Sendable, Equatable {
  /// What to open on this machine. The token is behind `#`, which browsers send to nobody.
  public var url: String
  /// For so long, and once.
  public var validSeconds: Int64

  public init(url: String, validSeconds: Int64) {
    self.url = url
    self.validSeconds = validSeconds
  }
}

public struct PanelPasswordRequest: Codable, Sendable {
  public var password: String

  public init(password: String) {
    self.password = password
  }
}

/// A push that the daemon sends to its own port. What is absent is left out of it.
public struct TestPushRequest: Codable, Sendable {
  public static let protocols = ["apns", "2008"]

  public var app: String
  /// `apns` or `2008`.
  public var via: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var badge: Int?
  public var sound: String?
  /// `passive`, `active`, `time-sensitive` or `critical`.
  public var level: String?
  /// A background update.
  public var background: Bool?
  public var threadID: String?
  public var collapseID: String?
  /// The payload as it is, JSON; in place of all that goes into one.
  public var payload: String?
  /// Of the 2008 service: whether the alert has an action button.
  public var showsOpenButton: Bool?
  /// Of the 2008 service: the password of the provider that has the app, where one has.
  public var password: String?
  /// False only says how it would be sent. Absent is true.
  public var send: Bool?

  public init(app: String, via: String = "apns") {
    self.app = app
    self.via = via
  }

  /// What the protocol has no place for, or that there is nothing in it.
  var fault: ControlError? {
    let words = [title, subtitle, level, threadID, collapseID, payload].contains { $0 != nil } || background == true
    if via == "2008" && words {
      return ControlError(
        400, "the 2008 service knows no title, level, thread, collapse identifier or background update",
        hint: "it has a message, a badge and a sound")
    }
    let hasParts =
      [title, subtitle, body, sound, level, threadID].contains { $0 != nil } || badge != nil || background == true
    if payload != nil && hasParts {
      return ControlError(400, "the payload says it all", hint: "leave out what would go into it, or the payload")
    }
    if payload == nil && title == nil && body == nil && badge == nil && sound == nil && background != true {
      return ControlError(400, "there is nothing in this push", hint: "give a message, a badge or a sound")
    }
    return nil
  }
}

/// What came of a test push.
public struct TestPushReport: Codable, Sendable, Equatable {
  /// The same push as a command line; `ca.pem` is what `deskbell ca` prints.
  public var curl: String
  /// Absent where it was not sent.
  public var status: Int?
  /// Its `apns-id`, for an explanation.
  public var push: String?
  /// Why it was refused.
  public var reason: String?

  public init(curl: String, status: Int? = nil, push: String? = nil, reason: String? = nil) {
    self.curl = curl
    self.status = status
    self.push = push
    self.reason = reason
  }
}

/// What a sound looks like.
public struct WaveformReport: Codable, Sendable, Equatable {
  /// `default` where the system sound is played.
  public var sound: String
  public var milliseconds: Int64
  /// The loudest sample of each equal stretch, 0 to 100.
  public var peaks: [Int]

  public init(sound: String, milliseconds: Int64, peaks: [Int]) {
    self.sound = sound
    self.milliseconds = milliseconds
    self.peaks = peaks
  }
}
