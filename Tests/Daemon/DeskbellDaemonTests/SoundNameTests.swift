// The names of an app's sounds: in any script, even as macOS decomposes them, and reported if they are not used.

import Foundation
import HandsetCore
import Testing

@testable import DeskbellDaemon

@Suite struct AppSoundNameTests {
  private func bundle(_ sounds: [String]) throws -> AppBundle {
    var files = ["app.yaml": Array("id: com.example.mail\nname: Mail\n".utf8)]
    for sound in sounds { files["sounds/\(sound)"] = FoldersRig.wave }
    return try AppBundle(files: files, folder: "mail", language: "en", decoder: .inThisProcess)
  }

  @Test(
    "A name may be of any script",
    arguments: [
      "Tür", "Tu\u{308}r", "नमस्ते", "สวัสดี", "வணக்கம்", "한글", "\u{1112}\u{1161}\u{11AB}", "門鈴", "か\u{3099}", "مرحبا\u{64B}",
      "می\u{200C}خواهم", "שָׁלוֹם", "Mom's bell (1)", "ドア・ベル", "звонок 2",
    ])
  func scripts(name: String) throws {
    let bundle = try bundle(["\(name).wav"])
    #expect(bundle.notes == [])
    #expect(bundle.manifest.sounds == [name])
  }

  @Test("A push that composes a name otherwise plays the file as it is named")
  func composed() throws {
    let (file, pushed) = ("Tu\u{308}r", "T\u{FC}r")
    var manifest = AppManifest(id: AppID("com.example.mail")!, name: "Mail")
    manifest.sounds = try bundle(["\(file).wav"]).manifest.sounds
    let token = try #require(DeviceToken(hex: "a1b2"))
    let app = App(manifest: manifest, state: AppState(token: token))
    for name in [pushed, "\(pushed).wav", "\(file).caf"] {
      guard case .bundle(_, let found) = Handset.sound(named: name, for: app) else {
        Issue.record("\(name)")
        continue
      }
      #expect(Array(found.utf8) == Array(file.utf8))
    }
  }

  @Test("A sound in a subfolder, and one with a character that no name has, are named as such")
  func notUsed() throws {
    #expect(
      try bundle(["alarm/a.wav", "x/y/b.wav", "a:b.wav"]).notes == [
        "sounds/a:b.wav: not used; a sound's name is letters, digits, dots, dashes, underscores and spaces",
        "sounds/alarm/a.wav: not used; it is in the subfolder sounds/alarm/, and sounds are in sounds/ itself",
        "sounds/x/y/b.wav: not used; it is in the subfolder sounds/x/y/, and sounds are in sounds/ itself",
      ])
  }

  @Test("deskbell check names sounds in subfolders too, also of subfolders")
  func checked() throws {
    let folder = NSTemporaryDirectory() + "deskbell-sounds-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: "\(folder)/sounds/x/y", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("id: com.example.mail\nname: Mail\n".utf8).write(to: URL(filePath: "\(folder)/app.yaml"))
    try Data(FoldersRig.wave).write(to: URL(filePath: "\(folder)/sounds/x/a.wav"))
    let errors = DeskbellDaemon.check(path: folder).errors
    #expect(errors.count == 1 && errors[0].contains("in the subfolder sounds/x/"), "\(errors)")
  }
}

@Suite struct SoundLibraryTests {
  private let library = SoundLibrary(state: "/state", systemSound: "/share/Sounds/bell.wav")

  @Test func theSoundsThatComeAlongAreBesideTheSystemSound() {
    #expect(library.sound(for: .system, on: .first).path == "/share/Sounds/bell.wav")
    #expect(library.sound(for: .system, on: .first).name == "default")
    #expect(library.sound(for: .shipped(.chime), on: .first).path == "/share/Sounds/chime.wav")
    #expect(library.sound(for: .shipped(.chime), on: .first).name == "chime")
  }

  @Test("The core has the names of the files: a sound without a name cannot be played, a name without a file is silent")
  func everyShippedSoundHasAName() throws {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let files = try FileManager.default.contentsOfDirectory(atPath: "/\(folder)/Sounds")
    let names = files.filter { $0.hasSuffix(".wav") }.map { String($0.dropLast(4)) }
    #expect(names.sorted() == ShippedSound.allCases.map(\.rawValue).sorted())
  }
}
