/// Header fields in the order they were written; names are compared without regard to case [RFC 9110, 5.1]. With this
/// type handlers do not depend on the network library.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: String
  }

  public private(set) var fields: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(value, for: name) }
  }

  /// The first value of `name`, nil if there is none; setting it replaces every field of that name.
  public subscript(name: String) -> String? {
    get { fields.first { matches($0.name, name) }?.value }
    set {
      fields.removeAll { matches($0.name, name) }
      if let newValue { add(newValue, for: name) }
    }
  }

  /// Every value of `name`, in order: a name that was sent twice stays visible as such.
  public func values(of name: String) -> [String] {
    fields.filter { matches($0.name, name) }.map(\.value)
  }

  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
  }
}

/// Compares without making lower-case copies: a request has many fields, and each is compared with many names.
private func matches(_ left: String, _ right: String) -> Bool {
  left.utf8.count == right.utf8.count
    && zip(left.utf8, right.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
}

extension UInt8 {
  /// The lower-case letter of an upper-case one in ASCII; any other byte as it is.
  public var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  public var isASCIILetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
  }
}
