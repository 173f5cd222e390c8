// The bundles of apps, stored once however many handsets have the app. A bundle's programs, files, pictures and converted
// sounds are in one folder, named by the SHA-256 of the bundle. A bundle is removed with the last app that has it.

import AppLink
import Crypto
import FoundationEssentials
import Glibc
import HandsetCore
import HeldFolders
import Installation
import Speaker
import Synchronization

/// The bundles in the state directory, and the apps that have them.
final class AppFolders: Sendable {
  private struct State {
    /// The number of apps and installations that have each bundle.
    var holders: [String: Int] = [:]
    var programs: [String: AppPrograms] = [:]
    var removals = 0
  }

  private let paths: AppPaths
  private let state = Mutex(State())

  /// Removes the remains of interrupted installations.
  init(state directory: String) {
    paths = AppPaths(state: directory)
    var holders: [String: Int] = [:]
    for handset in SharedFiles.files(in: paths.handsets).compactMap({ Int64($0) }).map({ HandsetID($0) }) {
      for name in SharedFiles.files(in: paths.apps(of: handset)) {
        if let app = AppID(name) {
          if let digest = paths.digest(of: AppAddress(app, on: handset)) { holders[digest, default: 0] += 1 }
        } else {
          unlink("\(paths.apps(of: handset))/\(name)")
        }
      }
    }
    for name in SharedFiles.files(in: paths.bundles) where holders[name] == nil {
      HeldFolder.removeAll(at: paths.bundle(name))
    }
    let found = holders
    state.withLock { $0.holders = found }
  }

  /// Removes the handset's files of other apps: an uninstallation may have been interrupted.
  func removeApps(of handset: HandsetID, except installed: Set<AppID>) {
    let names = SharedFiles.files(in: paths.apps(of: handset)) + SharedFiles.files(in: paths.work(of: handset))
    for app in Set(names.compactMap { AppID($0) }).subtracting(installed) { remove(AppAddress(app, on: handset)) }
  }

  /// Returns the name of a bundle's folder, and keeps it from being removed before `release`.
  /// - Parameter files: the contents by path within the bundle.
  func hold(_ files: [String: [UInt8]]) -> String {
    let digest = AppFolders.digest(of: files)
    hold(digest)
    return digest
  }

  private func hold(_ digest: String) { state.withLock { $0.holders[digest, default: 0] += 1 } }

  /// Ends a `hold`. The bundle is removed if no other hold and no app has it.
  func release(_ digest: String) {
    let removed: String? = state.withLock { state in
      guard let count = state.holders[digest] else { return nil }
      state.holders[digest] = count == 1 ? nil : count - 1
      guard count == 1 else { return nil }
      state.programs[digest] = nil
      state.removals += 1
      let removed = "\(paths.bundles)/.removed-\(state.removals)"
      return rename(paths.bundle(digest), removed) == 0 ? removed : nil
    }
    if let removed { HeldFolder.removeAll(at: removed) }
  }

  func hasSound(_ name: String, in digest: String) -> Bool {
    SharedFiles.isFile("\(paths.bundle(digest))/sounds/\(name).wav")
  }

  /// Writes the missing parts of the bundle: its programs, its files if a program is a command, its sounds, and its
  /// pictures.
  /// - Parameter digest: the name of a bundle that is held.
  /// - Throws: `DaemonError` if the disk fails, or a path leaves the bundle.
  func store(_ bundle: AppBundle, files: [String: [UInt8]], as digest: String) throws(DaemonError) {
    guard !bundle.programs.isEmpty || !bundle.manifest.sounds.isEmpty || !bundle.pictures.isEmpty else { return }
    do {
      try storeFiles(bundle.programs.haveCommand ? files : [:], programs: bundle.programs, as: digest)
      let sounds = "\(paths.bundle(digest))/sounds"
      if !bundle.sounds.isEmpty { try StateFolder.make(sounds) }
      for (name, sound) in bundle.sounds { try sound.write(to: "\(sounds)/\(name).wav") }
      try store(pictures: bundle.pictures, of: files, in: paths.bundle(digest))
    } catch {
      throw (error as? DaemonError) ?? DaemonError("the bundle of \(bundle.manifest.id) cannot be stored: \(error)")
    }
  }

