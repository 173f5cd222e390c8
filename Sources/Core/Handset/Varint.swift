// Numbers in as few bytes as they need, for what is stored: seven bits a byte, the lowest first; the highest bit says that
// another byte follows. A number with a sign has it in the lowest bit.

extension [UInt8] {
  package mutating func append(varint number: UInt64) {
    var rest = number
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  package mutating func append(zigzag number: Int64) { append(varint: UInt64(bitPattern: number << 1 ^ number >> 63)) }
}

extension ArraySlice<UInt8> {
  /// Removes a number from the beginning; nil if it ends too early, or has more than 64 bits.
  package mutating func popVarint() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  package mutating func popZigzag() -> Int64? {
    popVarint().map { Int64(bitPattern: $0 >> 1) ^ -Int64($0 & 1) }
  }

  /// Removes that many bytes from the beginning; nil if there are fewer.
  package mutating func pop(_ count: UInt64) -> ArraySlice<UInt8>? {
    guard count <= UInt64(self.count) else { return nil }
    defer { self = dropFirst(Int(count)) }
    return prefix(Int(count))
  }
}
