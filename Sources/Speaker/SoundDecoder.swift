// libsndfile has had faults that a file could use, and it also reads formats that no sound here may have. Therefore the
// program starts itself once more for each file: a child that confines itself before it reads the first byte. The child
// resamples too, so that its answer is small and has one form, which needs no parser.

import CConfinement
import Glibc
import SystemThreads

/// What decodes foreign sound files.
public enum SoundDecoder: Sendable {
  /// This process, unprotected: for fuzzers and tests of the decoder itself.
  case inThisProcess
  /// A program that decodes as `decodeStandardInput` does, and the real time that it may take.
  case program(path: String, limit: Duration)

  /// The program that runs now, even if another file has its path by now.
  public static let child = program(path: "/proc/self/exe", limit: .seconds(Limits.seconds))

  /// The first argument of a child.
  public static let subcommand = "decode-sound"

  enum Limits {
    /// Of real time, and of the processor's. A PC needs 1.1 s for the longest: 30 s of stereo, resampled from 192 kHz.
    static let seconds = 30
    /// Bytes of address space. The program itself has 60 MB, the longest sound adds 25.
    static let memory = 192 * 1024 * 1024
  }

  /// - Parameter form: container and encoding that it came in, where it was converted before.
  func decode(
    _ file: UnsafeRawBufferPointer, named name: String, form: String? = nil
  ) throws(SoundFileError) -> DecodedSound {
    guard case .program(let path, let limit) = self else {
      return try DecodedSound(decoding: file, named: name, form: form)
    }
    let program = DecoderProgram(
      name: "the decoder", path: path, limit: limit, outputBytes: DecoderAnswer.bytesLimit)
    let result: DecoderProgram.Result
    do throws(DecoderProgram.Fault) {
      result = try program.run([SoundDecoder.subcommand] + (form.map { [$0] } ?? []), reading: file)
    } catch {
      throw .undecodable(name, error.problem)
    }
    switch (result.ending, DecoderAnswer(result.output)) {
    case (.exit(code: 0), .sound(let sound)): return sound
    case (.exit(code: 0), .refusal(let format, let problem, let remedy)):
      throw SoundFileError(name, format: format, problem, remedy)
    case (.exit(let code), _):
      let words = result.complaint.isEmpty ? "" : ": \(result.complaint)"
      throw .undecodable(name, "the decoder ended with exit code \(code) and no sound\(words)")
    case (.signal(SIGSYS), _):
      throw .undecodable(name, "the decoder was stopped at a system call that decoding does not need")
    case (.signal(let number), _): throw .undecodable(name, "the decoder was ended by signal \(number)")
    }
  }

  /// What a child does: decodes the file on standard input and writes a `DecoderAnswer`. It must be the first thing that
  /// the process does, because it sets limits on the whole process.
  /// - Parameter arguments: container and encoding that the file came in, where it was converted before.
  public static func decodeStandardInput(_ arguments: [String]) -> Never {
    let code = confine_process(Limits.memory, UInt32(Limits.seconds))
    let answer: DecoderAnswer
    do throws(SoundFileError) {
      guard code == 0 else { throw .undecodable("", "the decoder cannot limit itself: \(SystemError(code: code))") }
      let file = standardInput(limit: SoundFile.Limits.sourceBytes)
      answer = .sound(
        try file.span.bytes.withUnsafeBytes { (memory) throws(SoundFileError) in
          try DecodedSound(decoding: memory, named: "", form: arguments.first)
        })
    } catch {
      answer = .refusal(format: error.format, problem: error.problem, remedy: error.remedy)
    }
    _exit(answer.write(to: STDOUT_FILENO) ? 0 : 1)
  }

  private static func standardInput(limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { memory, filled in
      while filled < memory.count {
        let rest = memory[filled...]
        let count = read(STDIN_FILENO, UnsafeMutableBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { filled += count } else if count == 0 || errno != EINTR { break }
      }
    }
  }
}
