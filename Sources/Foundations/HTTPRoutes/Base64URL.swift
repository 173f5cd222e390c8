import FoundationEssentials

/// Encodes in base64 for URLs, without padding [RFC 4648, 5].
public func base64URL(_ data: Data) -> String {
  String(
    data.base64EncodedString().compactMap { character in
      switch character {
      case "+": "-"
      case "/": "_"
      case "=": nil
      default: character
      }
    } as [Character])
}
