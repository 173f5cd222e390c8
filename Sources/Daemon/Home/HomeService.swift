import Board
import HandsetCore
import HandsetStore
import HomeAssistant
import Installation
import ServiceLifecycle

/// The connection to Home Assistant, if the settings name a broker. Everything else works without it.
struct HomeService: Service {
  private let link: HomeLink?

  /// - Parameters:
  ///   - handset: the one on the board.
  ///   - board: nil without a board.
  init(
    _ runtime: Runtime, _ handset: StoredHandset, board: BoardDescription?, host: RunningHost, player: SpeakerSink,
    panel: PanelAccess
  ) {
    guard let connection = runtime.configuration.home, let inbox = host.home else {
      link = nil
      return
    }
    let access = HandsetAccess(host: host.host, queue: host.queue, identity: handset)
    do {
      link = try HomeLink(
        connection, inbox: inbox,
        device: {
          HomeDevice(
            connection, of: handset, board: board, panel: try? await panel.report(), devices: runtime.devices)
        }, access: access, player: player, runtime: runtime)
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
