// Plays and draws a sound without a push, for setting the volume and choosing a sound. No rule keeps it silent.

import FoundationEssentials
import Glibc
import HTTP
import HandsetCore
import Speaker

struct SoundPlayRequest: RequestBody, Sendable {
  static let meaning =
    "An app and its sound, or a sound that comes with Deskbell, or a file, or nothing for the default sound."

  var app: String?
  var sound: String?
  var file: File?

  static let meanings: [String: Meaning] = [
    "sound": Meaning(
      "The name without extension: with an app, of a sound in its bundle or in Deskbell; without one, in "
        + "Deskbell."),
    "file": "The contents of a file.",
  ]

  struct File: RequestBody, Sendable {
    static var schemaName: String { "SoundUpload" }
    static let meaning = "A WAV, AIFF or CAF file."

    var name: String
    var bytes: Data

    static let meanings: [String: Meaning] = [
      "name": "The name in messages and events: 1 to 255 bytes.",
      "bytes": "The contents in Base64.",
    ]
  }
}

public struct SoundPlayReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The sound that plays now."

  public var sound: String
}

public struct WaveformReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The waveform of a sound."

  public var sound: String
  public var milliseconds: Int64
  public var peaks: [Int]

  static let meanings: [String: Meaning] = [
    "peaks": "The loudest sample of each equal section, 0 to 100."
  ]
}

enum SoundsResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/sounds/{name}/waveform", "waveform", in: .settings, "The waveform of a sound",
      parameters: ["name": "A sound's name, without extension."],
      query: [Operation.Query(name: "app", meaning: "The app whose sound has that name.")],
      answer: "The waveform of the sound that is played by that name: the system sound if there is no other."
    ) { handset, request -> WaveformReport in
      let file = try await handset.sound(in: request)
      guard let waveform = WaveformReport(of: file, points: ControlLimits.waveformPoints) else { throw noFile(file) }
      return waveform
    },
    HandsetRoute(
      "GET", "/sounds/{name}/audio", "audio", in: .settings, "A sound as it is played",
      parameters: ["name": "A sound's name, without extension."],
      query: [Operation.Query(name: "app", meaning: "The app whose sound has that name.")],
      response: Operation.Answer(
        meaning:
          "The sound that is played by that name, converted: the system sound if there is no other. At most 30 s.",
        form: .text, type: "audio/wav")
    ) { handset, request in
      let file = try await handset.sound(in: request)
      guard let audio = SoundAudio(of: file) else { throw noFile(file) }
      return HTTPResponse(headers: ["Content-Type": "audio/wav"], body: .stream(audio.write))
    },
    HandsetRoute(
      "POST", "/sounds/play", "playSound", in: .settings, "Play a sound now, whatever the handset's settings are",
      body: SoundPlayRequest(sound: "bell"), bodyLimit: ControlLimits.soundBodyBytes, answer: "It has begun to play.",
      refusals: [
        404: "There is no such app, or it has no such sound.",
        409: "It cannot be played: the sound card fails, or a newer sound replaced it.",
        507: "There is no room for the converted file.",
      ]
    ) { handset, request in try await SoundPlayReport(sound: handset.play(request.body())) },
  ]

  private static func noFile(_ sound: Sound) -> ControlError {
    ControlError(404, "the sound '\(sound.name)' is not there", hint: "install its app again")
  }
}

extension HandsetParts {
  /// Returns the sound that is played for the name in the path, for the app in the query or without one.
  fileprivate func sound(in request: HTTPRequest) async throws -> Sound {
    let name = try request.parameter("name")
    guard name.utf8.count <= ControlLimits.soundNameBytes else {
      throw ControlError(404, "no sound has a name of more than \(ControlLimits.soundNameBytes) bytes")
    }
    let app = try await access.queriedApp(request)
    let source: SoundChoice.Source = try await access.read { handset, _, _, _ in
      Handset.sound(named: name, for: app.flatMap { handset.apps[$0] }) ?? .system
    }
    return daemon.library.sound(for: source, on: id)
  }

