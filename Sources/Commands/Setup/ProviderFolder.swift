// What somebody takes along to the machine that will push: the key that signs, the authority to trust, and everything
// that a client library asks for, in one folder.

import ControlAPI
import Crypto
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HeldFolders
import ProviderClient

struct ProviderFolder {
  /// What a client library asks for, beside the key.
  struct Card: Codable, Equatable {
    var host: String
    var port: Int
    var topic: String
    var deviceToken: String
    var teamID: String
    var keyID: String
    /// The key's file, in this folder.
    var key: String
    /// The authority's file, in this folder; nil where the system's authorities vouch for the server.
    var certificateAuthority: String?
  }

  static let cardName = "provider.json"
  static let authorityName = "ca.pem"

  let path: String

  /// Creates a key, adds it as a provider with that name for one app, and writes the folder.
  /// - Throws: `Failure` where the folder is there already or cannot be written, and what the daemon refuses.
  func make(provider name: String, app: String, host: String, _ daemon: ControlClient) async throws -> Card {
    guard access(path, F_OK) != 0 else {
      throw Failure("\(path) already exists", hint: "move it away, or name another folder with --provider-folder")
    }
    let key = P256.Signing.PrivateKey()
    let keyID = KeyFile.keyID(of: key.publicKey)
    var request = ProviderRequest(apps: [app])
    (request.teamID, request.keyID, request.key) = (KeyFile.localTeam, keyID, key.publicKey.pemRepresentation)
    _ = try await daemon.setProvider(name, request)
    let authority = try await PortIdentity.authority(of: daemon)
    // A certificate of the user's own is good under its own names only. A port that shows none has none to go by.
    let certified = authority == nil ? try? await daemon.certificate().host : nil
    let port = try await daemon.state().pushAddress.flatMap(Endpoint.init(reaching:))?.port
    let card = Card(
      host: certified ?? host, port: port ?? PushTarget.defaultPort, topic: app,
      deviceToken: try await daemon.app(app).token, teamID: KeyFile.localTeam, keyID: keyID, key: "AuthKey_\(keyID).p8",
      certificateAuthority: authority.map { _ in ProviderFolder.authorityName })
    var files = [(card.key, key.pemRepresentation), (ProviderFolder.cardName, try Output.jsonText(card))]
    if let authority { files.append((ProviderFolder.authorityName, authority.trimmingEnd())) }
    try write(files, owner: ProviderFolder.caller(.ofProcess))
    return card
  }

  /// What such a folder has, with its files by their paths.
  static func read(_ folder: String) throws -> Card {
    let path = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    do {
      let text = try Data(contentsOf: URL(filePath: "\(path)/\(cardName)"))
      var card = try JSONDecoder().decode(Card.self, from: text)
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
      for (name, text) in files { try folder.make(name, text + "\n", mode: 0o600, owner: owner) }
      // Last: until then nobody else has a name in it.
      if let owner { folder.give(to: owner) }
    } catch {
      throw Failure(
        "\(error.path) cannot be written: \(error.reason)", hint: "name another folder with --provider-folder")
    }
  }

  /// Under sudo the files would be root's; the user who ran sudo needs them.
  private static func caller(_ environment: Environment) -> HeldFolder.Owner? {
    guard geteuid() == 0, let user = environment["SUDO_UID"].flatMap({ uid_t($0) }),
      let group = environment["SUDO_GID"].flatMap({ gid_t($0) })
    else { return nil }
    return HeldFolder.Owner(user: user, group: group)
  }
}
