import HandsetCore
import Installation
import Speaker

/// The playable sounds, by their names in a handset.
struct SoundLibrary: Sendable {
  let state: String
  /// The file of the system sound. The other sounds that come with Deskbell are in the same folder.
  let systemSound: String

  func sound(for source: SoundChoice.Source, on handset: HandsetID) -> Sound {
    switch source {
    case .system: Sound(name: "default", path: systemSound)
    case .shipped(let sound):
      Sound(name: sound.rawValue, path: "\(SharedFiles.parent(of: systemSound))/\(sound.rawValue).wav")
    case .bundle(let app, let name):
      Sound(
        name: name, path: "\(AppPaths(state: state).link(of: AppAddress(app, on: handset)))/sounds/\(name).wav")
    }
  }

  /// Converts a file for listening; it replaces the previous one.
  func preview(_ sound: SoundFile) throws(DaemonError) -> Sound {
    let preview = Sound(name: sound.name, path: "\(state)/preview.wav")
    do throws(SoundFileError) { try sound.write(to: preview.path) } catch { throw DaemonError(error.description) }
    return preview
  }
}
