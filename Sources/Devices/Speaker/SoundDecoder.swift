// libsndfile has had exploitable faults, and it also reads formats that are not permitted here. Therefore the program
// starts itself again for each file, as a child that confines itself before it reads the first byte. The child
// resamples too, so that its answer is small and has one form, which needs no parser.

import CConfinement
import Glibc
import SystemThreads

/// The process that decodes foreign sound files.
public enum SoundDecoder: Sendable {
  /// This process, unprotected: for fuzzers and tests of the decoder itself.
  case inThisProcess
  /// A program that decodes as `decodeStandardInput` does, and its limit in real time.
  case program(path: String, limit: Duration)

  /// The running program, even if its path now belongs to another file.
  public static let child = program(path: "/proc/self/exe", limit: .seconds(Limits.seconds))

  /// The first argument of a child.
  public static let subcommand = "decode-sound"

  enum Limits {
    /// Seconds of real and processor time. The longest sound (30 s of stereo from 192 kHz) takes 1.1 s on a PC.
    static let seconds = 30
    /// Bytes of address space. The program itself has 60 MB, the longest sound adds 25.
    static let memory = 192 * 1024 * 1024
  }

  /// - Parameter form: the original container and encoding, if the file was converted before.
  func decode(_ file: [UInt8], named name: String, form: String? = nil) throws(SoundFileError) -> SoundFile {
    guard case .program(let path, let limit) = self else {
      return try SoundFile(reading: file, named: name, form: form)
    }
    let program = DecoderProgram(
      name: "the decoder", path: path, sound: name, limit: limit, outputBytes: DecoderAnswer.bytesLimit)
    let result = try program.run([SoundDecoder.subcommand] + (form.map { [$0] } ?? []), reading: file)
    switch (result.ending, DecoderAnswer(result.output)) {
    case (.exit(code: 0), .sound(let format, let samples)):
      return SoundFile(name: name, sourceFormat: format, samples: samples)
    case (.exit(code: 0), .refusal(let format, let problem, let remedy)):
      throw SoundFileError(name, format: format, problem, remedy)
    case (.exit(let code), _):
      let words = result.complaint.isEmpty ? "" : ": \(result.complaint)"
      throw program.fault("the decoder ended with exit code \(code) and no sound\(words)")
    case (.signal(SIGSYS), _):
      throw program.fault("the decoder was stopped at a system call that decoding does not need")
    case (.signal(let number), _): throw program.fault("the decoder was ended by signal \(number)")
    }
  }

  /// Runs a child: decodes the file on standard input and writes a `DecoderAnswer`. It must be the first action of the
  /// process, because it sets limits on the whole process.
  /// - Parameter arguments: the original container and encoding, if the file was converted before.
  public static func decodeStandardInput(_ arguments: [String]) -> Never {
    let code = confine_process(Limits.memory, UInt32(Limits.seconds))
    let answer: DecoderAnswer
    do throws(SoundFileError) {
      guard code == 0 else { throw .undecodable("", "the decoder cannot limit itself: \(SystemError(code: code))") }
      let file = (try? readAll(from: STDIN_FILENO, atMost: SoundFile.Limits.sourceBytes)) ?? []
      let sound = try SoundFile(reading: file, named: "", form: arguments.first)
      answer = .sound(format: sound.sourceFormat, samples: sound.samples)
    } catch {
      answer = .refusal(format: error.format, problem: error.problem, remedy: error.remedy)
    }
    _exit(answer.write(to: STDOUT_FILENO) ? 0 : 1)
  }
}

/// The answer of a child: `sound` and the format, a line each, then the samples as in memory; or `refusal`, the format,
/// the problem and the remedy.
enum DecoderAnswer {
  /// The original format, and the samples, interleaved, left first.
  case sound(format: String, samples: [Int16])
  case refusal(format: String?, problem: String, remedy: String)

  /// The longest line, in bytes.
  private static let lineLimit = 1024
  private static let sampleBytesLimit =
    SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame
  static let bytesLimit = 2 * lineLimit + sampleBytesLimit

  /// - Returns: nil for bytes that no child writes.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func line() -> String? {
      guard let end = rest.prefix(DecoderAnswer.lineLimit).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { rest = rest[(end + 1)...] }
      // The text is printed to terminals and logs.
      let text = String(validating: rest[..<end], as: UTF8.self)
      return text?.unicodeScalars.contains { $0.properties.generalCategory == .control } == false ? text : nil
    }
    switch line() {
    case "sound":
      guard let format = line(), !rest.isEmpty, rest.count <= DecoderAnswer.sampleBytesLimit,
        rest.count.isMultiple(of: SoundFormat.bytesPerFrame)
      else { return nil }
      let samples = [Int16](unsafeUninitializedCapacity: rest.count / SoundFormat.bytesPerSample) { memory, count in
        UnsafeMutableRawBufferPointer(memory).copyBytes(from: rest)
        count = memory.count
      }
      self = .sound(format: format, samples: samples)
    case "refusal":
      guard let format = line(), let problem = line(), let remedy = line(), rest.isEmpty else { return nil }
      self = .refusal(format: format.isEmpty ? nil : format, problem: problem, remedy: remedy)
    default: return nil
    }
  }

  /// - Returns: false if the reader has closed the descriptor.
  func write(to descriptor: Int32) -> Bool {
    switch self {
    case .sound(let format, let samples):
      write(Array("sound\n\(format)\n".utf8), to: descriptor) && write(samples, to: descriptor)
    case .refusal(let format, let problem, let remedy):
      write(Array("refusal\n\(format ?? "")\n\(problem)\n\(remedy)\n".utf8), to: descriptor)
    }
  }

  private func write<Number: FixedWidthInteger & BitwiseCopyable>(_ numbers: [Number], to descriptor: Int32) -> Bool {
    (try? writeAll(numbers.span.bytes, to: descriptor)) != nil
  }
}
