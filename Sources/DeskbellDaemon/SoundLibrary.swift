import HandsetCore
import Speaker

/// The sounds that can be played, by what a handset calls them.
struct SoundLibrary: Sendable {
  /// The state directory.
  let state: String
  /// The file of the system sound.
  let systemSound: String

  func sound(for source: SoundChoice.Source, on handset: HandsetID) -> Sound {
    switch source {
    case .system: Sound(name: "default", path: systemSound)
    case .bundle(let app, let name):
      Sound(
        name: name, path: "\(AppPaths(state: state).link(of: AppAddress(app, on: handset)))/sounds/\(name).wav")
    }
  }

  /// A file to listen to, converted; it replaces the one before.
  /// - Throws: `DaemonError` where the state directory cannot be written.
  func preview(_ sound: SoundFile) throws(DaemonError) -> Sound {
    let preview = Sound(name: sound.name, path: "\(state)/preview.wav")
    do throws(SoundFileError) { try sound.write(to: preview.path) } catch { throw DaemonError(error.description) }
    return preview
  }
}
