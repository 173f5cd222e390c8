import Board
import HandsetCore
import HandsetStore
import HomeAssistant
import Host

extension HomeDevice {
  /// - Parameters:
  ///   - handset: the one on the board.
  ///   - panel: nil if there is none.
  init(
    _ connection: HomeConnection?, of handset: StoredHandset, board: BoardDescription?, panel: PanelReport?,
    devices: DeviceTable
  ) {
    self.init(
      id: HomeDevice.id(of: handset.device), name: connection?.name ?? "Deskbell", version: Daemon.version,
      board: board?.board, panel: panel.flatMap(HomeDevice.url), sounds: ShippedSound.allCases.map(\.rawValue),
      hasLamp: board?.lamp != nil, devices: devices.all.map(\.name).filter { $0 != HomeLink.deviceName })
  }

  static func id(of handset: DeviceID) -> String { "deskbell-\(handset.hex.prefix(12))" }

  /// Returns the panel's address; nil if no other machine can open it.
  private static func url(_ panel: PanelReport) -> String? {
    guard panel.isOnNetwork else { return nil }
    return panel.url
  }
}
