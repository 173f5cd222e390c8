/// The identifier of a push: a UUID that keeps the letter case it was written in, so that a provider finds its own
/// spelling in every event. Equality and hash ignore case. It is read and written for every push: by bytes, which is
/// several times faster than by characters.
public struct PushID: Hashable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let high: UInt64
  public let low: UInt64
  /// Bit n is set if hexadecimal digit n (from the left, dashes not counted) is a letter in upper case.
  public let upperCaseDigits: UInt32

  public init(high: UInt64, low: UInt64, upperCaseDigits: UInt32 = 0) {
    self.high = high
    self.low = low
    self.upperCaseDigits = upperCaseDigits
  }

  /// Nil unless `text` is 36 characters of the form 8-4-4-4-12 [APNs, `apns-id`].
  @inlinable
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let id = text.withUTF8({ PushID(utf8: $0) }) else { return nil }
    self = id
  }

  public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36 else { return nil }
    var bits: (high: UInt64, low: UInt64) = (0, 0)
    var upper: UInt32 = 0
    var digit: UInt32 = 0
    for (position, byte) in text.enumerated() {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let value = Hex.value(of: byte) else { return nil }
      bits.high = bits.high << 4 | bits.low >> 60
      bits.low = bits.low << 4 | UInt64(value)
      if (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) { upper |= 1 << digit }
      digit += 1
    }
    (high, low) = bits
    upperCaseDigits = upper
  }

  public var description: String {
    String(unsafeUninitializedCapacity: 36) { text in
      let text = UnsafeMutableRawBufferPointer(text)
      // The places of four digits each.
      let places: InlineArray<8, Int> = [0, 4, 9, 14, 19, 24, 28, 32]
      for part in 0..<4 {
        let (bits, shift) = (part < 2 ? high : low, part % 2 == 0 ? 32 : 0)
        let upper = UInt8(truncatingIfNeeded: upperCaseDigits &>> (8 * UInt32(part)))
        let digits = Hex.digits(UInt32(truncatingIfNeeded: bits &>> shift), upperCase: upper)
        text.storeBytes(of: UInt32(digits >> 32).bigEndian, toByteOffset: places[2 * part], as: UInt32.self)
        let later = UInt32(truncatingIfNeeded: digits).bigEndian
        text.storeBytes(of: later, toByteOffset: places[2 * part + 1], as: UInt32.self)
      }
      for place in [8, 13, 18, 23] { text[place] = UInt8(ascii: "-") }
      return 36
    }
  }

  public static func == (left: PushID, right: PushID) -> Bool { left.high == right.high && left.low == right.low }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }

  public var coded: String { description }
  public init?(coded text: String) { self.init(text) }
}