  private func store(
    pictures: [String], of files: [String: [UInt8]], in folder: String
  ) throws(DaemonError) {
    for path in pictures where !SharedFiles.isFile("\(folder)/\(path)") {
      if path != BundlePictures.icon { try StateFolder.make("\(folder)/\(BundlePictures.launchImages)") }
      try StateFolder.explaining { () throws(HeldFolder.Fault) in
        try HeldFolder.replace("\(folder)/\(path)", with: files[path] ?? [], mode: 0o400)
      }
    }
  }

  /// Returns the folder of an app's stored bundle; nil if the app has none.
  func folder(of app: AppAddress) -> String? { paths.digest(of: app).map(paths.bundle) }

  private func storeFiles(_ files: [String: [UInt8]], programs: AppPrograms, as digest: String) throws {
    let folder = paths.bundle(digest)
    if SharedFiles.isFolder(folder) { return }
    let bundles = try StateFolder.make(paths.bundles)
    let name = ".new-\(UInt64.random(in: .min ... .max))"
    defer { bundles.removeAll(name) }
    let staged = try StateFolder.make(bundles.file(name))
    let contents = try StateFolder.make(staged.file("files"))
    for (path, bytes) in files { try AppFolders.write(bytes, to: path, in: contents) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let list = try Array(encoder.encode(programs))
    try StateFolder.explaining { () throws(HeldFolder.Fault) in
      try staged.make("hooks.json", list, mode: 0o400, isFlushed: false)
      try contents.protect()
      try staged.flushAll()
    }
    // Another installation of the same bundle may have been faster.
    guard rename(staged.path, folder) == 0 || SharedFiles.isFolder(folder) else { throw DaemonError.disk(folder) }
    try StateFolder.flush(paths.bundles)
  }

  /// Writes a read-only file of a bundle, without flushing it. Files that begin like a program are made executable,
  /// since uploads have no modes.
  /// - Parameter path: the path within `folder`, with `/`.
  /// - Throws: `DaemonError` if the disk fails, or the path leaves the folder.
  private static func write(_ bytes: [UInt8], to path: String, in folder: HeldFolder) throws(DaemonError) {
    // Compares bytes, as the kernel does: in Swift a slash followed by a combining accent is another character.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !path.utf8.contains(0), let last = parts.last,
      !parts.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
    else {
      throw DaemonError("'\(path)' is no path within a bundle")
    }
    let isProgram = bytes.starts(with: Array("#!".utf8)) || bytes.starts(with: [0x7F] + Array("ELF".utf8))
    try StateFolder.explaining { () throws(HeldFolder.Fault) in
      var place = folder
      for part in parts.dropLast() { place = try place.folder(String(Substring(part)), makingMissing: 0o700) }
      try place.make(String(Substring(last)), bytes, mode: isProgram ? 0o500 : 0o400, isFlushed: false)
    }
  }

  /// Replaces the app's bundle with this one, in one step. Its commands then run in an empty folder.
  /// - Parameter digest: the name of a bundle that is held and stored.
  /// - Throws: `DaemonError` if the disk fails.
  func install(_ digest: String, as app: AppAddress) throws(DaemonError) -> AppPrograms {
    guard SharedFiles.isFolder(paths.bundle(digest)) else {
      // The bundle has neither programs nor sounds nor pictures.
      remove(app)
      return AppPrograms()
    }
    let folder = paths.apps(of: app.handset)
    try StateFolder.make(folder)
    // No app's identifier begins with a dot.
    let new = "\(folder)/.\(app.app)"
    hold(digest)
    let (isLinked, before) = state.withLock { _ in
      let before = paths.digest(of: app)
      unlink(new)
      return (symlink(AppPaths.linkTarget(digest), new) == 0 && rename(new, paths.link(of: app)) == 0, before)
    }
    guard isLinked else {
      let error = DaemonError.disk(paths.link(of: app))
      release(digest)
      throw error
    }
    // A power cut must not bring back a link to a bundle that is removed below.
    try StateFolder.flush(folder)
    HeldFolder.removeAll(at: paths.work(of: app))
    if let before { release(before) }
    return programs(of: app) ?? AppPrograms()
  }

  func remove(_ app: AppAddress) {
    let before = state.withLock { _ in
      let before = paths.digest(of: app)
      return unlink(paths.link(of: app)) == 0 ? before : nil
    }
    HeldFolder.removeAll(at: paths.work(of: app))
    if let before { release(before) }
  }

  /// Returns the app's programs; nil if the app has no bundle, or its bundle cannot be read.
  func programs(of app: AppAddress) -> AppPrograms? {
    guard let digest = paths.digest(of: app), var programs = programs(in: digest) else { return nil }
    programs.folder = paths.work(of: app)
    return programs
  }

  /// Returns a bundle's programs. They are read once, since many apps have the same bundle.
  private func programs(in digest: String) -> AppPrograms? {
    if let known = state.withLock({ $0.programs[digest] }) { return known }
    guard let data = FileManager.default.contents(atPath: "\(paths.bundle(digest))/hooks.json"),
      var programs = try? JSONDecoder().decode(AppPrograms.self, from: data)
    else { return nil }
    programs.bundle = AppPaths.files(of: digest)
    state.withLock { [programs] in if $0.holders[digest] != nil { $0.programs[digest] = programs } }
    return programs
  }

  /// The bytes of a digest in a folder's name. With more of them a link's target would not fit into its inode (59 bytes
  /// on ext4), and each app on a handset would take a block of the disk.
  private static let digestBytes = 20

  /// Returns the digest in hexadecimal. The same files have the same digest on every machine.
  static func digest(of files: [String: [UInt8]]) -> String {
    var hash = SHA256()
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      for part in [Array(path.utf8), bytes] {
        withUnsafeBytes(of: UInt64(part.count).littleEndian) { hash.update(bufferPointer: $0) }
        hash.update(data: part)
      }
    }
    return Hex.text(Array(hash.finalize().prefix(digestBytes)))
  }
}

