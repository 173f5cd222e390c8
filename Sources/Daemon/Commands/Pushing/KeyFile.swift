import CommandSupport
import Crypto
import FoundationEssentials
import Glibc
import HeldFolders
import ServerIdentity
import SystemThreads

struct SigningKey: Equatable {
  var pem: String
  var keyID: String
  var teamID: String
}

enum KeyFile {
  /// The bytes of a file with keys and certificates; a P-256 key has about 230.
  static let bytes = 64 * 1024

  /// The team of every key that is made here.
  static let localTeam = "DESKBELL00"

  /// Returns the public half of a key, as PEM, which is all that a daemon needs.
  /// - Throws: `Failure` with the error in the file.
  static func publicPEM(at path: String) throws(Failure) -> String {
    try read(path, "key") { content throws(KeyFileError) in try content.key().publicKey.pemRepresentation }
  }

  /// Returns a key that signs.
  /// - Throws: `Failure` with the error in the file.
  static func signingKey(at path: String) throws(Failure) -> P256.Signing.PrivateKey {
    try read(path, "key") { content throws(KeyFileError) in try content.signingKey() }
  }

  /// Returns the certificates of a PEM file, at least one, without its other contents: a provider's key is not sent.
  /// - Throws: `Failure` if the file cannot be read or has none.
  static func certificates(at path: String) throws(Failure) -> [String] {
    try read(path, "certificate") { content throws(KeyFileError) in try content.certificatePEMs() }
  }

  /// - Throws: `Failure`, also if the file cannot be read or is larger than any key.
  static func read<Value>(
    _ path: String, _ kind: String, _ parse: (KeyFileContent) throws(KeyFileError) -> Value
  ) throws(Failure) -> Value {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Failure("the \(kind) \(path) cannot be read: \(SystemError.last.reason)", hint: "check the path")
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= bytes else {
      throw Failure("\(path) is no \(kind): expected a PEM file of at most \(bytes) bytes")
    }
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw Failure("the \(kind) \(path) cannot be read", hint: "check its permissions")
    }
    do throws(KeyFileError) {
      return try parse(KeyFileContent(data))
    } catch {
      throw Failure("\(path): \(error)")
    }
  }

  /// Returns the ten characters in `AuthKey_A1B2C3D4E5.p8`, the name with which keys are issued: they identify the key.
  static func keyID(inNameOf path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
    let identifier = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
    return identifier.count == 10 ? String(identifier) : nil
  }

  /// Returns this user's own key. If there is none, it is made, readable for this user alone.
  /// - Parameter folder: the key's folder; made with its parents if it is missing.
  static func local(in folder: String) throws(Failure) -> SigningKey {
    let path = "\(folder)/provider-key.pem"
    try ensure("key", at: path) { P256.Signing.PrivateKey().pemRepresentation }
    do throws(Failure) {
      let key = try signingKey(at: path)
      return SigningKey(pem: key.pemRepresentation, keyID: keyID(of: key.publicKey), teamID: localTeam)
    } catch {
      throw Failure(error.message, hint: "remove it: a new one is made")
    }
  }

  /// Returns `${XDG_CONFIG_HOME:-~/.config}/deskbell`.
  static func folder(_ environment: Environment) throws(Failure) -> String {
    if let folder = environment["XDG_CONFIG_HOME"] { return "\(folder)/deskbell" }
    guard let home = environment["HOME"] else {
      throw Failure("there is no place for a key of your own: $HOME is not set", hint: "set it, or give --key")
    }
    return "\(home)/.config/deskbell"
  }

  /// Returns ten characters of the key's own hash, so that no two users' keys have the same.
  static func keyID(of key: P256.Signing.PublicKey) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    return String(SHA256.hash(data: key.x963Representation).prefix(10).map { alphabet[Int($0 & 31)] })
  }

  /// Makes this user's own file if there is none.
  /// - Throws: `Failure`, also if others can read the existing one.
  static func ensure(_ kind: String, at path: String, text: () -> String) throws(Failure) {
    var status = stat()
    if stat(path, &status) != 0 {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw Failure("the \(kind) \(path) cannot be read: \(SystemError.last.reason)")
      }
      try make(path, text())
    } else if status.st_mode & 0o077 != 0 {
      throw Failure("others can read the \(kind) \(path)", hint: "chmod 600 \(path), or remove it: a new one is made")
    }
  }

  /// Makes a complete file for this user alone, and never replaces another one. Missing parent folders are made.
  static func make(_ path: String, _ text: String) throws(Failure) {
    do throws(HeldFolder.Fault) {
      try HeldFolder.withDraft(Array("\(text)\n".utf8), for: path, mode: 0o600, makingMissing: 0o700) {
        folder, draft, name throws(HeldFolder.Fault) in
        // Another command may have made the file in the meantime.
        do throws(HeldFolder.Fault) {
          try folder.link(draft, to: name)
        } catch {
          if error.code != EEXIST { throw error }
        }
      }
    } catch {
      throw Failure(
        "a key of your own cannot be kept: \(error.path): \(error.reason)",
        hint: "make the folder writable, or give --key, --key-id and --team, or --password-file")
    }
  }
}
