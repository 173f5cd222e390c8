import AppLink
import FoundationEssentials
import Glibc
import HandsetCore
import HeldFolders
import Installation
import StrictYAML
import Testing

@testable import DeskbellDaemon

/// A state directory, removed with the rig.
final class FoldersRig {
  static let mail = AppAddress(AppID("com.example.mail")!, on: .first)
  static let mailOnTwo = AppAddress(AppID("com.example.mail")!, on: HandsetID(2))
  static let news = AppAddress(AppID("com.example.news")!, on: .first)

  let state: String
  /// Opened again, these are the folders of a restarted daemon.
  var folders: AppFolders

  init() throws {
    state = FileManager.default.temporaryDirectory.appending(path: "folders-\(UUID())").path
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    folders = AppFolders(state: state)
  }

  func restart() { folders = AppFolders(state: state) }

  deinit { HeldFolder.removeAll(at: state) }

  /// Returns a bundle with one command and these files.
  static func bundle(_ files: [String: [UInt8]], sounds: [String] = []) -> [String: [UInt8]] {
    let manifest = Array("id: com.example.mail\nname: Mail\nhooks: { background: [a] }\n".utf8)
    let all = files.merging(["app.yaml": manifest, "a": Array("#!/bin/sh\n".utf8)]) { first, _ in first }
    return all.merging(sounds.map { ("sounds/\($0).wav", wave) }) { first, _ in first }
  }

  @discardableResult
  func install(_ files: [String: [UInt8]], as app: AppAddress = FoldersRig.mail) throws -> AppPrograms {
    let digest = folders.hold(files)
    defer { folders.release(digest) }
    let bundle = try AppBundle(files: files, folder: "mail", language: "en", decoder: .inThisProcess) {
      folders.hasSound($0, in: digest)
    }
    try folders.store(bundle, files: files, as: digest)
    return try folders.install(digest, as: app)
  }

  func names(_ path: String) -> [String] { SharedFiles.files(in: "\(state)/\(path)").sorted() }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// Returns the path by which a command finds a file.
  func file(_ name: String, of programs: AppPrograms) throws -> String {
    "\(state)/bundles/\(try #require(programs.bundle).split(separator: "/")[5])/files/\(name)"
  }