/// Paths of apps and of the bundles that they share:
///
///     bundles/DIGEST/hooks.json, files/…, sounds/NAME.wav,  of a bundle, once however many handsets have the app
///       icon.png, launch-images/NAME.png
///     handsets/NUMBER/apps/APP                              a symbolic link to the app's bundle
///     handsets/NUMBER/work/APP/                             where the app's commands run
struct AppPaths: Sendable {
  let state: String

  static let names = ["bundles", "handsets"]

  var bundles: String { "\(state)/bundles" }
  var handsets: String { "\(state)/handsets" }

  func bundle(_ digest: String) -> String { "\(bundles)/\(digest)" }
  func apps(of handset: HandsetID) -> String { "\(handsets)/\(handset)/apps" }
  func work(of handset: HandsetID) -> String { "\(handsets)/\(handset)/work" }
  func link(of app: AppAddress) -> String { "\(apps(of: app.handset))/\(app.app)" }
  func work(of app: AppAddress) -> String { "\(work(of: app.handset))/\(app.app)" }

  static func linkTarget(_ digest: String) -> String { "../../../bundles/\(digest)" }
  /// Returns the path of a bundle's files, relative to the folder in which the app's commands run.
  static func files(of digest: String) -> String { "../../../../bundles/\(digest)/files" }

  func digest(of app: AppAddress) -> String? {
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link(of: app))
    return target?.split(separator: "/").last.map(String.init)
  }
}
