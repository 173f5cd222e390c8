// The words that the control API takes: what the bodies of its requests hold.

import FoundationEssentials

/// An app's bundle as it comes over the socket: the daemon need not be able to read the caller's home.
public struct BundleUpload: Codable, Sendable {
  /// By path within the bundle folder, with `/`: `app.yaml`, `sounds/letter.wav`. Base64 in the JSON.
  public var files: [String: Data]

  public init(files: [String: Data]) {
    self.files = files
  }
}

/// What `PUT /v1/apps/{id}` answers.
public struct InstallReport: Codable, Sendable, Equatable {
  public var app: AppReport
  /// What did not come along, and why: a sound that cannot be decoded.
  public var notes: [String]

  public init(app: AppReport, notes: [String]) {
    self.app = app
    self.notes = notes
  }
}

public struct RegistrationRequest: Codable, Sendable {
  /// `badge`, `sound`, `alert`.
  public var kinds: [String]

  public init(kinds: [String]) {
    self.kinds = kinds
  }
}

public struct ForegroundRequest: Codable, Sendable {
  /// `badge`, `sound`, `alert`: what the system presents while the app is in the foreground.
  public var kinds: [String]

  public init(kinds: [String]) {
    self.kinds = kinds
  }
}

public struct LifecycleRequest: Codable, Sendable {
  /// `launch`, `background`, `kill` or `force-quit`.
  public var command: String

  public init(command: String) {
    self.command = command
  }
}

public struct BadgeRequestBody: Codable, Sendable {
  public var number: Int

  public init(number: Int) {
    self.number = number
  }
}

public struct SettingRequest: Codable, Sendable {
  public var value: String

  public init(value: String) {
    self.value = value
  }
}

public struct PressRequest: Codable, Sendable {
  /// `view` or `close`.
  public var button: String
  /// `short` or `long`; nil is short.
  public var length: String?

  public init(button: String, length: String? = nil) {
    self.button = button
    self.length = length
  }
}

public struct ClockAdvanceRequest: Codable, Sendable {
  public var seconds: Int64

  public init(seconds: Int64) {
    self.seconds = seconds
  }
}

/// What the web panel is called among the providers: its test pushes need one, and nobody else may be called so.
public enum PanelProvider {
  /// With the daemon's own key.
  public static let name = "panel"
  /// With its password of the 2008 service.
  public static let nameIn2008 = "panel-2008"

  /// - Throws: `ControlError` 409 for a name that is the panel's.
  public static func refuse(_ name: String) throws(ControlError) {
    guard name == PanelProvider.name || name == nameIn2008 else { return }
    throw ControlError(
      409, "the name '\(name)' is kept for the web panel's test pushes", hint: "call the provider something else")
  }
}

/// A provider and how it shows who it is: by tokens signed with a key, by the password of the 2008 service, or by a client
/// certificate.
public struct ProviderRequest: Codable, Sendable {
  /// May be empty with a certificate, whose topics then say it.
  public var apps: [String]
  /// Of a provider that signs tokens, as are `keyID`, `key` and `environment`.
  public var teamID: String?
  public var keyID: String?
  /// An EC P-256 key as PEM, private or public; of a private one only the public half is kept.
  public var key: String?
  /// Which of Apple's two services the key is good for: `development`, `production`, or, where this is absent, `both`.
  public var environment: String?
  /// A client certificate as PEM.
  public var certificate: String?
  /// Of a provider that uses the 2008 service; only a hash of it is kept.
  public var password: String?

  public init(apps: [String], teamID: String, keyID: String, key: String, environment: String? = nil) {
    self.apps = apps
    self.teamID = teamID
    self.keyID = keyID
    self.key = key
    self.environment = environment
  }

  public init(apps: [String], certificate: String) {
    self.apps = apps
    self.certificate = certificate
  }

  public init(apps: [String], password: String) {
    self.apps = apps
    self.password = password
  }
}
