// The result of decoding, and its transfer from a child that is not trusted: lines of text, and samples.

import SystemThreads

/// A sound file in the only form that is played.
struct DecodedSound {
  /// The original format: `WAV, IMA ADPCM, 22050 Hz, 1 channel`
  let format: String
  /// The samples, interleaved, left first.
  let samples: [Int16]
}

extension DecodedSound {
  /// Decodes the file in this process.
  /// - Parameter form: the original container and encoding, if the file was converted before.
  init(
    decoding memory: UnsafeRawBufferPointer, named name: String, form: String?
  ) throws(SoundFileError) {
    let container = try SoundContainer(of: memory, named: name)
    let source = MemoryReader(memory)
    self = try withExtendedLifetime(source) { () throws(SoundFileError) in
      let file = try SndFile(reading: source, container: container, named: name, format: form)
      try file.checkLimits()
      return DecodedSound(format: file.format, samples: try file.samples())
    }
  }
}

/// The answer of a child: `sound` and the format, a line each, then the samples as in memory; or `refusal`, the format,
/// the problem and the remedy.
enum DecoderAnswer {
  case sound(DecodedSound)
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
      self = .sound(DecodedSound(format: format, samples: samples))
    case "refusal":
      guard let format = line(), let problem = line(), let remedy = line(), rest.isEmpty else { return nil }
      self = .refusal(format: format.isEmpty ? nil : format, problem: problem, remedy: remedy)
    default: return nil
    }
  }

  /// - Returns: false if the reader has closed the descriptor.
  func write(to descriptor: Int32) -> Bool {
    switch self {
    case .sound(let sound):
      write(Array("sound\n\(sound.format)\n".utf8), to: descriptor) && write(sound.samples, to: descriptor)
    case .refusal(let format, let problem, let remedy):
      write(Array("refusal\n\(format ?? "")\n\(problem)\n\(remedy)\n".utf8), to: descriptor)
    }
  }

  private func write<Number: FixedWidthInteger & BitwiseCopyable>(_ numbers: [Number], to descriptor: Int32) -> Bool {
    (try? writeAll(numbers.span.bytes, to: descriptor)) != nil
  }
}
