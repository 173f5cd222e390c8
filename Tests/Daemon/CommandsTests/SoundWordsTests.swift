import DeskbellDaemon
import Foundation
import Speaker
import Testing

@testable import Commands

@Suite struct SoundWordsTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  @Test func aSoundThatPlays() throws {
    var report = try DeskbellDaemon.checkSound(
      path: "\(Self.package)/Sounds/bell.wav", decoder: .inThisProcess)
    #expect(report.format?.hasPrefix("WAV, 16-bit PCM, 44100 Hz, ") == true && report.plays == .itself)
    report.file = "bell.wav"
    (report.format, report.seconds, report.peakDecibels, report.loudnessLUFS) = ("WAV", 1.5, -0.04, -23.06)
    report.clippedSamples = 0
    #expect(
      SoundCommand.checked(report) == """
        bell.wav
          format    WAV
          length    1.500 s
          peak      0.0 dBFS
          loudness  -23.1 LUFS
          clipping  none
          plays     itself
        """)
    (report.loudnessLUFS, report.clippedSamples) = (nil, 7)
    #expect(SoundCommand.checked(report).contains("loudness  too short to measure: 0.4 s are needed"))
    #expect(SoundCommand.checked(report).contains("clipping  7 samples at full scale, in rows"))
    (report.peakDecibels, report.clippedSamples) = (nil, 0)
    #expect(SoundCommand.checked(report).contains("peak      silence\n  loudness  silence"))
  }

  @Test func aFileThatDoesNot() throws {
    let report = try DeskbellDaemon.checkSound(path: #filePath)
    #expect(report.plays == .default)
    #expect(
      SoundCommand.checked(report)
        == "\(#filePath)\n  plays  the default sound (A1): is not a WAV, AIFF or CAF file; convert it to one of these")
    let error = #expect(throws: DaemonError.self) { try DeskbellDaemon.checkSound(path: "/nowhere.wav") }
    #expect(
      error?.description
        == "/nowhere.wav cannot be read: No such file or directory; check the path and its permissions")
  }

  @Test("A file with one byte more than the limit is refused")
  func tooLarge() throws {
    let folder = try Folder()
    let path = folder.path + "/a.wav"
    try folder.write("a.wav", "")
    #expect(truncate(path, 21 * 1024 * 1024) == 0)
    #expect(try DeskbellDaemon.readSound(path: path).count == 20 * 1024 * 1024 + 1)
    #expect(try DeskbellDaemon.checkSound(path: path).problem?.hasPrefix("has 20971521 bytes") == true)
  }
}
