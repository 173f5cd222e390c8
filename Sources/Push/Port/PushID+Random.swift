// The identifiers of pushes whose sender gave none, of local notifications, and of ntfy's messages.

import Glibc
import HTTP
import HandsetCore
import Synchronization

extension PushID {
  /// Returns a version 4 UUID [RFC 9562, 5.4] in upper case, the form that Apple's service makes.
  public static func random() -> PushID {
    let bits = pool.withLock { ($0.next(), $0.next()) }
    return PushID(
      high: bits.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: bits.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000,
      upperCaseDigits: .max)
  }

  private static let pool = Mutex(RandomPool())

  /// The number of letters in a push's short name, as in ntfy.
  static let letterCount = 12

  /// Creates the identifier that stands for these letters and digits in events; nil unless there are `letterCount`.
  public init?(letters text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == PushID.letterCount, bytes.allSatisfy(\.isASCIILetterOrDigit) else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    // Version 8, and bits that no random identifier has [RFC 9562, 5.8].
    let (highMark, lowMark): (UInt64, UInt64) = (0x80DB, 0x8000_0000_0000_0000)
    self.init(
      high: number(bytes[..<6]) << 16 | highMark, low: lowMark | number(bytes[6...]) << 8, upperCaseDigits: .max)
  }

  /// Returns twelve random letters and digits.
  static func randomLetters() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<letterCount).map { _ in letters[Int.random(in: letters.indices)] })
  }
}

/// A pool of the system's random numbers, 32 with one system call.
private struct RandomPool {
  private var numbers: [UInt64] = []

  mutating func next() -> UInt64 {
    if numbers.isEmpty {
      numbers = [UInt64](unsafeUninitializedCapacity: 32) { numbers, count in
        count = getentropy(numbers.baseAddress, 32 * MemoryLayout<UInt64>.size) == 0 ? 32 : 0
      }
    }
    return numbers.popLast() ?? .random(in: .min ... .max)
  }
}
