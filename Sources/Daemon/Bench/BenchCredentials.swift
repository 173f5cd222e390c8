import Crypto
import FoundationEssentials
import HeldFolders
import PushPort

/// The key with which a bench's provider signs its tokens, in a file as Apple gives it out.
struct BenchCredentials: Sendable {
  /// The identifiers are the same in each bench, so that a provider's settings may contain them.
  static let teamID = "BENCHTEAM1"
  static let keyID = "BENCHKEY01"

  let keyFile: String
  let authorityFile: String
  let catchAll: CatchAll
  private let folder: String

  /// Makes a key and writes its file.
  /// - Throws: `DaemonError` if the folder cannot be written.
  init(in folder: String) throws {
    self.folder = folder
    let key = P256.Signing.PrivateKey()
    keyFile = "\(folder)/AuthKey_\(BenchCredentials.keyID).p8"
    authorityFile = "\(folder)/ca.pem"
    catchAll = try CatchAll(
      teamID: BenchCredentials.teamID, keyID: BenchCredentials.keyID, key: key.publicKey.pemRepresentation)
    try write(key.pemRepresentation, to: "AuthKey_\(BenchCredentials.keyID).p8")
  }

  /// Writes the certificate authority's certificate.
  func write(authority pem: String) throws { try write(pem, to: "ca.pem") }

  private func write(_ text: String, to name: String) throws {
    let folder = try StateFolder.make(folder)
    try StateFolder.explaining { () throws(HeldFolder.Fault) in
      try folder.make(name, Array(text.utf8), mode: 0o600, isFlushed: false)
    }
  }
}
