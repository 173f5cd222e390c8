// A sound by itself, for whoever sets the volume, chooses a sound or draws the speaker: no push, and no rule that could
// keep it silent.

import FoundationEssentials
import HTTPRoutes
import HandsetCore
import StrictYAML

/// What is to be heard.
public enum SoundSubject: Sendable, Equatable {
  /// The default sound.
  case system
  /// A sound of an app's bundle, by its name without extension.
  case app(AppID, name: String)
  /// A file of the caller's, whole.
  case file(name: String, bytes: [UInt8])
}

/// What `POST /v1/sounds/play` takes: an app and its sound, or a file, or nothing for the default sound.
public struct SoundPlayRequest: Codable, Sendable {
  public var app: String?
  /// Of the app's bundle, without extension.
  public var sound: String?
  public var file: File?

  public struct File: Codable, Sendable {
    /// What messages and events call it.
    public var name: String
    /// A WAV, AIFF or CAF file; Base64 in the JSON.
    public var bytes: Data

    public init(name: String, bytes: Data) {
      self.name = name
      self.bytes = bytes
    }
  }

  public init(app: String? = nil, sound: String? = nil, file: File? = nil) {
    self.app = app
    self.sound = sound
    self.file = file
  }
}

/// What began to play.
public struct SoundPlayReport: Codable, Sendable, Equatable {
  public var sound: String

  public init(sound: String) {
    self.sound = sound
  }
}

extension ControlRoutes {
  @Sendable func waveform(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.requireQuery("app")
    let name = try request.parameter("name")
    guard name.utf8.count <= ControlLimits.soundNameBytes else {
      throw ControlError(404, "no sound has a name of more than \(ControlLimits.soundNameBytes) bytes")
    }
    return try .json(await backend.waveform(of: name, app: queriedApp(request)))
  }

  @Sendable func playSound(_ request: HTTPRequest) async throws -> HTTPResponse {
    let body = try request.json(SoundPlayRequest.self)
    let subject: SoundSubject
    switch (body.app, body.sound, body.file) {
    case (nil, nil, nil): subject = .system
    case (let app?, let sound?, nil):
      let id = try await appID(app)
      // An app that is not there is told with the one that may have been meant.
      _ = try await report(of: id)
      subject = .app(id, name: sound)
    case (nil, nil, let file?):
      guard (1...ControlLimits.soundNameBytes).contains(file.name.utf8.count) else {
        throw ControlError(400, "a file's name has 1 to \(ControlLimits.soundNameBytes) bytes")
      }
      subject = .file(name: file.name, bytes: Array(file.bytes))
    default:
      throw ControlError(400, "expected an app and its sound, or a file, or neither for the default sound")
    }
    return try .json(await backend.play(subject))
  }
}

extension ControlError {
  /// 404, with the sound that may have been meant.
  public static func noSound(_ name: String, of app: AppID, sounds: [String]) -> ControlError {
    ControlError(
      404, "'\(app)' has no sound '\(shown(name))'",
      hint: sounds.isEmpty ? "it has none: a push plays the default sound" : ControlAPI.hint(for: name, among: sounds))
  }
}
