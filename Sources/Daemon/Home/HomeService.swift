import HandsetCore
import HomeAssistant
import Installation
import ServiceLifecycle

/// The connection to Home Assistant, if the settings name a broker. Everything else works without it.
struct HomeService: Service {
  private let link: HomeLink?

  /// - Parameters:
  ///   - inbox: one of the host's sinks; nil if the settings name no broker.
  ///   - device: called when the device is announced.
  init(
    _ runtime: Runtime, inbox: HomeInbox?, access: HandsetAccess, player: SpeakerSink,
    device: @escaping @Sendable () async -> HomeDevice
  ) {
    guard let connection = runtime.configuration.home, let inbox else {
      link = nil
      return
    }
    do {
      link = try HomeLink(
        connection, inbox: inbox, device: device, access: access, player: player, runtime: runtime)
    } catch {
      runtime.logger.error("\(HomeLink.deviceName): \(error)")
      runtime.devices.set(HomeLink.deviceName, problem: "\(error)")
      link = nil
    }
  }

  func run() async {
    guard let link else {
      try? await gracefulShutdown()
      return
    }
    await link.run()
  }
}
