// The real libasound, with a PCM that writes its input to a file: the played sound equals the installed one, sample for
// sample.

import CALSA
import CSndFile
import Foundation
import Testing

@testable import Speaker

/// An ALSA configuration for the tests, so that they are the same on machines with and without sound cards.
private enum TestCard {
  /// `default` is a card that no machine has, `mono` a PCM with one channel, `file:PATH,FORMAT` plays to a file.
  private static let configuration = """
    pcm.null { type null }
    pcm.file {
      @args [ FILE FORMAT ]
      @args.FILE { type string }
      @args.FORMAT { type string default raw }
      type file
      slave.pcm null
      file $FILE
      format $FORMAT
    }
    pcm.plug {
      @args [ SLAVE ]
      @args.SLAVE { type string }
      type plug
      slave.pcm $SLAVE
    }
    pcm.default { type hw card 31 }
    pcm.mono {
      type multi
      slaves.a { pcm null channels 1 }
      bindings.0 { slave a channel 0 }
    }
    """

  /// Installs the configuration. alsa-lib reads it from an open file without a name, so nothing is left behind.
  static let isInstalled: Bool = {
    var path = Array("/tmp/deskbell-asound-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { return false }
    unlink(path)
    let bytes = Array(configuration.utf8)
    guard write(file, bytes, bytes.count) == bytes.count else { return false }
    return setenv("ALSA_CONFIG_PATH", "/proc/self/fd/\(file)", 1) == 0
  }()

  static func pcm(writing file: String) throws -> String {
    try #require(isInstalled)
    return "file:'\(file)',wav"
  }

  static func pcm(_ name: String) throws -> String {
    try #require(isInstalled)
    return name
  }
}

@Suite(.timeLimit(.minutes(10)))
struct ALSASinkTests {
  /// Plays a sound to a file, and returns its samples.
  private func play(_ source: [Int16], at volume: Volume = .full) async throws -> [Int16] {
    let folder = try TemporaryFolder()
    let log = Transcript()
    let speaker = try Speaker(
      output: ALSASink(pcm: TestCard.pcm(writing: folder.file("out.wav"))), report: log.record)
    speaker.play(try folder.sound("noise", source), at: volume, id: PlaybackID(7))
    #expect(await log.next(2) == ["started 7 noise", "finished 7"])
    speaker.shutdown()
    #expect(await log.rest() == [])
    let bytes = try folder.bytes("out.wav")
    #expect(bytes[36..<40].elementsEqual("data".utf8))
    return samples(ofWAV: bytes)
  }

  @Test(
    "A2: what is played is the installed sound, sample for sample, with silence after it",
    arguments: [1, 1023, 1024, 1025, 4096, 4097, 44_100])
  func played(frames: Int) async throws {
    let source = noise(count: 2 * frames)
    let played = try await play(source)
    #expect(played.prefix(source.count).elementsEqual(source))
    let silence = played.dropFirst(source.count)
    #expect(silence.allSatisfy { $0 == 0 })
    // To the end of a period, and one more period: 1024 frames each, if the card supports that.
    #expect(silence.count >= 2 * 1024 && silence.count < 2 * 2 * 1024)
  }

  @Test("S1, N9: what is played is the installed sound at its volume, sample for sample", arguments: [0.4, 0.01, 0])
  func volume(amplitude: Double) async throws {
    let source = noise(count: 2 * 5_000)
    let factor = (amplitude * 65_536).rounded()
    let expected = source.map { Int16((Double($0) * factor / 65_536 + 0.5).rounded(.down)) }
    let played = try await play(source, at: Volume(amplitude))
    #expect(played.prefix(source.count).elementsEqual(expected))
    #expect(played.dropFirst(source.count).allSatisfy { $0 == 0 })
  }

  @Test("A5: a missing sound card is reported once, and each sound tries it again")
  func noCard() async throws {
    let folder = try TemporaryFolder()
    let log = Transcript()
    let speaker = try Speaker(output: ALSASink(pcm: TestCard.pcm("default")), report: log.record)
    let sound = try folder.sound("bell", noise(count: 20))
    let message =
      "speaker: PCM 'default': No such file or directory (ENOENT): No sound card found. List cards with 'aplay -L', then start with --pcm NAME, or use --wav DIR."
    speaker.checkDevice()
    #expect(await log.next(1) == ["lost \(message)"])
    for id: UInt64 in 1...3 {
      speaker.play(sound, id: PlaybackID(id))
      #expect(await log.next(1) == ["failed \(id) \(message)"])
    }
    speaker.shutdown()
    #expect(await log.rest() == [])
  }

  @Test("A PCM that is not configured is named, with what to do")
  func unknownPCM() throws {
    let sink = ALSASink(pcm: try TestCard.pcm("nosuch"))
    let error = #expect(throws: SpeakerError.self) { try sink.check() }
    #expect(
      error?.description
        == "speaker: PCM 'nosuch': No such file or directory (ENOENT): no PCM of that name ('aplay -L' lists them); set 'speaker.pcm' or use a WAV sink"
    )
  }

  @Test("A PCM that does not take the format is named, with what to do")
  func otherFormat() throws {
    let sink = ALSASink(pcm: try TestCard.pcm("mono"))
    let error = #expect(throws: SpeakerError.self) { try sink.check() }
    #expect(
      error?.description
        == "speaker: PCM 'mono': Invalid argument (EINVAL): it does not take 16-bit 44.1 kHz stereo; set 'speaker.pcm' to \"plug:'mono'\" or \"default\""
    )
    // The advice works.
    try ALSASink(pcm: "plug:'mono'").check()
    let card = ALSAError.formatRefused(pcm: "hw:CARD=Headphones,DEV=0", code: -EINVAL)
    #expect(card.remedy.hasSuffix(#"set 'speaker.pcm' to "plughw:CARD=Headphones,DEV=0" or "default""#))
  }

  @Test("A PCM that works passes the check, and can be opened again")
  func check() throws {
    let sink = ALSASink(pcm: try TestCard.pcm("null"))
    try sink.check()
    try sink.check()
  }

  @Test(
    "Each error of a card has its own cause and remedy",
    arguments: [
      (
        EBUSY, "Device or resource busy (EBUSY)",
        "another program has it; stop that one, or set 'speaker.pcm' to a PCM that mixes"
      ),
      (EACCES, "Permission denied (EACCES)", "the daemon may not open it; add its user to the group 'audio'"),
      (ENODEV, "No such device (ENODEV)", "the card is gone; plug it in again: the next sound tries it"),
      (ENOMEM, "Cannot allocate memory (ENOMEM)", "check 'speaker.pcm', or use a WAV sink"),
    ])
  func words(code: Int32, cause: String, remedy: String) {
    #expect(
      ALSAError.error(pcm: "hw:1", code: -code) == SpeakerError(device: "PCM 'hw:1'", cause: cause, remedy: remedy))
  }
}
