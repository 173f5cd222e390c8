public enum Hex {
  public static func text(_ bytes: [UInt8], upperCase: Bool = false) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digit(byte >> 4, upperCase: upperCase)
        text[2 * index + 1] = digit(byte & 15, upperCase: upperCase)
      }
      return bytes.count * 2
    }
  }

  /// Reads digits in either case; nil unless there is an even number of them, and nothing else.
  static func bytes(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    let count = digits.count / 2
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, size in
      while size < count, let high = value(of: digits[2 * size]), let low = value(of: digits[2 * size + 1]) {
        bytes[size] = high << 4 | low
        size += 1
      }
    }
    return bytes.count == count ? bytes : nil
  }

  /// Returns the value of one digit, in either case; nil for another character.
  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func digit(_ nibble: UInt8, upperCase: Bool = false) -> UInt8 {
    nibble &+ (nibble < 10 ? UInt8(ascii: "0") : (upperCase ? UInt8(ascii: "A") : UInt8(ascii: "a")) - 10)
  }

  /// Returns eight digits, the first in the highest byte; all at once, since each push's identifier is written.
  ///
  /// - Parameter upperCase: bit n is set if digit n, from the left, is in upper case where it is a letter.
  static func digits(_ bits: UInt32, upperCase: UInt8) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var digits = UInt64(bits)
    digits = (digits | digits &<< 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits &<< 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (digits &+ 6 &* ones) &>> 4 & ones
    let chosen = UInt64(upperCase) &* ones & 0x0102_0408_1020_4080
    let capitals = (chosen &+ 0x7F &* ones) &>> 7 & letters
    let (first, difference) = (UInt64(UInt8(ascii: "0")), UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10))
    return digits &+ first &* ones &+ letters &* difference &- capitals &* 0x20
  }
}
