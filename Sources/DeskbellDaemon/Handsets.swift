// The settings name the handsets of this installation; one of them is on the board.

import HandsetCore
import HandsetStore

/// The handsets of this daemon. They are the same for as long as it runs.
struct Handsets: Sendable {
  /// In the order of the settings.
  let all: [StoredHandset]
  /// The one that lamp, digits, motor, speaker and buttons belong to.
  let board: StoredHandset
  let names: HandsetNames
  private let byDevice: [DeviceID: StoredHandset]

  /// - Parameters:
  ///   - all: not empty.
  ///   - board: the name of the one on the board; nil for the first.
  /// - Throws: `DaemonError` where none has that name.
  init(_ all: [StoredHandset], board name: String?) throws(DaemonError) {
    byDevice = Dictionary(uniqueKeysWithValues: all.map { ($0.device, $0) })
    self.all = all
    guard let board = name.map({ name in all.first { $0.name == name } }) ?? all.first else {
      throw DaemonError("board-handset: there is no handset '\(name ?? "")'; handsets: lists their names")
    }
    self.board = board
    names = HandsetNames(Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.name) }), board: board.id)
  }

  /// The one that the 2008 service knows by that device ID.
  func having(_ device: DeviceID) -> StoredHandset? { byDevice[device] }
}
