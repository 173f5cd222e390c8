// A backup: one file with everything that is needed to restore an installation, on this machine or another one. It is
// an SQLite database: the daemon's own, with the other files in an additional table.

import FoundationEssentials
import Glibc
import HandsetStore
import HeldFolders
import Installation
import SystemThreads

public enum Backup {
  public struct Contents: Codable, Hashable, Sendable {
    public var version: String
    public var machine: String
    /// The time, as in ISO 8601.
    public var made: String
    public var apps: [String]
    public var providers: [String]
    public var notifications: Int
    /// Paths of the settings file and of the files that it names.
    public var settings: [String]
  }

  public struct Report: Codable, Hashable, Sendable {
    public var file: String
    public var bytes: Int
    public var contents: Contents
    /// Files that are not in it: they are missing, too large, or no files.
    public var leftOut: [String]
  }

  /// Makes a backup, whether a daemon runs or not. An existing file with that name is replaced at the end, and only if
  /// it is a backup.
  /// - Parameters:
  ///   - target: the path of the file; its mode is 0600.
  ///   - options: name the settings file and the state directory.
  ///   - progress: called with each step before it begins.
  /// - Throws: `DaemonError`; then no file has that name, or the older one still has it.
  public static func make(
    at target: String, _ options: DaemonOptions, progress: (String) -> Void = { _ in }
  ) throws(DaemonError) -> Report {
    do {
      let configuration = try Configuration(options)
      guard SharedFiles.isFile("\(configuration.state)/\(HandsetStore.fileName)") else {
        throw DaemonError(
          "there is no database in \(configuration.state): name the state directory with --state, or the settings file "
            + "with --config; the package's is read with sudo")
      }
      let file = try TargetFile(target)
      var leftOut: [String] = []
      let settings = try configuration.files(settings: options.config, missing: &leftOut)
      let (contents, bytes) = try withStage(in: configuration.state) { stage in
        progress("copying the database")
        let copied = try StateOwner.run(configuration.state) {
          try copy(configuration.state, to: "\(stage)/\(HandsetStore.fileName)", settings: settings, &leftOut)
        }
        defer { close(copied.descriptor) }
        progress("writing \(target)")
        return (copied.contents, try file.write(copied.descriptor))
      }
      return Report(file: target, bytes: bytes, contents: contents, leftOut: leftOut)
    } catch {
      throw DaemonError(describing: error)
    }
  }

  /// Keeps a folder in the state directory while `body` runs. A folder that a killed backup left is removed first.
  private static func withStage<Result>(in state: String, _ body: (String) throws -> Result) throws -> Result {
    let folder = "\(state)/backup-partial"
    let lock = try StateOwner.run(state) {
      let lock = try StateFolder.explaining { () throws(HeldFolder.Fault) in
        try HeldFolder(state).folder("backup-partial", makingMissing: 0o700)
      }
      guard lock.lock() else { throw DaemonError("another backup of \(state) is being made: wait for its end") }
      for name in SharedFiles.files(in: folder) { HeldFolder.removeAll(at: "\(folder)/\(name)") }
      return lock
    }
    defer {
      try? StateOwner.run(state) { HeldFolder.removeAll(at: folder) }
      withExtendedLifetime(lock) {}
    }
    return try body(folder)
  }

  static let contentsKey = "contents"

  /// The attempts to read apps' files that match the database. Only a concurrent installation can spoil one.
  private static let attempts = 5

