// An installed app's own files and its hooks, kept for as long as the app is installed: a hook runs long after whoever
// installed it has gone.

import AppLink
import FoundationEssentials
import Glibc
import HandsetCore

/// One folder for each app that has hooks.
struct AppFolders: Sendable {
  /// `apps` in the state directory.
  let folder: String

  private func own(_ app: AppID) -> String { "\(folder)/\(app.text)" }

  /// Keeps an app's hooks, and where one is a command its files too, in place of what was kept before; or of nothing
  /// where it has no hooks.
  /// - Returns: the hooks with their folder.
  /// - Throws: `DaemonError` where the folder cannot be written; then what was kept before is.
  func replace(_ app: AppID, hooks: AppHooks, files: [String: [UInt8]]) throws(DaemonError) -> AppHooks {
    guard !hooks.isEmpty else {
      remove(app)
      return hooks
    }
    var hooks = hooks
    hooks.folder = "\(own(app))/bundle"
    // A name that no app can have.
    let (new, old) = ("\(own(app)).new.", "\(own(app)).old.")
    for leftover in [new, old] { AppFolders.removeAll(leftover) }
    do {
      try FileManager.default.createDirectory(
        atPath: "\(new)/bundle", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for (path, bytes) in files where hooks.haveCommand { try AppFolders.write(bytes, to: path, in: "\(new)/bundle") }
      try JSONEncoder().encode(hooks).write(to: URL(filePath: "\(new)/hooks.json"))
      // What is renamed into place is to be on the disk first.
      sync()
    } catch {
      AppFolders.removeAll(new)
      throw (error as? DaemonError) ?? DaemonError("the bundle of \(app) cannot be kept in \(new): \(error)")
    }
    rename(own(app), old)
    guard rename(new, own(app)) == 0 else {
      let code = errno
      rename(old, own(app))
      AppFolders.removeAll(new)
      throw DaemonError("the bundle of \(app) cannot be kept in \(own(app)): \(String(cString: strerror(code)))")
    }
    AppFolders.removeAll(old)
    return hooks
  }

  /// What was kept; nil where there is nothing that can be read.
  func hooks(of app: AppID) -> AppHooks? {
    // An installation that a power cut ended between two steps is taken back.
    if !SharedFiles.isFolder(own(app)) { rename("\(own(app)).old.", own(app)) }
    guard let data = FileManager.default.contents(atPath: "\(own(app))/hooks.json") else { return nil }
    return try? JSONDecoder().decode(AppHooks.self, from: data)
  }

  func remove(_ app: AppID) { AppFolders.removeAll(own(app)) }

  private static func removeAll(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private static func write(_ bytes: [UInt8], to path: String, in folder: String) throws {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // Whoever may use the control socket is trusted with the daemon's user, but a slip is caught.
    guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
      throw DaemonError("'\(path)' is no path within a bundle")
    }
    let file = "\(folder)/\(path)"
    try FileManager.default.createDirectory(
      atPath: SharedFiles.parent(of: file), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    // The upload has no modes: what says of itself that it is a program, is one.
    let isProgram = bytes.starts(with: Array("#!".utf8)) || bytes.starts(with: [0x7F] + Array("ELF".utf8))
    try Data(bytes).write(to: URL(filePath: file))
    chmod(file, isProgram ? 0o700 : 0o600)
  }
}
