extension String {
  /// Decodes the bytes of a header field or of a request's target: as UTF-8, or if they are not UTF-8, as Windows-1252,
  /// which includes Latin-1. Programs send texts in their own encoding.
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
