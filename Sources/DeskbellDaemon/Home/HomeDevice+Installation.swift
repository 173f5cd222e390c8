import Board
import ControlAPI
import FoundationEssentials
import HandsetStore
import HomeAssistant
import Installation

extension HomeDevice {
  /// - Parameters:
  ///   - handset: the one on the board.
  ///   - panel: nil where there is none.
  init(
    _ connection: HomeConnection?, of handset: StoredHandset, board: BoardDescription?, panel: PanelReport?,
    devices: DeviceTable
  ) {
    self.init(
      id: "deskbell-\(handset.device.hex.prefix(12))", name: connection?.name ?? "Deskbell", version: Daemon.version,
      board: board?.board, panel: panel.flatMap(HomeDevice.url), sounds: HomeDevice.shippedSounds,
      hasLamp: board?.lamp != nil, devices: devices.all.map(\.name).filter { $0 != HomeLink.deviceName })
  }

  /// Nil where no other machine can open it.
  private static func url(_ panel: PanelReport) -> String? {
    guard panel.isOnNetwork else { return nil }
    return panel.url.replacing("//localhost:", with: "//\(ProcessInfo.processInfo.hostName):")
  }

  private static var shippedSounds: [String] {
    guard let folder = SharedFiles.folder("Sounds") else { return [] }
    return SharedFiles.files(in: folder).filter { $0.hasSuffix(".wav") }.map { String($0.dropLast(4)) }.sorted()
  }
}
