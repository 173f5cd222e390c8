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
}
