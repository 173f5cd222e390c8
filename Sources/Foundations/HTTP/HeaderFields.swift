/// Header fields in the order they were written; names are compared without regard to case [RFC 9110, 5.1]. With this
/// type handlers do not depend on the network library. It keeps bytes in one array: most fields of a request are
/// compared or parsed, and never needed as a `String`.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// The range of a field in `text`; its value follows its name.
  private struct Place: Sendable, Hashable {
    var start: Int
    var value: Int
    var end: Int
  }

  private var text: [UInt8] = []
  private var places: [Place] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(value, for: name) }
  }

  public var fields: [(name: String, value: String)] {
    places.map { (name: string($0.start..<$0.value), value: string($0.value..<$0.end)) }
  }

  package var bytes: Int { text.count }

  package var count: Int { places.count }

  /// The first value of `name`, nil if there is none; setting it replaces every field of that name.
  public subscript(name: String) -> String? {
    get { places.first { matches($0, name) }.map { string($0.value..<$0.end) } }
    set {
      let kept = places.filter { !matches($0, name) }
      if kept.count < places.count {
        let all = exchange(&self, with: HeaderFields())
        for place in kept { add(all.string(place.value..<place.end), for: all.string(place.start..<place.value)) }
      }
      if let newValue { add(newValue, for: name) }
    }
  }

  /// Returns the fields with another value of the last one. One of the same length shares their places: most answers
  /// have one field, and differ in an identifier.
  public func withValue(_ value: String) -> HeaderFields {
    guard let last = places.last else { return self }
    var fields = HeaderFields()
    fields.places = places
    fields.text.reserveCapacity(last.value + value.utf8.count)
    fields.text.append(contentsOf: text[..<last.value])
    fields.text.append(contentsOf: value.utf8)
    if fields.text.count != last.end { fields.places[places.count - 1].end = fields.text.count }
    return fields
  }

  /// Every value of `name`, in order: a name that was sent twice stays visible as such.
  public func values(of name: String) -> [String] {
    places.filter { matches($0, name) }.map { string($0.value..<$0.end) }
  }

  /// The value at a place in the order, in UTF-8.
  package func value(at index: Int) -> ArraySlice<UInt8> { text[places[index].value..<places[index].end] }

  /// Calls `body` for each field, in order, with its name and value in UTF-8.
  package func eachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    text.withUnsafeBytes { text in
      for place in places {
        body(
          UnsafeRawBufferPointer(rebasing: text[place.start..<place.value]),
          UnsafeRawBufferPointer(rebasing: text[place.value..<place.end]))
      }
    }
  }

  public mutating func add(_ value: String, for name: String) {
    if text.isEmpty { text.reserveCapacity(name.utf8.count + value.utf8.count) }
    let start = text.count
    text.append(contentsOf: name.utf8)
    let middle = text.count
    text.append(contentsOf: value.utf8)
    places.append(Place(start: start, value: middle, end: text.count))
  }

  /// Removes all fields, and keeps the memory for as many unless they are unusually large.
  mutating func removeAll() {
    guard text.capacity <= 1_024 else {
      self = HeaderFields()
      return
    }
    text.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  /// The same fields in the same order. The time depends only on their sizes, because values may be secrets.
  public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
    left.places == right.places
      && left.text.withUnsafeBytes { left in right.text.withUnsafeBytes { left.hasBytes(of: $0) } }
  }

  mutating func add(ascii value: UnsafeRawBufferPointer, for name: UnsafeRawBufferPointer) {
    if places.isEmpty {
      // Enough for a push with its provider token.
      text.reserveCapacity(512)
      places.reserveCapacity(10)
    }
    let start = text.count
    text.append(contentsOf: name)
    text.append(contentsOf: value)
    places.append(Place(start: start, value: start + name.count, end: text.count))
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

  /// Compares without making lower-case copies: a request has many fields, and each is compared with many names.
  private func matches(_ place: Place, _ name: String) -> Bool {
    place.value - place.start == name.utf8.count
      && zip(text[place.start..<place.value], name.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares eight bytes at once, in a time that depends only on the sizes.
  package func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count >= 8 else { return (0..<count).reduce(0) { $0 | (self[$1] ^ other[$1]) } == 0 }
    let difference = { (index: Int) in
      loadUnaligned(fromByteOffset: index, as: UInt64.self)
        ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
    // The last eight may be compared twice.
    return stride(from: 0, to: count - 8, by: 8).reduce(difference(count - 8)) { $0 | difference($1) } == 0
  }

  package func hasBytes(of text: StaticString) -> Bool {
    hasBytes(of: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package func has(text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { hasBytes(of: UnsafeRawBufferPointer($0)) } ?? false
  }
}

extension UInt8 {
  /// The lower-case letter of an upper-case one in ASCII; any other byte as it is.
  public var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  public var isASCIILetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
  }
}
