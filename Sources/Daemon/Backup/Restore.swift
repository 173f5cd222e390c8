// Replaces the contents of a state directory with those of a backup, or of a database that was set aside. The new
// contents are prepared and examined first, then replace the old ones as a whole. The old contents are kept.

import FoundationEssentials
import Glibc
import HandsetStore
import HeldFolders
import Installation
import StrictYAML

public enum Restore {
  public struct Options: Sendable {
    /// A backup, a copy of the database, or the folder of a database that was set aside.
    public var source: String
    /// If true, pages that differ from those that the daemon wrote are accepted.
    public var acceptsChanges = false
    /// If true, a state that has apps or providers is replaced, too.
    public var replaces = false
    /// If true, the settings file and the files that it names remain as they are.
    public var keepsSettings = false
    public var isDryRun = false

    public init(source: String) { self.source = source }
  }

  public struct Report: Codable, Hashable, Sendable {
    public var state: String
    /// The contents of the backup; nil if the source is no backup.
    public var backup: Backup.Contents?
    public var apps: [String]
    public var providers: [String]
    public var notifications: Int
    public var settings: [String] = []
    /// The new paths of settings files that were replaced.
    public var replacedSettings: [String] = []
    /// Pages that differ from those that the daemon wrote.
    public var acceptedPages: [Int]
    /// The folder with the previous contents of the state directory; nil if there were none.
    public var replaced: String?
  }

  /// - Parameters:
  ///   - daemon: names the settings file and the state directory.
  ///   - progress: called with each step before it begins.
  /// - Throws: `DaemonError`. Nothing has changed then, except settings files if the failure occurred there.
  public static func run(
    _ options: Options, _ daemon: DaemonOptions, progress: (String) -> Void = { _ in }
  ) throws(DaemonError) -> Report {
    do {
      let state = try Configuration(daemon).state
      let source = try Source(options.source)
      try StateOwner.makeFolder(state)
      let replacement = try StateOwner.run(state) { try StateReplacement(directory: state) }
      let stage = replacement.folder
      defer { try? StateOwner.run(state) { HeldFolder.removeAll(at: stage) } }
      progress("reading \(options.source)")
      var (report, settings) = try StateOwner.run(state) {
        HeldFolder.removeAll(at: stage)
        try StateFolder.make(stage)
        return try prepare(source, in: stage, options, progress)
      }
      report.state = replacement.directory
      if options.keepsSettings { settings = [] }
      try checkState(of: settings, daemon, is: state)
      if options.isDryRun {
        report.settings = settings.map(\.path)
        return report
      }
      if !options.replaces { try StateOwner.run(state) { try refuseToReplace(replacement.directory) } }
      for (index, file) in settings.enumerated() {
        let path = index == 0 ? daemon.config ?? file.path : file.path
        guard let replaced = try write(file, to: path) else { continue }
        report.settings.append(path)
        if !replaced.isEmpty { report.replacedSettings.append(replaced) }
      }
      report.replaced = try StateOwner.run(state) { try replacement.commit() }
      return report
    } catch {
      throw DaemonError(describing: error)
    }
  }

  /// A source, opened with the caller's rights, before those of the state directory's owner are assumed.
  private enum Source {
    case file(descriptor: CInt, log: CInt?)
    case folder(String)

