// deskbell push --via 2008: a provider of 2008, with a publishing node in place of a device token.

import ArgumentParser

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

  /// - Parameter others: the given options of the provider API.
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
    let (message, presentation) = (payload.message, payload.presentation)
    let strangers: [String] = [
      message.title.map { _ in "--title" }, message.subtitle.map { _ in "--subtitle" },
      payload.background ? "--background" : nil, presentation.level.map { _ in "--level" },
      presentation.thread.map { _ in "--thread" }, payload.category.map { _ in "--category" },
      payload.custom.map { _ in "--custom" },
    ].compactMap { $0 }
    if let first = (others + strangers).first {
      throw ValidationError("The 2008 service has no \(first); it takes --body, --no-open-button, --badge and --sound.")
    }
    if message.body == nil && message.badge == nil && message.sound == nil {
      throw ValidationError("Nothing to push: give --body, --badge or --sound.")
    }
  }
}