  /// - Returns: the contents, and the file, opened for reading.
  private static func copy(
    _ state: String, to path: String, settings: [DatabaseCopy.File], _ leftOut: inout [String]
  ) throws -> (contents: Contents, descriptor: CInt) {
    var contents: Contents?
    for _ in 1...attempts where contents == nil {
      unlink(path)
      let before = AppPaths(state: state).links
      let copy = try DatabaseCopy(of: "\(state)/\(HandsetStore.fileName)", at: path)
      let others = try StateFiles.read(StateReplacement.companions, in: state) { try copy.add($0) }
      guard AppPaths(state: state).links == before else { continue }
      for file in settings { try copy.add(file) }
      let made = Contents(
        version: Daemon.version, machine: ProcessInfo.processInfo.hostName, made: Date().formatted(.iso8601),
        apps: try copy.apps(), providers: try copy.providers(), notifications: try copy.notificationCount(),
        settings: settings.map(\.path))
      try copy.note(String(decoding: try JSONEncoder().encode(made), as: UTF8.self), as: contentsKey)
      leftOut += others
      contents = made
    }
    guard let contents else { throw DaemonError("apps are being installed all the time: try again later") }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw DaemonError.disk(path) }
    return (contents, descriptor)
  }

  /// The file to be written, in a folder that is held open, so that it remains the same folder.
  private struct TargetFile {
    let folder: HeldFolder
    let name: String

    /// - Throws: `DaemonError` if the name belongs to something other than a backup.
    init(_ path: String) throws {
      guard let name = path.split(separator: "/").last.map(String.init), !path.hasSuffix("/") else {
        throw DaemonError("'\(path)' is a folder: name a file in it")
      }
      self.name = name
      folder = try HeldFolder(HeldFolder.parent(of: path))
      guard folder.contains(name) else { return }
      let descriptor = try folder.open(name)
      defer { close(descriptor) }
      var header = [UInt8](repeating: 0, count: 100)
      let count = read(descriptor, &header, header.count)
      guard count == header.count, DatabaseCopy.isBackup(header) else {
        throw DaemonError("\(path) is there, and is no backup: name another file, or move it away")
      }
    }

    /// Copies a file into a new one, renames it, and returns the number of bytes.
    func write(_ source: CInt) throws -> Int {
      let partial = "\(name).partial"
      let file = try folder.create(partial, mode: 0o600)
      let bytes: Int
      do {
        defer { close(file) }
        bytes = try copyAll(from: source, to: file)
        guard fsync(file) == 0 else { throw DaemonError.disk("\(folder.path)/\(partial)") }
      } catch {
        try? folder.remove(partial)
        throw error
      }
      try folder.rename(partial, to: name)
      try folder.synchronize()
      return bytes
    }
  }
}

/// Copies the rest of a file, and returns the number of bytes.
func copyAll(from source: CInt, to target: CInt) throws -> Int {
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  var total = 0
  while true {
    let count = read(source, &buffer, buffer.count)
    guard count >= 0 else { throw SystemError.last }
    if count == 0 { return total }
    try writeAll(buffer.span.extracting(..<count).bytes, to: target)
    total += count
  }
}

extension AppPaths {
  fileprivate var links: [String: String] {
    var links: [String: String] = [:]
    for handset in SharedFiles.files(in: handsets) {
      for app in SharedFiles.files(in: "\(handsets)/\(handset)/apps") {
        let path = "\(handsets)/\(handset)/apps/\(app)"
        links[path] = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      }
    }
    return links
  }
}

extension Configuration {
  /// - Parameters:
  ///   - settings: the path of the settings file; nil if there is none.
  ///   - missing: gets the paths of files that do not exist.
  fileprivate func files(settings: String?, missing: inout [String]) throws(DaemonError) -> [DatabaseCopy.File] {
    var files: [DatabaseCopy.File] = []
    for path in [settings].compactMap(\.self) + namedFiles {
      let path = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
      guard !files.contains(where: { $0.path == path }) else { continue }
      var status = stat()
      guard stat(path, &status) == 0 else {
        guard errno == ENOENT else { throw .disk(path) }
        missing.append(path)
        continue
      }
      guard let content = FileManager.default.contents(atPath: path) else { throw .disk(path) }
      files.append(
        DatabaseCopy.File(
          .settings, path, .file, mode: UInt32(status.st_mode & 0o777), owner: StateOwner.name(of: status.st_uid),
          group: StateOwner.name(ofGroup: status.st_gid), content: Array(content)))
    }
    return files
  }

  private var namedFiles: [String] {
    let boardFiles = [board, display].compactMap(\.self).filter { $0.contains("/") }
    let members = fleet.map { $0.desks + [$0.gateway].compactMap(\.self) } ?? []
    let files = [
      certificate?.chain, certificate?.key, home?.passwordFile, home?.broker.authorityFile,
      fleet?.authorityFile,
    ]
    return boardFiles + files.compactMap(\.self) + members.map(\.seedFile)
  }
}

extension DaemonError {
  init(describing error: any Error) {
    switch error {
    case let error as DaemonError: self = error
    case let fault as HeldFolder.Fault: self.init("\(fault.path): \(fault.reason)")
    default: self.init("\(error)")
    }
  }
}
