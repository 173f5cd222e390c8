/// The identifier of a broadcast channel [APNs, `apns-channel-id`]: Base64, whose length nothing may depend on.
public struct ChannelID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let text: String

  /// Nil unless `text` is 1 to `Policy.channelIDLimit` digits of Base64, with or without padding.
  public init?(_ text: some StringProtocol) {
    let text = String(text)
    guard (1...Policy.channelIDLimit).contains(text.utf8.count), text.utf8.allSatisfy(ChannelID.isDigit) else {
      return nil
    }
    self.text = text
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  public var description: String { text }
  public static func < (left: ChannelID, right: ChannelID) -> Bool { left.text < right.text }

  public var coded: String { text }
  public init?(coded text: String) { self.init(text) }
}
