// A decoder in a separate process. Scripts simulate decoders that a file has made crash, hang or lie; the real one is
// tested with the release binary (Tests/Clients/test_sound.py).

import CSndFile
import Foundation
import Testing

@testable import Speaker

@Suite(.timeLimit(.minutes(10)))
struct DecoderChildTests {
  private let folder: TemporaryFolder
  private let file: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    file = try SourceFile(Int(SF_FORMAT_WAV), Int(SF_FORMAT_PCM_16)).bytes(noise(count: 2 * 100))
  }

  /// Returns a program that runs the script.
  private func decoder(_ script: String, limit: Duration = .seconds(30)) throws -> SoundDecoder {
    let path = folder.file("decoder")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
    try #require(chmod(path, 0o700) == 0)
    return .program(path: path, limit: limit)
  }

  /// Returns a program that gives this answer to any input.
  private func decoder(answering answer: [UInt8]) throws -> SoundDecoder {
    try Data(answer).write(to: URL(fileURLWithPath: folder.file("answer")))
    return try decoder("cat >/dev/null; exec cat \(folder.file("answer"))")
  }

  private func problem(_ decoder: SoundDecoder) -> String? { refusal(file, by: decoder)?.problem }

  private static let noAnswer = "cannot be decoded: the decoder ended with exit code 0 and no sound"

  @Test("A written answer is read unchanged")
  func answer() throws {
    let path = folder.file("written")
    let (format, samples) = ("WAV, µ-law, 8000 Hz, 1 channel", noise(count: 2 * 50_000))
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    #expect(DecoderAnswer.sound(format: format, samples: samples).write(to: descriptor))
    close(descriptor)
    let read = try SoundFile(decoding: file, named: "a.wav", by: decoder(answering: readBytes(path)))
    #expect(read.sourceFormat == format)
    #expect(read.samples == samples)
  }

  @Test("A child's refusal is the sound's, with its name")
  func refusals() throws {
    let refused = try decoder(answering: Array("refusal\nWAV, PCM\nlasts 31.0 s\ncut it\n".utf8))
    #expect(refusal(file, by: refused)?.description == "sound 'a.wav' (WAV, PCM): lasts 31.0 s; cut it")
    let unknown = try decoder(answering: Array("refusal\n\nis odd\nmend it\n".utf8))
    #expect(refusal(file, by: unknown)?.description == "sound 'a.wav': is odd; mend it")
  }

  @Test(
    "Answers that no child of ours writes are no sound",
    arguments: [
      "", "sound", "sound\n", "sound\nWAV\n", "sound\nWAV\nabc", "sound\nWAV\nabcde", "sound\nW\u{1B}[2J\nabcd",
      "refusal\nWAV\nlasts 31 s\n", "refusal\nWAV\na\nb\nc", "refusal\n\na\u{7}\nb\n", "sounds\nWAV\nabcd",
      "sound\n" + String(repeating: "x", count: 1_025) + "\nabcd",
    ])
  func lies(answer: String) throws {
    #expect(problem(try decoder(answering: Array(answer.utf8))) == Self.noAnswer)
  }

  @Test("An answer that is not text, and a sound that is too long, are refused")
  func otherLies() throws {
    #expect(problem(try decoder(answering: Array("sound\n".utf8) + [0xFF] + Array("\nabcd".utf8))) == Self.noAnswer)
    let longest = 30 * 44_100 * 4
    let head = Array("sound\nWAV\n".utf8)
    #expect(problem(try decoder(answering: head + [UInt8](repeating: 0, count: longest + 4))) == Self.noAnswer)
    let whole = try decoder(answering: head + [UInt8](repeating: 0, count: longest))
    #expect(try SoundFile(decoding: file, named: "a.wav", by: whole).frames == 30 * 44_100)
    #expect(
      problem(try decoder("exec cat /dev/zero")) == "cannot be decoded: it decodes to more than 5294048 bytes")
  }

  @Test("A decoder that crashes, is stopped by its limits or says why it cannot work")
  func endings() throws {
    #expect(problem(try decoder("kill -SEGV $$")) == "cannot be decoded: the decoder was ended by signal 11")
    #expect(
      problem(try decoder("kill -SYS $$"))
        == "cannot be decoded: the decoder was stopped at a system call that decoding does not need")
    #expect(
      problem(try decoder("echo no libsndfile >&2; exit 127"))
        == "cannot be decoded: the decoder ended with exit code 127 and no sound: no libsndfile")
    #expect(
      problem(.program(path: "/nowhere/deskbell", limit: .seconds(30)))
        == "cannot be decoded: /nowhere/deskbell cannot be started: No such file or directory (ENOENT)")
    // A sound that was written before a crash may be incomplete.
    #expect(
      problem(try decoder("printf 'sound\\nWAV\\nabcd'; kill -SEGV $$"))
        == "cannot be decoded: the decoder was ended by signal 11")
  }

  @Test("A decoder that hangs is killed, with all that it started", arguments: ["", "exec >&- 2>&-;"])
  func hangs(closing: String) throws {
    // The reader gets the end of the file when the last process with the file open for writing has ended.
    let path = folder.file("alive")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let hanging = try decoder("exec 9>\(path); \(closing) sleep 1000 & sleep 1000", limit: .seconds(1))
    #expect(problem(hanging) == "cannot be decoded: the decoder took more than 1 s")
    var byte: UInt8 = 0
    #expect(fcntl(reader, F_SETFL, 0) == 0)
    #expect(read(reader, &byte, 1) == 0)
  }

  @Test("A decoder's program that is still being written for a moment is started after it")
  func busyProgram() throws {
    let written = try decoder("printf 'sound\\nWAV\\nabcd'")
    // Another process: a descriptor of this one would be inherited by the decoder.
    let (writer, output) = (Process(), Pipe())
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "exec 9>>\(folder.file("decoder")); echo open; exec sleep 0.3"]
    writer.standardOutput = output
    try writer.run()
    #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("open\n".utf8))
    #expect(try SoundFile(decoding: file, named: "a.wav", by: written).frames == 1)
    writer.waitUntilExit()
  }

  @Test("A decoder need not read its input; a file that is no sound starts none")
  func noReading() throws {
    let large = try SourceFile(Int(SF_FORMAT_WAV), Int(SF_FORMAT_PCM_16)).bytes(noise(count: 2 * 200_000))
    let deaf = try decoder("printf 'sound\\nWAV\\nabcd'")
    #expect(try SoundFile(decoding: large, named: "a.wav", by: deaf).frames == 1)
    #expect(refusal(Array("text".utf8), by: deaf)?.problem == "is not a WAV, AIFF or CAF file")
  }
}
