import Foundation
import HandsetCore
import Testing

@testable import DeskbellDaemon

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
