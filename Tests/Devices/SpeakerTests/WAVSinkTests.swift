// On machines without sound, the sounds are recorded in a folder.

import Foundation
import SystemThreads
import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct WAVSinkTests {
  let folder: TemporaryFolder
  let log = Transcript()

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("Each sound becomes a file, numbered and named, the same as the one installed; numbers go on after a restart")
  func recordings() async throws {
    let bell = try folder.sound("bell", noise(count: 2 * 9000))
    let knock = try folder.sound("knock", noise(count: 2 * 10, seed: 3))
    let sink = WAVSink(folder: folder.file("heard"))
    for sounds in [[bell, knock], [bell]] {
      let speaker = try Speaker(output: sink, report: log.record)
      for sound in sounds {
        speaker.play(sound, id: PlaybackID(1))
        #expect(await log.next(2) == ["started 1 \(sound.name)", "finished 1"])
      }
      speaker.shutdown()
    }
    let heard = try FileManager.default.contentsOfDirectory(atPath: folder.file("heard")).sorted()
    #expect(heard == ["000001-bell.wav", "000002-knock.wav", "000003-bell.wav"])
    for (file, sound) in zip(heard, [bell, knock, bell]) {
      #expect(try folder.bytes("heard/\(file)") == readBytes(sound.path))
    }
  }

  @Test("A sound that was cut off is recorded up to its end")
  func cutOff() throws {
    let bell = try Doorbell()
    let stream = try WAVSink(folder: folder.path).open(sound: "bell")
    let source = noise(count: 2 * 30)
    let taken = try source.withUnsafeBytes { try stream.write($0, until: bell) }
    #expect(taken == 120)
    #expect(try folder.files == ["000001-bell.wav.part"])
    stream.close()
    stream.close()
    #expect(try folder.files == ["000001-bell.wav"])
    #expect(try decoded(folder.bytes("000001-bell.wav")).samples == source)
  }

  @Test(
    "A name from an app does not lead out of the folder",
    arguments: [
      ("../../etc/passwd", "______etc_passwd"), ("", "_"), ("a b/ü", "a_b___"),
      (
        String(repeating: "n", count: WAVSink.Limits.nameBytes + 1),
        String(repeating: "n", count: WAVSink.Limits.nameBytes)
      ),
    ])
  func names(sound: String, file: String) throws {
    try WAVSink(folder: folder.path).open(sound: sound).close()
    #expect(try folder.files == ["000001-\(file).wav"])
  }

  @Test("One recording more than the limit deletes the oldest")
  func bounded() throws {
    let sink = WAVSink(folder: folder.path)
    for _ in 0...WAVSink.Limits.recordings { try sink.open(sound: "a").close() }
    let files = try folder.files
    #expect(files.count == WAVSink.Limits.recordings)
    #expect(files.first == "000002-a.wav")
    #expect(files.last == "000201-a.wav")
  }

  @Test("The next recording deletes what a killed daemon was writing; other files stay")
  func unfinished() throws {
    for name in ["000004-bell.wav.part", "notes.part", "x-1.wav"] {
      try Data([1]).write(to: URL(fileURLWithPath: folder.file(name)))
    }
    try WAVSink(folder: folder.path).open(sound: "a").close()
    #expect(try folder.files == ["000001-a.wav", "notes.part", "x-1.wav"])
  }

  @Test("A folder that cannot be made is named, with what to do")
  func noFolder() throws {
    let sink = WAVSink(folder: folder.file("none/heard"))
    let error = #expect(throws: SpeakerError.self) { try sink.check() }
    #expect(
      error?.description
        == "speaker: folder '\(folder.file("none/heard"))': No such file or directory (ENOENT): no recording can be written; free space there, or let the daemon write to it"
    )
    #expect(throws: SpeakerError.self) { try sink.open(sound: "a") }
  }
}
