// deskbell push --via 2008: a provider of 2008, with a publishing node in place of a device token.

import ArgumentParser
import CommandSupport
import DeskbellDaemon
import ProviderClient

/// The protocol of a push.
enum PushProtocol: String, ExpressibleByArgument, CaseIterable {
  case apns
  case service2008 = "2008"
}

/// The options of the 2008 service alone.
struct PublishingOptions: ParsableArguments {
  @Option(
    name: .customLong("via"), help: ArgumentHelp("apns, or 2008 for the first push service.", valueName: "protocol"))
  var service = PushProtocol.apns
  @Option(help: ArgumentHelp("The publishing node, which is created if it is missing.", valueName: "name"))
  var node: String?
  @Option(
    help: ArgumentHelp(
      "The handset's device ID. Default: $DESKBELL_DEVICE, else the daemon knows it.", valueName: "hex"))
  var device: String?
  @Option(
    help: ArgumentHelp(
      "The file with the provider's password, - for standard input. Default: $DESKBELL_PASSWORD_FILE, else a password of your own, which is made and added as a provider.",
      valueName: "file"))
  var passwordFile: String?
  @Flag(help: "The alert has the single button OK.")
  var noOpenButton = false

  static let defaultNode = "Inbox"

  var isWanted: Bool { service == .service2008 }

  /// - Parameters:
  ///   - others: the given options of the provider API.
  func validate(_ payload: PayloadOptions, file: String?, others: [String]) throws {
    guard isWanted else {
      let given = [
        node.map { _ in "--node" }, device.map { _ in "--device" }, passwordFile.map { _ in "--password-file" },
        noOpenButton ? "--no-open-button" : nil,
      ].compactMap { $0 }
      if let first = given.first { throw ValidationError("\(first) is the 2008 service's: add --via 2008.") }
      return
    }
    if let file {
      throw ValidationError(
        "\(file) is a payload of the provider API; the 2008 service takes --body, --badge and --sound.")
    }
    let strangers = others + payload.unknownIn2008
    if let first = strangers.first {
      throw ValidationError("The 2008 service has no \(first); it takes --body, --no-open-button, --badge and --sound.")
    }
    let message = payload.message
    if message.body == nil && message.badge == nil && message.sound == nil {
      throw ValidationError("Nothing to push: give --body, --badge or --sound.")
    }
  }
}

extension PayloadOptions {
  fileprivate var unknownIn2008: [String] {
    [
      message.title.map { _ in "--title" }, message.subtitle.map { _ in "--subtitle" },
      background ? "--background" : nil, presentation.level.map { _ in "--level" },
      presentation.thread.map { _ in "--thread" }, category.map { _ in "--category" }, custom.map { _ in "--custom" },
    ].compactMap { $0 }
  }
}

/// A push through a publishing node, ready to be sent.
struct Publishing {
  var endpoint: Endpoint
  var identity: PortIdentity
  var node: PublishingCall.Node
  var user: PublishingUser
  var propertyList: [UInt8]

  /// - Parameters:
  ///   - target: completed from the environment.
  ///   - client: returns the daemon's client; called only if data of the daemon is needed.
  init(
    app: String, _ options: PublishingOptions, _ payload: PayloadOptions, _ target: TargetOptions,
    environment: Environment, client: () throws -> ControlClient
  ) async throws {
    let passwordFile = options.passwordFile ?? environment["DESKBELL_PASSWORD_FILE"]
    let device = options.device ?? environment["DESKBELL_DEVICE"]
    let needsDaemon = target.host == nil || device == nil || passwordFile == nil
    let daemon = needsDaemon ? try client() : nil
    let password: String
    if let passwordFile {
      password = try PasswordFile.password(at: passwordFile)
    } else {
      password = try PasswordFile.local(in: KeyFile.folder(environment))
      if let daemon { try await Publishing.ensureProvider(password, for: app, daemon) }
    }
    user = PublishingUser(name: app, password: password)
    let known = try await daemon?.state()
    node = PublishingCall.Node(
      publisher: app, device: device ?? known?.deviceID ?? "", name: options.node ?? PublishingOptions.defaultNode)
    endpoint = try target.endpoint(listening: known?.pushAddress)
    identity = try await PortIdentity(target, daemon)
    propertyList = PropertyList(
      body: payload.message.body, showsOpenButton: options.noOpenButton ? false : nil, badge: payload.message.badge,
      sound: payload.message.sound
    ).encoded()
  }

  /// Adds this user's password as provider `local-2008`, unless it exists.
  private static func ensureProvider(_ password: String, for app: String, _ daemon: ControlClient) async throws {
    let name = "local-2008"
    let providers = try await daemon.providers()
    let known = providers.first { $0.name == name }
    if known?.apps.contains(app) == true { return }
    if let other = providers.first(where: { $0.credential == "password" && $0.apps.contains(app) }) {
      throw Failure(
        "provider '\(other.name)' has the password for \(app)", hint: "give it with --password-file")
    }
    var request = ProviderRequest(apps: (known?.apps ?? []) + [app])
    request.password = password
    _ = try await daemon.setProvider(name, request)
  }
}
