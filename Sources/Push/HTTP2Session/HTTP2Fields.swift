import CNGHTTP2

/// Header fields in the form that libnghttp2 reads: bytes in one array, without a string for each.
public struct HTTP2Fields: Sendable {
  struct Field: Sendable {
    var nameBytes: Int
    var valueBytes: Int
    var flags: UInt8
  }

  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []

  public init() {}

  /// - Parameters:
  ///   - name: sent in lower case.
  ///   - isSecret: true if the value must stay out of the compressor's table, where guesses could be compared with it
  ///     [RFC 7541, 7.1.3].
  public mutating func add(_ name: String, _ value: String, isSecret: Bool = false) {
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: value.utf8)
    note(name.utf8.count, value.utf8.count, isIndexed: !isSecret)
  }

  /// Adds the first field of an answer.
  public mutating func add(status: Int) {
    let name: StaticString = ":status"
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    for divisor in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(status / divisor % 10)) }
    note(name.utf8CodeUnitCount, 3, isIndexed: true)
  }

  /// - Parameter isIndexed: false if the value is not sent again, so that its place in the compressor's table would cost
  ///   both sides time and other fields their place.
  public mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isIndexed: Bool) {
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
    note(name.count, value.count, isIndexed: isIndexed)
  }

  private mutating func note(_ nameBytes: Int, _ valueBytes: Int, isIndexed: Bool) {
    let flags = isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
    fields.append(
      Field(nameBytes: nameBytes, valueBytes: valueBytes, flags: UInt8(truncatingIfNeeded: flags.rawValue)))
  }

  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
  }

  /// Passes the fields as libnghttp2 reads them; the pointers are valid within `body`.
  mutating func withPairs<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { bytes in
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { pairs in
        var next = bytes.baseAddress
        for (index, field) in fields.enumerated() {
          let value = next?.advanced(by: field.nameBytes)
          pairs.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: next, value: value, namelen: field.nameBytes, valuelen: field.valueBytes, flags: field.flags))
          next = value?.advanced(by: field.valueBytes)
        }
        return body(UnsafeBufferPointer(pairs))
      }
    }
  }
}
