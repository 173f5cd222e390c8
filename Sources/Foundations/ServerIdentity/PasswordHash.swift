import Crypto
import CryptoExtras
import FoundationEssentials

/// A salted scrypt hash [RFC 7914] with its parameters, so that new hashes can cost more. Each guess costs an attacker
/// who has the database a tenth of a second.
public struct PasswordHash: Hashable, Sendable, Codable {
  /// The allowed lengths of a password in bytes. A shorter one can be guessed, whatever the hash costs.
  public static let passwordBytes = 8...256

  private static let saltBytes = 16
  static let hashBytes = 32
  /// Percival's parameters for interactive logins: N = 2¹⁴, r = 8, p = 1, which takes 16 MB.
  private static let standard = Cost(log2Rounds: 14, blockSize: 8, parallelism: 1)

  struct Cost: Hashable {
    var log2Rounds: Int
    var blockSize: Int
    var parallelism: Int
  }

  private let cost: Cost
  private let salt: [UInt8]
  private let hash: [UInt8]

  /// Hashes a password under a new salt. Takes a tenth of a second or more.
  /// - Throws: `PasswordError` if it is too short or too long, or has control characters.
  public init(password: String) throws {
    let bytes = Array(password.utf8)
    guard PasswordHash.passwordBytes.contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw PasswordError.badPassword
    }
    cost = PasswordHash.standard
    salt = (0..<PasswordHash.saltBytes).map { _ in .random(in: .min ... .max) }
    hash = try PasswordHash.derive(bytes, salt, cost)
  }

  /// Reads the text of `stored`; nil if it is not a hash.
  public init?(stored text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
      let salt = Data(base64Encoded: String(parts[3])), let hash = Data(base64Encoded: String(parts[4])),
      salt.count == PasswordHash.saltBytes, hash.count == PasswordHash.hashBytes
    else { return nil }
    var numbers: [Substring: Int] = [:]
    for item in parts[2].split(separator: ",") {
      let sides = item.split(separator: "=")
      guard sides.count == 2, let number = Int(sides[1]) else { return nil }
      numbers[sides[0]] = number
    }
    guard numbers.count == 3, let log2Rounds = numbers["ln"], let blockSize = numbers["r"],
      let parallelism = numbers["p"]
    else { return nil }
    cost = Cost(log2Rounds: log2Rounds, blockSize: blockSize, parallelism: parallelism)
    // A damaged database must not make a check use all memory.
    guard [log2Rounds, blockSize, parallelism].allSatisfy({ (1...16).contains($0) }) else { return nil }
    (self.salt, self.hash) = (Array(salt), Array(hash))
  }

  /// The hash as text: `$scrypt$ln=14,r=8,p=1$SALT$HASH`, salt and hash in base64.
  public var stored: String {
    "$scrypt$ln=\(cost.log2Rounds),r=\(cost.blockSize),p=\(cost.parallelism)"
      + "$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
  }

  /// Returns true if it is the hash of that password. Costs as much as making a hash, and compares in constant time.
  public func isOf(_ password: [UInt8]) -> Bool {
    guard let derived = try? PasswordHash.derive(password, salt, cost) else { return false }
    return derived.withUnsafeBufferPointer { isEqualInConstantTime(hash, $0) }
  }

  /// A hash that matches no password and costs the same to check: for unknown user names.
  public static let unmatchable = PasswordHash(
    cost: standard, salt: Array(repeating: 0, count: saltBytes), hash: Array(repeating: 0, count: hashBytes))

  private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
    (self.cost, self.salt, self.hash) = (cost, salt, hash)
  }

  static func derive(
    _ password: [UInt8], _ salt: [UInt8], _ cost: Cost, bytes: Int = hashBytes
  ) throws -> [UInt8] {
    // An empty array has no address, which the function below needs; no password is a single zero byte.
    let password = password.isEmpty ? [0] : password
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: bytes, rounds: 1 << cost.log2Rounds, blockSize: cost.blockSize,
      parallelism: cost.parallelism)
    return key.withUnsafeBytes { Array($0) }
  }

  /// - Throws: `PasswordError.badHash`.
  public init(from decoder: any Decoder) throws {
    guard let hash = try PasswordHash(stored: String(from: decoder)) else { throw PasswordError.badHash }
    self = hash
  }

  public func encode(to encoder: any Encoder) throws { try stored.encode(to: encoder) }
}

/// The error that a password, or the hash of one, cannot be used.
public enum PasswordError: Error, Hashable, CustomStringConvertible {
  /// The password is too short, too long, or has control characters.
  case badPassword
  case badHash

  public var description: String {
    switch self {
    case .badHash: "its password is lost; add it again with --password-file"
    case .badPassword:
      "a password has \(PasswordHash.passwordBytes.lowerBound) to \(PasswordHash.passwordBytes.upperBound) bytes, none of them a control character; a good one is made with: openssl rand -base64 24"
    }
  }
}

/// Compares two secrets in a time that depends only on their lengths.
package func isEqualInConstantTime(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  return left.withUnsafeBufferPointer { left in
    var difference: UInt8 = 0
    for index in 0..<left.count { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
