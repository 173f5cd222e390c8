// Where the sounds are that were converted when their apps were installed, and the ones that are shipped.

import Glibc
import HandsetCore
import Installation
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

  /// A file that somebody wants to hear, converted; the one before it is gone then.
  /// - Throws: `DaemonError` where the folder cannot be written.
  func preview(_ sound: SoundFile) throws(DaemonError) -> Sound {
    // No app's identifier begins with a dot.
    let preview = Sound(name: sound.name, path: "\(folder)/.preview.wav")
    try makeFolder(folder)
    do throws(SoundFileError) { try sound.write(to: preview.path) } catch { throw DaemonError(error.description) }
    return preview
  }

  /// Writes an app's sounds beside those it has, for `adopt` or `forget`.
  /// - Throws: `DaemonError` where the folder cannot be written; nothing is left behind then.
  func stage(_ sounds: [(name: String, sound: SoundFile)], of app: AppID) throws(DaemonError) -> StagedSounds {
    let staged = StagedSounds(app: app, folder: "\(folder)/.\(app.text).\(UInt64.random(in: .min ... .max))")
    try makeFolder(folder)
    try makeFolder(staged.folder)
    do {
      for (name, sound) in sounds { try sound.write(to: "\(staged.folder)/\(name).wav") }
    } catch {
      forget(staged)
      throw DaemonError("\(error)")
    }
    return staged
  }

  /// Puts the staged sounds in the place of those that the app had.
  func adopt(_ staged: StagedSounds) {
    removeSounds(of: staged.app)
    // One folder by one name: this can only fail where the disk does, and then the default sound plays (rule A1).
    rename(staged.folder, folder(of: staged.app))
  }

  func forget(_ staged: StagedSounds) { remove(staged.folder) }

  func removeSounds(of app: AppID) { remove(folder(of: app)) }

  private func makeFolder(_ path: String) throws(DaemonError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw DaemonError("cannot make the folder \(path): \(String(cString: strerror(errno)))")
    }
  }

  private func remove(_ folder: String) {
    for file in SharedFiles.files(in: folder) { unlink("\(folder)/\(file)") }
    rmdir(folder)
  }

  private func folder(of app: AppID) -> String { "\(folder)/\(app.text)" }
  private func path(of name: String, app: AppID) -> String { "\(folder(of: app))/\(name).wav" }
}

/// Sounds of an app that is about to be installed.
struct StagedSounds: Sendable {
  var app: AppID
  var folder: String
}
