import HTTP
import HandsetCore

extension PushID {
  /// The number of letters in a push's short name, as in ntfy.
  public static let letterCount = 12

  /// The marks of an identifier that stands for letters: version 8, and bits that no random one has [RFC 9562, 5.8].
  private static let (highMark, lowMark): (UInt64, UInt64) = (0x80DB, 0x80)

  /// Creates the identifier that stands for these letters and digits in events; nil unless there are `letterCount`.
  public init?(letters text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == PushID.letterCount, bytes.allSatisfy(\.isASCIILetterOrDigit) else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(
      high: number(bytes[..<6]) << 16 | PushID.highMark, low: PushID.lowMark << 56 | number(bytes[6...]) << 8,
      upperCaseDigits: .max)
  }

  /// The letters that it stands for; nil if it stands for none.
  public var letters: String? {
    guard high & 0xFFFF == PushID.highMark, low >> 56 == PushID.lowMark, low & 0xFF == 0 else { return nil }
    func bytes(_ number: UInt64) -> [UInt8] {
      (0..<6).map { place in UInt8(truncatingIfNeeded: number >> UInt64(40 - 8 * place)) }
    }
    let bytes = bytes(high >> 16) + bytes(low >> 8)
    return bytes.allSatisfy(\.isASCIILetterOrDigit) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Returns twelve random letters and digits.
  static func randomLetters() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<letterCount).map { _ in letters[Int.random(in: letters.indices)] })
  }
}
