// Where the sounds are that were converted when their apps were installed, and the ones that are shipped.

import Glibc
import HandsetCore
import Speaker

/// The sounds that can be played, by what the handset calls them.
struct SoundLibrary: Sendable {
  /// `sounds` in the state directory.
  let folder: String
  /// The system sound's file.
  let systemSound: String

  func sound(for source: SoundChoice.Source) -> Sound {
    switch source {
    case .system: Sound(name: "default", path: systemSound)
    case .bundle(let app, let name): Sound(name: name, path: path(of: name, app: app))
    }
  }

  /// Writes an app's sounds, and removes those that the app no longer has.
  /// - Throws: `DaemonError` where the folder cannot be written.
  func replaceSounds(of app: AppID, with sounds: [(name: String, sound: SoundFile)]) throws(DaemonError) {
    let own = "\(folder)/\(app.text)"
    for path in [folder, own] where mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw DaemonError("cannot make the folder \(path): \(String(cString: strerror(errno)))")
    }
    do {
      for (name, sound) in sounds { try sound.write(to: path(of: name, app: app)) }
    } catch {
      throw DaemonError("\(error)")
    }
    let kept = Set(sounds.map { "\($0.name).wav" })
    for file in SharedFiles.files(in: own) where !kept.contains(file) { unlink("\(own)/\(file)") }
  }

  func removeSounds(of app: AppID) {
    let own = "\(folder)/\(app.text)"
    for file in SharedFiles.files(in: own) { unlink("\(own)/\(file)") }
    rmdir(own)
  }

  private func path(of name: String, app: AppID) -> String { "\(folder)/\(app.text)/\(name).wav" }
}
