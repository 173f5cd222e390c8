/// The number of a Live Activity: that of the event by which it started, so none is used twice.
public struct ActivityID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }

  /// Nil unless `text` is a whole number.
  public init?(_ text: String) {
    guard let number = UInt64(text) else { return nil }
    self.number = number
  }

  public var description: String { "\(number)" }
  public static func < (left: ActivityID, right: ActivityID) -> Bool { left.number < right.number }

  public var coded: UInt64 { number }
  public init?(coded number: UInt64) { self.number = number }
}
