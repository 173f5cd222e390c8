// A decoded sound travels from a child that is not trusted: lines of text, and samples.

import SystemThreads

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