  /// Plays the sound now, and returns when it has begun.
  /// - Throws: `ControlError` 404 if the app has no such sound, 400 if the file cannot be used, 409 if there is no
  ///   working output, 507 if the converted file cannot be written.
  fileprivate func play(_ request: SoundPlayRequest) async throws -> String {
    let sound: Sound
    var volume = Volume.full
    switch (request.app, request.sound, request.file) {
    case (nil, nil, nil):
      let source = try await access.read { handset, _, _, _ in handset.defaultSound() }
      sound = daemon.library.sound(for: source, on: id)
    case (nil, let name?, nil):
      sound = daemon.library.sound(for: .shipped(try known(name, of: "shipped sound", status: 404)), on: id)
    case (let app?, let name?, nil):
      let appID = try await access.appID(app)
      let found = try await access.read { handset, _, _, now in
        handset.apps[appID].map { (app: $0, volume: handset.volume(of: $0, at: now)) }
      }
      guard let (installed, loudness) = found else { throw await access.unknownApp(app) }
      guard let source = Handset.sound(named: name, for: installed) else {
        throw ControlError.noSound(name, of: appID, sounds: installed.manifest.sounds.sorted())
      }
      sound = daemon.library.sound(for: source, on: id)
      volume = Volume(loudness)
    case (nil, nil, let file?):
      sound = try preview(file)
    default:
      throw ControlError(
        400, "expected an app and its sound, a shipped sound, a file, or nothing for the default sound")
    }
    if let problem = await daemon.play(sound, volume) {
      throw ControlError(409, "'\(sound.name)' cannot be played: \(problem)")
    }
    return sound.name
  }

  private func preview(_ file: SoundPlayRequest.File) throws -> Sound {
    guard (1...ControlLimits.soundNameBytes).contains(file.name.utf8.count) else {
      throw ControlError(400, "a file's name has 1 to \(ControlLimits.soundNameBytes) bytes")
    }
    do {
      return try daemon.library.preview(SoundFile(decoding: Array(file.bytes), named: file.name, by: daemon.decoder))
    } catch let error as SoundFileError {
      throw ControlError(400, error.description)
    } catch {
      throw ControlError(507, "\(error)", hint: "free some space in the state directory")
    }
  }
}

// MARK: - Files

private let headerBytes = 44
private let longestBytes =
  headerBytes + SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame

/// A sound's file, read in pieces while it is sent.
struct SoundAudio: Sendable {
  private static let pieceBytes = 64 * 1024

  private let path: String

  /// Finds the sound's file; nil if it is missing or longer than any sound that is played.
  init?(of sound: Sound) {
    var status = stat()
    guard stat(sound.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (headerBytes...longestBytes).contains(Int(status.st_size))
    else { return nil }
    path = sound.path
  }

  /// - Throws: `CancellationError` if the file can no longer be read, which ends the connection.
  func write(_ send: @Sendable ([UInt8]) async throws -> Void) async throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw CancellationError() }
    defer { close(file) }
    var left = longestBytes
    while left > 0 {
      let piece = [UInt8](unsafeUninitializedCapacity: min(left, SoundAudio.pieceBytes)) { memory, count in
        count = max(read(file, memory.baseAddress, memory.count), 0)
      }
      guard !piece.isEmpty else { return }
      try await send(piece)
      left -= piece.count
    }
  }
}

extension WaveformReport {
  /// Measures a sound; nil if its file cannot be read or is longer than any sound that is played.
  /// - Parameter sound: 16-bit stereo behind a header of 44 bytes, as are all sounds that the speaker plays.
  init?(of sound: Sound, points: Int) {
    guard let data = FileManager.default.contents(atPath: sound.path), data.count >= headerBytes,
      data.count <= longestBytes
    else { return nil }
    let samples = (data.count - headerBytes) / SoundFormat.bytesPerSample
    let milliseconds = Int64(samples / SoundFormat.channels) * 1000 / Int64(SoundFormat.framesPerSecond)
    let peaks = data.withUnsafeBytes { bytes in
      (0..<min(points, samples)).map { point in
        let (first, end) = (samples * point / points, samples * (point + 1) / points)
        var loudest: UInt16 = 0
        for sample in first..<max(end, first) {
          let offset = headerBytes + sample * SoundFormat.bytesPerSample
          let value = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
          loudest = max(loudest, value.magnitude)
        }
        return Int(loudest) * 100 / 32_768
      }
    }
    self.init(sound: sound.name, milliseconds: milliseconds, peaks: peaks)
  }
}

extension ControlError {
  static func noSound(_ name: String, of app: AppID, sounds: [String]) -> ControlError {
    ControlError(
      404, "'\(app)' has no sound '\(shown(name))'",
      hint: DeskbellDaemon.hint(for: name, among: sounds + ShippedSound.allCases.map(\.rawValue)))
  }
}

extension ControlClient {
  /// Plays a sound and returns when it has begun: an app's sound; without an app, one that comes with Deskbell; without
  /// a name, the default one.
  public func play(_ sound: String? = nil, of app: String? = nil) async throws -> SoundPlayReport {
    try await send("POST", path("sounds", "play"), SoundPlayRequest(app: app, sound: sound))
  }

  public func play(file name: String, _ bytes: [UInt8]) async throws -> SoundPlayReport {
    let file = SoundPlayRequest.File(name: name, bytes: Data(bytes))
    return try await send("POST", path("sounds", "play"), SoundPlayRequest(file: file))
  }

  public func waveform(of sound: String, app: String?) async throws -> WaveformReport {
    try await get(path("sounds", sound, "waveform", app: app))
  }
}
