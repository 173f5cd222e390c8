import Crypto
import FoundationEssentials
import HandsetCore

/// The SHA-256 of an access key: random words for scripts, webhooks and other programs at home. Each opens one app and
/// nothing else. A key is shown once, and only its digest is kept; it is too long to be guessed, so a fast digest is
/// enough.
public struct AccessKey: Hashable, Codable, Sendable {
  public let digest: [UInt8]

  public init(_ text: String) {
    digest = Array(SHA256.hash(data: Array(text.utf8)))
  }

  /// Makes a key: `tk_` and 29 letters and digits, which are 149 bits, in the form of ntfy's tokens.
  public static func random() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return "tk_" + String((0..<29).map { _ in letters[Int.random(in: letters.indices)] })
  }

  public init(from decoder: any Decoder) throws {
    guard let bytes = Data(base64Encoded: try String(from: decoder)), bytes.count == SHA256.byteCount else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "it is no digest of a key"))
    }
    digest = Array(bytes)
  }

  public func encode(to encoder: any Encoder) throws { try Data(digest).base64EncodedString().encode(to: encoder) }
}

/// An access key, and the handset that it rings.
public struct KeyedApp: Hashable, Sendable, Codable {
  public var key: AccessKey
  /// The name of the handset that it rings; nil for the one on the board.
  public var handset: String?

  public init(key: AccessKey, handset: String?) {
    self.key = key
    self.handset = handset
  }
}

/// A receiver of input from clients with access keys, on behalf of the handsets.
public protocol KeyedReceiver: RefusalRecorder {
  /// Submits input without blocking.
  /// - Parameters:
  ///   - handset: the handset's name; nil for the one on the board.
  ///   - completion: must be called exactly once, on any thread, when the input is stored or cannot be stored.
  func receive(_ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void)
}
