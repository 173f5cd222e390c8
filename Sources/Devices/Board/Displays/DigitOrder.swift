import StrictYAML

/// The place of the digit on each register of a chip, 0 being the leftmost digit: modules are wired in any order.
public struct DigitOrder: Hashable, Sendable {
  public let places: [Int]

  public init(_ places: [Int]) {
    self.places = places
  }

  static func leftToRight(_ digits: Int) -> DigitOrder { DigitOrder(Array(0..<digits)) }

  /// Returns the segments of each register.
  /// - Parameter segments: leftmost first; missing ones are dark.
  func registers(of segments: [UInt8]) -> [UInt8] { places.map { $0 < segments.count ? segments[$0] : 0 } }

  /// Returns the right order for a display that shows the digits 1, 2, 3 … of this order as `seen`, from left to right;
  /// nil if `seen` does not have each of them once.
  public func corrected(seen: String) -> DigitOrder? {
    let digits = seen.compactMap(\.wholeNumberValue)
    guard digits.count == seen.count, digits.sorted() == places.indices.map({ $0 + 1 }) else { return nil }
    return DigitOrder(places.map { digits.firstIndex(of: $0 + 1) ?? $0 })
  }

  /// The value of the key `digit-order`.
  public var text: String { "[\(places.map { "\($0 + 1)" }.joined(separator: ", "))]" }

  /// Reads `digit-order: [3, 2, 1, 6, 5, 4]`, which counts digits from the left, beginning with 1.
  /// - Returns: nil if the key is missing, or is wrong, which is reported.
  static func read(_ section: MappingReader, digits: Int?) -> DigitOrder? {
    section.optional("digit-order") { node throws(Diagnostic) in
      // The number of digits may be wrong itself.
      let count = digits.map { $0...$0 } ?? 1 ... .max
      var places: [Int] = []
      for item in try node.sequence(count: count) {
        let place = try item.integer(in: digits.map { 1...$0 } ?? 1 ... .max)
        guard !places.contains(place - 1) else {
          throw item.diagnostic("is digit \(place), which is on the list already")
        }
        places.append(place - 1)
      }
      return DigitOrder(places)
    }
  }
}
