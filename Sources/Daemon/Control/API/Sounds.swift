// Plays and draws a sound without a push, for setting the volume and choosing a sound. No rule keeps it silent.

import FoundationEssentials
import HTTP
import HandsetCore

/// The sounds of one handset.
public protocol SoundsBackend: Sendable {
  /// Plays it now, whatever the handset's settings are, and returns when it has begun.
  /// - Throws: `ControlError` 404 if the app has no such sound, 400 if the file cannot be used, 409 if there is no
  ///   working output.
  /// - Returns: its name.
  func play(_ subject: SoundSubject) async throws(ControlError) -> String

  /// Returns the waveform of the sound that the handset plays by that name, for the app or without one.
  /// - Throws: `ControlError` 404 if the file does not exist.
  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport

  /// Returns the same sound as a WAV file of at most 30 s, which is read while it is sent.
  /// - Throws: `ControlError` 404 if the file does not exist.
  func audio(of sound: String, app: AppID?) async throws(ControlError) -> HTTPResponse.Body
}

/// A sound that can be played.
public enum SoundSubject: Sendable, Equatable {
  /// The default sound.
  case system
  /// A sound that comes with Deskbell.
  case shipped(ShippedSound)
  /// A sound of an app's bundle, or one that comes with Deskbell, by its name in the app's pushes.
  case app(AppID, name: String)
  /// The contents of the caller's file.
  case file(name: String, bytes: [UInt8])
}

/// The body of `POST /v1/sounds/play`: an app and its sound, or a sound that comes with Deskbell, or a file, or nothing
/// for the default sound.
struct SoundPlayRequest: RequestBody, Sendable {
  var app: String?
  /// The name without extension: of a sound in the app's bundle or in Deskbell; without an app, in Deskbell.
  var sound: String?
  var file: File?

  struct File: RequestBody, Sendable {
    /// The name in messages and events.
    var name: String
    /// A WAV, AIFF or CAF file; Base64 in the JSON.
    var bytes: Data

    enum CodingKeys: CodingKey, CaseIterable { case name, bytes }
  }

  enum CodingKeys: CodingKey, CaseIterable { case app, sound, file }
  static var objects: [String: any RequestBody.Type] { ["file": File.self] }
}

/// The sound that plays now.
public struct SoundPlayReport: Codable, Sendable, Equatable {
  public var sound: String
}

/// The waveform of a sound.
public struct WaveformReport: Codable, Sendable, Equatable {
  /// The name; `default` if the system sound is played.
  public var sound: String
  public var milliseconds: Int64
  /// The loudest sample of each equal section, 0 to 100.
  public var peaks: [Int]

  public init(sound: String, milliseconds: Int64, peaks: [Int]) {
    self.sound = sound
    self.milliseconds = milliseconds
    self.peaks = peaks
  }
}

enum SoundsResource {
  static let routes = [
    HandsetRoute("GET", "/sounds/{name}/waveform", query: ["app"]) { handset, request in
      try .json(await handset.sounds.waveform(of: name(in: request), app: handset.queriedApp(request)))
    },
    HandsetRoute("GET", "/sounds/{name}/audio", query: ["app"]) { handset, request in
      let audio = try await handset.sounds.audio(of: name(in: request), app: handset.queriedApp(request))
      return HTTPResponse(headers: ["Content-Type": "audio/wav"], body: audio)
    },
    HandsetRoute("POST", "/sounds/play", bodyLimit: ControlLimits.soundBodyBytes) { handset, request in
      try .json(SoundPlayReport(sound: await handset.sounds.play(subject(of: request.body(), on: handset))))
    },
  ]

  private static func name(in request: HTTPRequest) throws -> String {
    let name = try request.parameter("name")
    guard name.utf8.count <= ControlLimits.soundNameBytes else {
      throw ControlError(404, "no sound has a name of more than \(ControlLimits.soundNameBytes) bytes")
    }
    return name
  }

  private static func subject(
    of request: SoundPlayRequest, on handset: HandsetResources
  ) async throws -> SoundSubject {
    switch (request.app, request.sound, request.file) {
    case (nil, nil, nil): return .system
    case (let app?, let sound?, nil):
      let id = try await handset.appID(app)
      // For an app that is not installed the error suggests the intended one.
      _ = try await handset.report(of: id)
      return .app(id, name: sound)
    case (nil, let name?, nil): return .shipped(try known(name, of: "shipped sound", status: 404))
    case (nil, nil, let file?):
      guard (1...ControlLimits.soundNameBytes).contains(file.name.utf8.count) else {
        throw ControlError(400, "a file's name has 1 to \(ControlLimits.soundNameBytes) bytes")
      }
      return .file(name: file.name, bytes: Array(file.bytes))
    default:
      throw ControlError(
        400, "expected an app and its sound, a shipped sound, a file, or nothing for the default sound")
    }
  }
}

extension ControlError {
  /// Makes a 404 that suggests the intended sound.
  /// - Parameter sounds: the app's own sounds.
  public static func noSound(_ name: String, of app: AppID, sounds: [String]) -> ControlError {
    ControlError(
      404, "'\(app)' has no sound '\(shown(name))'",
      hint: ControlAPI.hint(for: name, among: sounds + ShippedSound.allCases.map(\.rawValue)))
  }
}
