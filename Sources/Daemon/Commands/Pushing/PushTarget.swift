import ArgumentParser
import CommandSupport
import Crypto
import DeskbellDaemon
import HTTP
import ProviderClient

/// The given options for server and credential. Each has a variable in the environment.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that 'deskbell setup' wrote: server, port, authority, token and key, as far as they are not given.",
      valueName: "folder"))
  var provider: String?
  @Option(help: ArgumentHelp("The server. Default: $DESKBELL_HOST, else where the daemon listens.", valueName: "host"))
  var host: String?
  @Option(help: ArgumentHelp("Its port. Default: $DESKBELL_PORT, else as the daemon's, else 2197.", valueName: "port"))
  var port: Int?
  @Option(
    help: ArgumentHelp(
      "The certificate authority to trust, as PEM. Default: $DESKBELL_CA, else the daemon's; if it has a certificate of your own, that one, or with --host the system's authorities.",
      valueName: "file"))
  var ca: String?
  @Option(
    help: ArgumentHelp("The app's device token. Default: $DESKBELL_TOKEN, else the daemon knows it.", valueName: "hex"))
  var token: String?
  @Option(
    help: ArgumentHelp(
      "The private key that signs. Default: $DESKBELL_KEY, else a key of your own, which is made and added as a provider.",
      valueName: "file"))
  var key: String?
  @Option(help: "The key's identifier. Default: $DESKBELL_KEY_ID, else as in AuthKey_….p8.")
  var keyID: String?
  @Option(help: ArgumentHelp("The key's team. Default: $DESKBELL_TEAM.", valueName: "team"))
  var team: String?

  func completed(from environment: Environment) throws -> TargetOptions {
    var options = self
    if let card = try provider.map(ProviderFolder.read(_:)) {
      (options.host, options.port) = (host ?? card.host, port ?? card.port)
      (options.token, options.key) = (token ?? card.deviceToken, key ?? card.key)
      (options.keyID, options.team) = (keyID ?? card.keyID, team ?? card.teamID)
      options.ca = ca ?? card.certificateAuthority
      return options
    }
    options.host = host ?? environment["DESKBELL_HOST"]
    options.ca = ca ?? environment["DESKBELL_CA"]
    options.token = token ?? environment["DESKBELL_TOKEN"]
    options.key = key ?? environment["DESKBELL_KEY"]
    options.keyID = keyID ?? environment["DESKBELL_KEY_ID"]
    options.team = team ?? environment["DESKBELL_TEAM"]
    if port == nil, let text = environment["DESKBELL_PORT"] {
      guard let number = Int(text) else { throw ValidationError("$DESKBELL_PORT is a number, not '\(text)'.") }
      options.port = number
    }
    if let port = options.port, !(1...65_535).contains(port) {
      throw ValidationError("A port is 1 to 65535, not \(port).")
    }
    return options
  }

  /// Returns the named server, or the daemon's port.
  /// - Parameter address: the address at which the daemon listens; nil if it is unknown.
  func endpoint(listening address: String?) throws(Failure) -> Endpoint {
    if let host { return Endpoint(host: host, port: port ?? PushTarget.defaultPort) }
    guard let listening = address.flatMap(Endpoint.init(reaching:)) else {
      throw Failure("the daemon's push port is closed", hint: "deskbell state says why")
    }
    return Endpoint(host: listening.host, port: port ?? listening.port)
  }
}

struct PushTarget: Equatable {
  static let defaultPort = 2197

  var endpoint: Endpoint
  var identity: PortIdentity
  var token: String
  var key: SigningKey

  /// - Parameters:
  ///   - options: completed from the environment.
  ///   - client: returns the daemon's client; called only if data of the daemon is needed.
  init(
    app: String, _ options: TargetOptions, keyFolder: () throws -> String, client: () throws -> ControlClient
  ) async throws {
    let named = try options.key.map { try PushTarget.signingKey(at: $0, options) }
    let needsDaemon = options.host == nil || options.token == nil || named == nil
    let daemon = needsDaemon ? try client() : nil

    token =
      if let token = options.token { token } else if let daemon { try await daemon.token(of: app) } else { "" }
    if let named {
      key = named
    } else {
      key = try KeyFile.local(in: keyFolder())
      if let daemon { try await PushTarget.ensureProvider(key, for: app, daemon) }
    }
    endpoint = try options.endpoint(listening: options.host == nil ? await daemon?.state().pushAddress : nil)
    identity = try await PortIdentity(options, daemon)
  }

  private static func signingKey(at path: String, _ options: TargetOptions) throws -> SigningKey {
    guard let keyID = options.keyID ?? KeyFile.keyID(inNameOf: path) else {
      throw ValidationError("--key needs --key-id: the file name '\(path)' is not of the form AuthKey_….p8.")
    }
    guard let team = options.team else { throw ValidationError("--key needs --team.") }
    return SigningKey(pem: try KeyFile.signingKey(at: path).pemRepresentation, keyID: keyID, teamID: team)
  }

  private static func ensureProvider(_ key: SigningKey, for app: String, _ daemon: ControlClient) async throws {
    guard let change = localProvider(key, for: app, among: try await daemon.providers()) else { return }
    var request = ProviderRequest(apps: change.apps)
    let publicKey = try P256.Signing.PrivateKey(pemRepresentation: key.pem).publicKey
    (request.teamID, request.keyID, request.key) = (key.teamID, key.keyID, publicKey.pemRepresentation)
    _ = try await daemon.setProvider(change.name, request)
  }

  /// Returns the provider to add or change: `local`, or, if that is another user's, one named after the key; nil if the
  /// key may already push to the app.
  static func localProvider(
    _ key: SigningKey, for app: String, among providers: [ProviderReport]
  ) -> (name: String, apps: [String])? {
    if let own = providers.first(where: { $0.teamID == key.teamID && $0.keyID == key.keyID }) {
      return own.apps.contains(app) ? nil : (own.name, own.apps + [app])
    }
    let isTaken = providers.contains { $0.name == "local" }
    return (isTaken ? "local-\(key.keyID.lowercased())" : "local", [app])
  }
}

extension ControlClient {
  /// Returns the app's device token. On a bench an app that is not installed comes to be.
  fileprivate func token(of app: String) async throws -> String {
    do {
      return try await self.app(app).token
    } catch HTTPClientError.refused(let status, let message, let hint) where status == 404 {
      do {
        return try await benchToken(of: app).token
      } catch HTTPClientError.refused(404, _, _) {
        throw HTTPClientError.refused(status: status, error: message, hint: hint)
      }
    }
  }
}

extension PortIdentity {
  /// - Parameter daemon: nil if no data of the daemon was needed.
  init(_ target: TargetOptions, _ daemon: ControlClient?) async throws {
    if let path = target.ca {
      self.init(trust: .authorities(pem: try KeyFile.certificates(at: path).joined()))
    } else if let daemon {
      let identity = try await PortIdentity(of: daemon)
      // A named server may be a different one.
      self = target.host != nil && identity.ownCertificate != nil ? PortIdentity(trust: .system) : identity
    } else {
      self.init(trust: .system)
    }
  }

  init(of daemon: ControlClient) async throws {
    if let authority = try await PortIdentity.authority(of: daemon) {
      self.init(trust: .authorities(pem: authority))
    } else {
      self.init(ownCertificate: try await daemon.certificate())
    }
  }

  /// Returns it as PEM; nil if the daemon uses the user's own certificate.
  static func authority(of daemon: ControlClient) async throws -> String? {
    do {
      return try await daemon.certificateAuthority()
    } catch HTTPClientError.refused(status: 404, _, _) {
      return nil
    }
  }
}
