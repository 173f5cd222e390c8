extension String {
  /// The bytes of a header field or of a request's target: as UTF-8, and where they are none, as Windows-1252, which
  /// Latin-1 is a part of. Programs send what their texts are in.
  public init(fieldBytes bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(bytes.map(windows1252)))
    }
  }
}

private func windows1252(_ byte: UInt8) -> Unicode.Scalar {
  guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
  let scalars = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
  return scalars[scalars.index(scalars.startIndex, offsetBy: Int(byte) - 0x80)]
}
