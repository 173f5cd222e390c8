import FoundationEssentials

/// Encodes in base64 for URLs, without padding [RFC 4648, 5].
public func base64URL(_ data: Data) -> String {
  data.base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
}