    init(_ path: String) throws(DaemonError) {
      if SharedFiles.isFolder(path) {
        guard SharedFiles.isFile("\(path)/\(HandsetStore.fileName)") else {
          throw DaemonError("there is no \(HandsetStore.fileName) in \(path)")
        }
        self = .folder(path)
        return
      }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .disk(path) }
      let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
      self = .file(descriptor: descriptor, log: log < 0 ? nil : log)
    }
  }

  /// Copies everything into the stage, and examines it there.
  private static func prepare(
    _ source: Source, in stage: String, _ options: Options, _ progress: (String) -> Void
  ) throws -> (Report, [DatabaseCopy.File]) {
    let file = "\(stage)/\(HandsetStore.fileName)"
    var files = StateFiles.Writer(stage)
    switch source {
    case .file(let descriptor, let log):
      defer {
        close(descriptor)
        if let log { close(log) }
      }
      try copy(descriptor, to: file)
      if let log { try copy(log, to: file + "-wal") }
    case .folder(let folder):
      for name in [HandsetStore.fileName, HandsetStore.fileName + "-wal"] {
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { continue }
        guard descriptor >= 0 else { throw DaemonError.disk("\(folder)/\(name)") }
        defer { close(descriptor) }
        try copy(descriptor, to: "\(stage)/\(name)")
      }
      _ = try StateFiles.read(StateReplacement.companions, in: folder) { try files.write($0) }
    }
    progress("examining it")
    let copy = try examine(file, options)
    let isBackup = try copy.isBackup()
    var settings: [DatabaseCopy.File] = []
    if isBackup {
      try copy.forEachFile(in: .state) { try files.write($0) }
      try copy.forEachFile(in: .settings) { settings.append($0) }
    }
    let noted = isBackup ? try copy.noted(Backup.contentsKey) : nil
    let contents = noted.flatMap { try? JSONDecoder().decode(Backup.Contents.self, from: Data($0.utf8)) }
    // The settings file itself comes first.
    if let first = contents?.settings.first, let place = settings.firstIndex(where: { $0.path == first }) {
      settings.swapAt(0, place)
    }
    let report = Report(
      state: stage, backup: contents, apps: try copy.apps(), providers: try copy.providers(),
      notifications: try copy.notificationCount(), acceptedPages: copy.acceptedPages)
    try copy.becomeDatabase()
    try files.finish()
    try StateFolder.explaining { () throws(HeldFolder.Fault) in
      let folder = try HeldFolder(stage)
      try folder.flush(HandsetStore.fileName)
      try folder.synchronize()
    }
    return (report, settings)
  }

  private static func examine(_ file: String, _ options: Options) throws -> DatabaseCopy {
    do throws(StoreError) {
      return try DatabaseCopy(opening: file, acceptsChanges: options.acceptsChanges)
    } catch {
      let source = options.source
      switch error {
      case .changed(_, let pages, let count):
        throw DaemonError(
          "\(source): \(StoreError.changed(path: source, pages: pages, count: count)). If a program such as sqlite3 changed "
            + "it on purpose, 'deskbell restore --accept-changes \(source)' takes it as it is; else take an older backup"
        )
      case .inconsistent(_, let problem):
        throw DaemonError("\(source): SQLite's integrity check fails: \(problem). Take an older backup")
      case .foreign: throw DaemonError("\(source) is neither a backup nor a database of deskbell's")
      case .older(_, let version): throw StoreError.older(path: source, version: version)
      case .newer(_, let version, let known): throw StoreError.newer(path: source, version: version, known: known)
      case .sqlite(_, _, let message) where error.isDamage:
        throw DaemonError("\(source) is damaged, or not complete: \(message). Take an older backup")
      default: throw error
      }
    }
  }

  private static func copy(_ source: CInt, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DaemonError.disk(path) }
    defer { close(descriptor) }
    _ = try copyAll(from: source, to: descriptor)
  }

  /// Refuses settings that name another state directory: the daemon would start there with an empty state.
  private static func checkState(
    of settings: [DatabaseCopy.File], _ daemon: DaemonOptions, is state: String
  ) throws(DaemonError) {
    guard daemon.state == nil, let file = settings.first else { return }
    let document = try? YAMLDocument.parse(file.content, file: file.path, emptyAsMapping: true)
    guard let named = document.flatMap({ try? Configuration($0).state }), named != state else { return }
    throw DaemonError(
      "the settings in it name the state directory \(named), not \(state): choose with --state DIR, or keep this machine's "
        + "settings with --keep-settings")
  }

  private static func refuseToReplace(_ state: String) throws {
    let file = "\(state)/\(HandsetStore.fileName)"
    // A state that cannot be read has nothing to lose: it is kept.
    guard SharedFiles.isFile(file), let counts = try? DatabaseCopy.counts(of: file), counts.apps + counts.providers > 0
    else { return }
    throw DaemonError(
      "\(state) has \(counts.apps) apps and \(counts.providers) providers: 'deskbell restore --replace' keeps them in a "
        + "folder beside and brings back the backup")
  }

  /// Writes a settings file with its owner and permissions.
  /// - Returns: the new path of the file that it replaces, empty if there was none; nil if nothing changes.
  private static func write(_ file: DatabaseCopy.File, to path: String) throws -> String? {
    guard path.hasPrefix("/"), let name = path.split(separator: "/").last.map(String.init) else {
      throw DaemonError("the backup has a settings file without a whole path, '\(path)'")
    }
    if FileManager.default.contents(atPath: path).map(Array.init) == file.content { return nil }
    let folder = try HeldFolder(HeldFolder.parent(of: path), makingMissing: 0o755)
    var replaced = ""
    if folder.contains(name) {
      var number = 1
      while folder.contains("\(name).replaced-\(number)") { number += 1 }
      replaced = "\(name).replaced-\(number)"
    }
    let partial = "\(name).partial"
    let user = file.owner.flatMap { getpwnam($0)?.pointee.pw_uid } ?? 0
    let group = file.group.flatMap { getgrnam($0)?.pointee.gr_gid } ?? 0
    // Only root may change the owner of a file.
    let owner: HeldFolder.Owner? = geteuid() == 0 ? (user: user, group: group) : nil
    try folder.make(partial, file.content, mode: mode_t(file.mode & 0o777), isExact: true, owner: owner)
    if !replaced.isEmpty { try folder.link(name, to: replaced) }
    try folder.rename(partial, to: name)
    try folder.synchronize()
    return replaced.isEmpty ? "" : "\(folder.path)/\(replaced)"
  }
}
