// A folder for the machine that will push: the key that signs, the authority to trust, and everything else that a
// client library needs.

import CommandSupport
import Crypto
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HeldFolders
import ProviderClient
import SystemThreads

struct ProviderFolder {
  struct Card: Codable, Equatable {
    var host: String
    var port: Int
    var topic: String
    var deviceToken: String
    var teamID: String
    var keyID: String
    var key: String
    /// The authority's file, in this folder; nil if the system's authorities issued the certificate.
    var certificateAuthority: String?
  }

  static let cardName = "provider.json"
  static let authorityName = "ca.pem"
  /// A file with the device token alone, for the programs in docs/clients.md.
  static let tokenName = "token"

  let path: String

  /// Creates a key, adds it as a provider with that name for one app, and writes the folder. A folder of an earlier
  /// setup remains if it is still valid; another one with that name is kept, with ~ behind its name.
  /// - Throws: `Failure` if the folder cannot be written, and the daemon's refusals.
  func make(provider name: String, app: String, host: String?, _ daemon: ControlClient) async throws -> Card {
    let authority = try await PortIdentity.authority(of: daemon)
    // The user's own certificate is valid under its own names only. A port without certificate has no names.
    let reached = try? await daemon.certificate().host
    let host = authority == nil ? reached ?? host : host ?? reached
    let port = try await daemon.state().pushAddress.flatMap(Endpoint.init(reaching:))?.port
    var card = Card(
      host: host ?? ProcessInfo.processInfo.hostName, port: port ?? PushTarget.defaultPort, topic: app,
      deviceToken: try await daemon.app(app).token, teamID: KeyFile.localTeam, keyID: "", key: "",
      certificateAuthority: authority.map { _ in ProviderFolder.authorityName })
    if let known = try await daemon.providers().first(where: { $0.name == name }),
      let standing = standing(as: card, authority: authority), known.keyID == standing.keyID, known.apps.contains(app)
    {
      return standing
    }
    try moveAway()
    let key = P256.Signing.PrivateKey()
    card.keyID = KeyFile.keyID(of: key.publicKey)
    card.key = "AuthKey_\(card.keyID).p8"
    var request = ProviderRequest(apps: [app])
    (request.teamID, request.keyID, request.key) = (card.teamID, card.keyID, key.publicKey.pemRepresentation)
    _ = try await daemon.setProvider(name, request)
    var files = [
      (card.key, key.pemRepresentation), (ProviderFolder.tokenName, card.deviceToken),
      (ProviderFolder.cardName, try Output.jsonText(card)),
    ]
    if let authority { files.append((ProviderFolder.authorityName, authority.trimmingEnd())) }
    try write(files, owner: ProviderFolder.caller(.ofProcess))
    return card
  }

  /// Returns the card of an existing, complete folder that differs only in its key; nil for any other.
  private func standing(as expected: Card, authority: String?) -> Card? {
    guard let card = try? ProviderFolder.card(in: path) else { return nil }
    var same = expected
    (same.keyID, same.key) = (card.keyID, card.key)
    let text = { (name: String) in try? String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8) }
    guard card == same, let key = text(card.key).flatMap({ try? P256.Signing.PrivateKey(pemRepresentation: $0) }),
      KeyFile.keyID(of: key.publicKey) == card.keyID, text(ProviderFolder.tokenName) == card.deviceToken + "\n",
      authority.map({ text(ProviderFolder.authorityName) == $0.trimmingEnd() + "\n" }) ?? true
    else { return nil }
    return card
  }

  /// Frees the folder's name: an existing folder is kept, with as many ~ behind its name as needed.
  private func moveAway() throws(Failure) {
    let name = path.withoutTrailingSlash
    guard access(name, F_OK) == 0 else { return }
    var other = name + "~"
    while access(other, F_OK) == 0 { other += "~" }
    guard rename(name, other) == 0 else {
      throw Failure(
        "\(name) cannot be moved to \(other): \(SystemError.last.reason)",
        hint: "name another folder with --provider-folder")
    }
  }

  private static func card(in path: String) throws -> Card {
    try JSONDecoder().decode(Card.self, from: Data(contentsOf: URL(filePath: "\(path)/\(cardName)")))
  }

  /// Returns the contents of such a folder, with its files by their paths.
  static func read(_ folder: String) throws -> Card {
    let path = folder.withoutTrailingSlash
    do {
      var card = try card(in: path)
      card.key = "\(path)/\(card.key)"
      card.certificateAuthority = card.certificateAuthority.map { "\(path)/\($0)" }
      return card
    } catch {
      throw Failure(
        "\(path)/\(cardName) cannot be read", hint: "--provider names the folder that 'deskbell setup' wrote")
    }
  }

  /// Makes the folder with its files, for one user alone.
  /// - Parameter owner: nil for the user that runs this.
  func write(_ files: [(name: String, text: String)], owner: HeldFolder.Owner?) throws(Failure) {
    do throws(HeldFolder.Fault) {
      let folder = try HeldFolder(new: path, mode: 0o700)
      for (name, text) in files { try folder.make(name, Array("\(text)\n".utf8), mode: 0o600, owner: owner) }
      // Last: until then no other user can add names to it.
      if let owner { folder.give(to: owner) }
    } catch {
      throw Failure(
        "\(error.path) cannot be written: \(error.reason)", hint: "name another folder with --provider-folder")
    }
  }

  /// Returns the user who ran sudo: the files would be root's, but that user needs them.
  private static func caller(_ environment: Environment) -> HeldFolder.Owner? {
    guard geteuid() == 0, let user = environment["SUDO_UID"].flatMap({ uid_t($0) }),
      let group = environment["SUDO_GID"].flatMap({ gid_t($0) })
    else { return nil }
    return (user, group)
  }
}