  /// 100 frames of 16-bit 44.1 kHz stereo.
  static let wave: [UInt8] = {
    func little(_ value: UInt32, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    var bytes = Array("RIFF".utf8) + little(36 + 400, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    bytes += little(1, 2) + little(2, 2) + little(44_100, 4) + little(176_400, 4) + little(4, 2) + little(16, 2)
    return bytes + Array("data".utf8) + little(400, 4) + (0..<400).map { UInt8($0 & 63) }
  }()
}

/// Returns the errors for which `body` fails, each with its place in a file if it has one.
func errorsOf(_ body: () throws -> Void) -> [String] {
  do {
    try body()
    return []
  } catch {
    return (error as? StrictYAMLError)?.diagnostics.map(\.description) ?? ["\(error)"]
  }
}

@Suite struct AppFoldersTests {
  @Test("A bundle is stored with its programs, which are executable, and found again after a restart")
  func stored() throws {
    let rig = try FoldersRig()
    let files = FoldersRig.bundle(["bin/fetch": Array("#!/bin/sh\n".utf8), "e": [0x7F] + Array("ELF".utf8)])
    let programs = try rig.install(files)
    #expect(programs.background == .command(["a"]) && programs.launch == nil)
    #expect(programs.folder == "\(rig.state)/handsets/1/work/com.example.mail")
    for (name, mode) in [("bin/fetch", 0o500), ("e", 0o500), ("app.yaml", 0o400), ("bin", 0o500)] as [(String, mode_t)]
    {
      #expect(rig.mode(try rig.file(name, of: programs)) == mode, "\(name)")
    }
    for path in ["bundles", "handsets", "handsets/1", "handsets/1/apps"] {
      #expect(rig.mode("\(rig.state)/\(path)") == 0o700, "\(path)")
    }
    rig.restart()
    #expect(rig.folders.programs(of: FoldersRig.mail) == programs)
    #expect(rig.folders.programs(of: FoldersRig.mailOnTwo) == nil)
  }

  @Test(
    "The folder of a bundle is named by the SHA-256 of its files, their paths and lengths; a link's target is short")
  func digest() throws {
    #expect(
      AppFolders.digest(of: ["a": [1], "b": []])
        == "9009f3cc2dd13ec184591fd703eb4641cb70fcf0")
    #expect(AppPaths.linkTarget(AppFolders.digest(of: [:])).utf8.count < 60)
    let others: [[String: [UInt8]]] = [["a": [1]], ["a": [1], "c": []], ["a": [], "b": [1]], ["a": [], "1b": []]]
    #expect(Set(others.map(AppFolders.digest)).count == 4)
  }

  @Test("Two handsets with the same app: one bundle, which is there until the last of them is uninstalled")
  func shared() throws {
    let rig = try FoldersRig()
    let files = FoldersRig.bundle([:], sounds: ["ding"])
    let programs = try rig.install(files)
    let other = try rig.install(files, as: FoldersRig.mailOnTwo)
    #expect(rig.names("bundles") == [AppFolders.digest(of: files)])
    #expect(other.bundle == programs.bundle)
    #expect(other.folder == "\(rig.state)/handsets/2/work/com.example.mail")
    let library = SoundLibrary(state: rig.state, systemSound: "")
    func isThere(_ app: AppAddress) -> Bool {
      SharedFiles.isFile(library.sound(for: .bundle(app.app, name: "ding"), on: app.handset).path)
    }
    #expect(isThere(FoldersRig.mail) && isThere(FoldersRig.mailOnTwo) && !isThere(FoldersRig.news))

    rig.restart()
    rig.folders.remove(FoldersRig.mail)
    #expect(rig.folders.programs(of: FoldersRig.mail) == nil)
    #expect(!isThere(FoldersRig.mail))
    rig.restart()
    #expect(rig.folders.programs(of: FoldersRig.mailOnTwo) == other)
    #expect(isThere(FoldersRig.mailOnTwo))
    rig.folders.remove(FoldersRig.mailOnTwo)
    #expect(rig.names("bundles") == [])
    #expect(rig.names("handsets/1/apps") + rig.names("handsets/2/apps") == [])
  }

  @Test("Many handsets with the same app convert its sounds once")
  func convertedOnce() throws {
    let rig = try FoldersRig()
    let files = FoldersRig.bundle([:], sounds: ["ding", "dong"])
    try rig.install(files)
    let sounds = "bundles/\(AppFolders.digest(of: files))/sounds"
    #expect(rig.names(sounds) == ["ding.wav", "dong.wav"])
    var inode = stat()
    stat("\(rig.state)/\(sounds)/ding.wav", &inode)
    for number in 2...30 as ClosedRange<Int64> {
      let bundle = try AppBundle(files: files, folder: "mail", language: "en", decoder: .inThisProcess) {
        rig.folders.hasSound($0, in: AppFolders.digest(of: files))
      }
      #expect(bundle.sounds.isEmpty && bundle.manifest.sounds == ["ding", "dong"] && bundle.notes == [])
      try rig.install(files, as: AppAddress(FoldersRig.mail.app, on: HandsetID(number)))
    }
    #expect(rig.names("bundles").count == 1)
    var after = stat()
    stat("\(rig.state)/\(sounds)/ding.wav", &after)
    #expect(after.st_ino == inode.st_ino)
    // A sound that could not be converted without a decoder is tried again with the next installation.
    unlink("\(rig.state)/\(sounds)/dong.wav")
    try rig.install(files)
    #expect(rig.names(sounds) == ["ding.wav", "dong.wav"])
  }

  @Test("A newer bundle replaces the older one and what its commands wrote; one without programs leaves nothing")
  func replaced() throws {
    let rig = try FoldersRig()
    let older = try rig.install(FoldersRig.bundle(["b": [2]]))
    try FileManager.default.createDirectory(atPath: older.folder, withIntermediateDirectories: true)
    let newer = try rig.install(FoldersRig.bundle(["c": [3]]))
    #expect(rig.names("bundles") == [AppFolders.digest(of: FoldersRig.bundle(["c": [3]]))])
    #expect(FileManager.default.contents(atPath: try rig.file("c", of: newer)) == Data([3]))
    #expect(access(older.folder, F_OK) != 0)
    #expect(try rig.install(["app.yaml": Array("id: com.example.mail\nname: Mail\n".utf8)]) == AppPrograms())
    #expect(rig.folders.programs(of: FoldersRig.mail) == nil)
    #expect(rig.names("bundles") + rig.names("handsets/1/apps") == [])
  }

  @Test(
    "A bundle that is stored changes no app before it is installed; what a power cut leaves is removed at the start")
  func interrupted() throws {
    let rig = try FoldersRig()
    let programs = try rig.install(FoldersRig.bundle([:]))
    let files = FoldersRig.bundle(["b": [2]])
    let digest = rig.folders.hold(files)
    try rig.folders.store(
      AppBundle(files: files, folder: "mail", language: "en", decoder: .inThisProcess), files: files, as: digest)
    #expect(rig.folders.programs(of: FoldersRig.mail) == programs)
    #expect(rig.names("bundles").count == 2)
    try FileManager.default.createDirectory(
      atPath: "\(rig.state)/bundles/.new-1/files", withIntermediateDirectories: true)
    symlink("nowhere", "\(rig.state)/handsets/1/apps/.com.example.mail")
    rig.restart()
    #expect(rig.names("bundles") == [AppFolders.digest(of: FoldersRig.bundle([:]))])
    #expect(rig.names("handsets/1/apps") == ["com.example.mail"])
    #expect(rig.folders.programs(of: FoldersRig.mail) == programs)
  }

  @Test("A refused installation leaves nothing, also where another holds the same bundle")
  func refused() throws {
    let rig = try FoldersRig()
    let files = FoldersRig.bundle([:])
    let bundle = try AppBundle(files: files, folder: "mail", language: "en", decoder: .inThisProcess)
    let (first, second) = (rig.folders.hold(files), rig.folders.hold(files))
    #expect(first == second)
    try rig.folders.store(bundle, files: files, as: first)
    rig.folders.release(first)
    #expect(rig.names("bundles") == [second])
    rig.folders.release(second)
    #expect(rig.names("bundles") == [])
  }

  @Test("Apps that the database does not have any more are removed, of that handset alone")
  func uninstalled() throws {
    let rig = try FoldersRig()
    for app in [FoldersRig.mail, FoldersRig.news, FoldersRig.mailOnTwo] {
      try rig.install(FoldersRig.bundle([:]), as: app)
    }
    rig.folders.removeApps(of: .first, except: [FoldersRig.news.app])
    #expect(rig.names("handsets/1/apps") == ["com.example.news"])
    #expect(rig.names("handsets/2/apps") == ["com.example.mail"])
    #expect(rig.names("bundles").count == 1)
  }

  @Test("A service's bundle has no files to store")
  func service() throws {
    let rig = try FoldersRig()
    let manifest = Array("id: com.example.mail\nname: Mail\nhooks: { background: { socket: /run/mail.sock } }\n".utf8)
    let programs = try rig.install(["app.yaml": manifest, "a": [1]])
    #expect(programs.background == .socket("/run/mail.sock"))
    let digest = try #require(rig.names("bundles").first)
    #expect(rig.names("bundles/\(digest)/files") == [])
  }

  @Test(
    "A path that leaves the bundle is refused, and nothing of it is stored",
    arguments: ["../x", "a/../../b", "/a", "a//b", "./a", "../\u{301}x", "a/..\u{0}/b"])
  func outside(_ path: String) throws {
    let rig = try FoldersRig()
    let programs = try rig.install(FoldersRig.bundle([:]))
    #expect(throws: DaemonError("'\(path)' is no path within a bundle")) {
      try rig.install(FoldersRig.bundle([path: [2]]))
    }
    #expect(rig.folders.programs(of: FoldersRig.mail) == programs)
    #expect(rig.names("bundles").count == 1)
    #expect(rig.names("") == ["bundles", "handsets"])
  }
}
