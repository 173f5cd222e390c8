/// A bundle identifier: the 2008 publisher ID and the APNs topic.
public struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let text: String

  /// Nil unless `text` is 1 to `Policy.appIDLimit` letters, digits, dots, dashes and underscores, and begins and ends
  /// with a letter or a digit.
  @inlinable
  public init?(_ text: some StringProtocol) {
    let text = String(text)
    guard AppID.isValid(text) else { return nil }
    self.text = text
  }

  @usableFromInline
  static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...Policy.appIDLimit).contains(bytes.count), let first = bytes.first, let last = bytes.last else {
      return false
    }
    return first.isAlphanumeric && last.isAlphanumeric && bytes.allSatisfy(\.isOfIdentifier)
  }

  public var description: String { text }

  public static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }

  public var coded: String { text }
  public init?(coded text: String) { self.init(text) }
}

/// The place of the last app that was found in a table: mostly the next one is the same, and its name is not hashed. It
/// is made anew when an app is removed from the table, and is no part of the state that handsets are compared by.
struct LastPlace<Value: Sendable>: Equatable, Sendable {
  private var last: (id: AppID, place: Dictionary<AppID, Value>.Index)?

  func place(of id: AppID) -> Dictionary<AppID, Value>.Index? {
    if let last, last.id == id { last.place } else { nil }
  }

  mutating func find(_ id: AppID, in table: [AppID: Value]) -> Dictionary<AppID, Value>.Index? {
    if let last, last.id == id { return last.place }
    last = table.index(forKey: id).map { (id, $0) }
    return last?.place
  }

  static func == (_: Self, _: Self) -> Bool { true }
}

extension UInt8 {
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  var isOfIdentifier: Bool {
    isAlphanumeric || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }
}

/// The address of one app on this handset [APNs], which its provider gets. With a provider's key it is enough to ring.
public struct DeviceToken: Hashable, Comparable, Sendable, SingleValueCodable {
  public let bytes: [UInt8]

  /// The lengths a token may have, in bytes. Deskbell's have 32; Apple says that the length may change.
  public static let lengths = 1...100

  public init?(bytes: [UInt8]) {
    guard DeviceToken.lengths.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Nil unless `hex` is an even number of hexadecimal digits, in either case, for `lengths` bytes.
  @inlinable
  public init?(hex: some StringProtocol) {
    var hex = String(hex)
    guard let token = hex.withUTF8({ DeviceToken(hex: $0) }) else { return nil }
    self = token
  }

  public init?(hex digits: UnsafeBufferPointer<UInt8>) {
    guard DeviceToken.lengths.contains(digits.count / 2), let bytes = Hex.bytes(digits) else { return nil }
    self.bytes = bytes
  }

  /// Lower-case hexadecimal digits.
  public var hex: String { Hex.text(bytes) }

  /// All bytes at once: an array adds them one by one.
  public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

  public static func < (left: DeviceToken, right: DeviceToken) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  public var coded: String { hex }
  public init?(coded hex: String) { self.init(hex: hex) }
}
