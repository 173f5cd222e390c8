import ControlAPI
import HTTP
import HandsetCore
import Speaker

/// The player of sounds that do not belong to a push.
protocol SoundPlayer: Sendable {
  /// Plays a sound, whatever the handset's settings are.
  /// - Returns: nil once it has begun; the reason if it does not play.
  func play(_ sound: Sound, at volume: Volume) async -> String?
}

/// A handset's sounds in the control API.
struct SoundsControl: SoundsBackend {
  let access: HandsetAccess
  let library: SoundLibrary
  let player: any SoundPlayer

  func play(_ subject: SoundSubject) async throws(ControlError) -> String {
    let sound: Sound
    var volume = Volume.full
    switch subject {
    case .system:
      let source = try await access.read { handset, _, _, _ in handset.defaultSound() }
      sound = library.sound(for: source, on: access.identity.id)
    case .shipped(let shipped): sound = library.sound(for: .shipped(shipped), on: access.identity.id)
    case .app(let id, let name):
      let found = try await access.read { handset, _, _, now in
        handset.apps[id].map { (app: $0, volume: handset.volume(of: $0, at: now)) }
      }
      guard let (app, loudness) = found else { throw ControlError(404, Refusal.unknownApp(id).explanation) }
      guard let source = Handset.sound(named: name, for: app) else {
        throw .noSound(name, of: id, sounds: app.manifest.sounds.sorted())
      }
      sound = library.sound(for: source, on: access.identity.id)
      volume = Volume(loudness)
    case .file(let name, let bytes):
      do {
        sound = try library.preview(SoundFile(decoding: bytes, named: name))
      } catch let error as SoundFileError {
        throw ControlError(400, error.description)
      } catch {
        throw ControlError(507, "\(error)", hint: "free some space in the state directory")
      }
    }
    if let problem = await player.play(sound, at: volume) {
      throw ControlError(409, "'\(sound.name)' cannot be played: \(problem)")
    }
    return sound.name
  }

  func waveform(of sound: String, app: AppID?) async throws(ControlError) -> WaveformReport {
    let file = try await file(of: sound, app: app)
    guard let waveform = WaveformReport(of: file, points: ControlLimits.waveformPoints) else { throw .noFile(file) }
    return waveform
  }

  func audio(of sound: String, app: AppID?) async throws(ControlError) -> HTTPResponse.Body {
    let file = try await file(of: sound, app: app)
    guard let audio = SoundAudio(of: file) else { throw .noFile(file) }
    return .stream(audio.write)
  }

  /// Returns the sound that is played for that name.
  private func file(of sound: String, app: AppID?) async throws(ControlError) -> Sound {
    let source: SoundChoice.Source = try await access.read { handset, _, _, _ in
      Handset.sound(named: sound, for: app.flatMap { handset.apps[$0] }) ?? .system
    }
    return library.sound(for: source, on: access.identity.id)
  }
}

extension ControlError {
  fileprivate static func noFile(_ sound: Sound) -> ControlError {
    ControlError(404, "the sound '\(sound.name)' is not there", hint: "install its app again")
  }
}
