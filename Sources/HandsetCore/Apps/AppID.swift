// The names of an app: its bundle identifier, which is a provider's topic, and its device token.

/// A bundle identifier: the 2008 publisher ID and the APNs topic.
public struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let text: String

  /// Nil unless `text` is 1 to `Policy.appIDLimit` letters, digits, dots, dashes and underscores, and begins and ends
  /// with a letter or a digit.
  public init?(_ text: some StringProtocol) {
    let text = String(text)
    let bytes = text.utf8
    guard (1...Policy.appIDLimit).contains(bytes.count) else { return nil }
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    let punctuation: [UInt8] = [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")]
    guard bytes.allSatisfy({ isAlphanumeric($0) || punctuation.contains($0) }),
      let first = bytes.first, let last = bytes.last, isAlphanumeric(first), isAlphanumeric(last)
    else { return nil }
    self.text = text
  }

  public var description: String { text }

  public static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }
}

/// Addresses one app on this handset [APNs]. Its provider gets it. A token and a provider's key are enough to ring.
public struct DeviceToken: Hashable, Sendable {
  public let bytes: [UInt8]

  /// The lengths a token may have, in bytes. Deskbell's have 32; Apple says that the length may change.
  public static let lengths = 1...100

  /// Nil unless there are `lengths` bytes.
  public init?(bytes: [UInt8]) {
    guard DeviceToken.lengths.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Nil unless `hex` is an even number of hexadecimal digits, in either case, for `lengths` bytes.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8
    guard digits.count % 2 == 0, DeviceToken.lengths.contains(digits.count / 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = hexadecimalValue(digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.bytes = bytes
  }

  /// Lower-case hexadecimal digits.
  public var hex: String {
    var text = ""
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(hexadecimalDigit(byte >> 4))
      text.append(hexadecimalDigit(byte & 15))
    }
    return text
  }
}
