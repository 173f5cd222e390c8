import FoundationEssentials

/// Encodes in base64 for URLs, without padding [RFC 4648, 5]. Swift 6.2's Foundation has no option for it.
public func base64URL(_ data: Data) -> String {
  let characters = data.base64EncodedString().utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
    switch byte {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: byte
    }
  }
  return String(decoding: characters, as: UTF8.self)
}
