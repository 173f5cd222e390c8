import Foundation

/// A provider token (a JWT signed with ES256), which is used for half an hour: Apple wants one that is no older than an
/// hour, and not a new one more often than every 20 minutes.
public actor ProviderToken {
  private static let lifetime: TimeInterval = 30 * 60

  private let key: String
  private let keyID: String
  private let teamID: String
  private let now: @Sendable () async throws -> Date
  private var made: (text: String, at: Date)?

  /// - Parameters:
  ///   - key: the file of the key that Apple issued, in PEM.
  ///   - now: the time; a test has its own.
  public init(
    key: String, keyID: String, teamID: String, now: @escaping @Sendable () async throws -> Date = { Date() }
  ) {
    (self.key, self.keyID, self.teamID, self.now) = (key, keyID, teamID, now)
  }

  var text: String {
    get async throws {
      let time = try await now()
      if let made, (0..<Self.lifetime).contains(time.timeIntervalSince(made.at)) { return made.text }
      let text = try await sign(at: time)
      made = (text, time)
      return text
    }
  }

  private func sign(at time: Date) async throws -> String {
    let claims = #"{"iss":"\#(teamID)","iat":\#(Int(time.timeIntervalSince1970))}"#
    let head = base64URL(Data(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
    let signed = "\(head).\(base64URL(Data(claims.utf8)))"
    // A provider in earnest signs with swift-crypto's P256.
    let signature = try await run("openssl", ["dgst", "-sha256", "-sign", key], input: Data(signed.utf8))
    guard let numbers = Self.numbers(signature) else { throw MailerError("openssl cannot sign with \(key)") }
    return "\(signed).\(base64URL(numbers))"
  }

  /// Returns the two numbers of a signature, 32 bytes each. openssl writes them as a DER sequence of two integers.
  private static func numbers(_ signature: Data) -> Data? {
    var rest = [UInt8](signature).dropFirst(2)
    var numbers = Data()
    for _ in 1...2 {
      guard rest.count > 2, rest.first == 2, case let count = Int(rest.dropFirst().first ?? 0), rest.count >= 2 + count
      else { return nil }
      let number = rest.dropFirst(2).prefix(count).suffix(32)
      numbers += Data(repeating: 0, count: 32 - number.count) + number
      rest = rest.dropFirst(2 + count)
    }
    return numbers
  }

  private func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}
