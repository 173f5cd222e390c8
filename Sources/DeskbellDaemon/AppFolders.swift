// An installed app's own files and its hooks, kept for as long as the app is installed: a hook runs long after whoever
// installed it has gone.

import AppLink
import FoundationEssentials
import Glibc
import HandsetCore
import Installation

/// One folder for each app that has hooks.
struct AppFolders: Sendable {
  /// `apps` in the state directory.
  let folder: String

  private func own(_ app: AppID) -> String { "\(folder)/\(app.text)" }

  /// Writes an app's hooks, and its files if a hook is a command, beside what the app has, for `adopt` or `forget`.
  /// - Throws: `DaemonError` where the folder cannot be written, or a path leaves the bundle; nothing is left behind then.
  func stage(_ app: AppID, hooks: AppHooks, files: [String: [UInt8]]) throws(DaemonError) -> StagedBundle {
    guard !hooks.isEmpty else { return StagedBundle(app: app, hooks: hooks) }
    var staged = StagedBundle(app: app, hooks: hooks)
    staged.hooks.folder = "\(own(app))/bundle-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    do {
      try AppFolders.makeFolder(staged.hooks.folder)
      for (path, bytes) in files where hooks.haveCommand {
        try AppFolders.write(bytes, to: path, in: staged.hooks.folder)
      }
      try JSONEncoder().encode(staged.hooks).write(to: URL(filePath: staged.hooksFile))
      try AppFolders.flush(staged.hooks.folder)
      try AppFolders.flush(staged.hooksFile)
    } catch {
      forget(staged)
      throw (error as? DaemonError) ?? DaemonError("the bundle of \(app) cannot be kept in \(own(app)): \(error)")
    }
    return staged
  }

  /// Puts the staged bundle in the place of the one that the app had, in one step: `hooks.json` names the folder.
  /// - Returns: the hooks with their folder.
  /// - Throws: `DaemonError` where the disk fails; the app keeps what it had.
  func adopt(_ staged: StagedBundle) throws(DaemonError) -> AppHooks {
    guard !staged.hooks.isEmpty else {
      remove(staged.app)
      return staged.hooks
    }
    let place = "\(own(staged.app))/hooks.json"
    let before = hooks(of: staged.app)?.folder
    guard rename(staged.hooksFile, place) == 0 else {
      let code = errno
      forget(staged)
      throw DaemonError("the bundle of \(staged.app) cannot be kept in \(place): \(String(cString: strerror(code)))")
    }
    if let before, before.hasPrefix("\(own(staged.app))/") { AppFolders.removeAll(before) }
    return staged.hooks
  }

  func forget(_ staged: StagedBundle) {
    guard !staged.hooks.isEmpty else { return }
    AppFolders.removeAll(staged.hooksFile)
    AppFolders.removeAll(staged.hooks.folder)
    // Stays where there is something in it.
    rmdir(own(staged.app))
  }

  /// Removes what installations left that a power cut ended.
  func removeLeftovers() {
    for name in SharedFiles.files(in: folder) {
      if let app = AppID(name) { removeLeftovers(of: app) }
    }
  }

  /// Leaves of an app's folder the hooks and the bundle that they name.
  private func removeLeftovers(of app: AppID) {
    let kept = hooks(of: app)?.folder
    for name in SharedFiles.files(in: own(app)) where name != "hooks.json" && "\(own(app))/\(name)" != kept {
      AppFolders.removeAll("\(own(app))/\(name)")
    }
    rmdir(own(app))
  }

  /// What was kept; nil where there is nothing that can be read.
  func hooks(of app: AppID) -> AppHooks? {
    guard let data = FileManager.default.contents(atPath: "\(own(app))/hooks.json") else { return nil }
    return try? JSONDecoder().decode(AppHooks.self, from: data)
  }

  func remove(_ app: AppID) { AppFolders.removeAll(own(app)) }

  private static func removeAll(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private static func write(_ bytes: [UInt8], to path: String, in folder: String) throws {
    // By bytes, as the kernel does: to Swift a slash with a combining accent behind it is another character.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !path.utf8.contains(0),
      !parts.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
    else {
      throw DaemonError("'\(path)' is no path within a bundle")
    }
    let file = "\(folder)/\(path)"
    try makeFolder(SharedFiles.parent(of: file))
    // The upload has no modes: what says of itself that it is a program, is one.
    let isProgram = bytes.starts(with: Array("#!".utf8)) || bytes.starts(with: [0x7F] + Array("ELF".utf8))
    try Data(bytes).write(to: URL(filePath: file))
    chmod(file, isProgram ? 0o700 : 0o600)
  }

  private static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Waits until the folder and all in it is on the disk: what is renamed into place must be whole after a power cut.
  private static func flush(_ path: String) throws {
    for name in SharedFiles.files(in: path) { try flush("\(path)/\(name)") }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw DaemonError("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw DaemonError("\(path): \(String(cString: strerror(errno)))") }
  }
}

/// The bundle of an app that is about to be installed.
struct StagedBundle: Sendable {
  var app: AppID
  /// With their folder, where there are any.
  var hooks: AppHooks

  fileprivate var hooksFile: String { "\(hooks.folder).json" }
}
