// The settings name the handsets of this installation; one of them is on the board.

import FleetMember
import HandsetCore
import HandsetStore
import StrictYAML

/// The handsets of this daemon. They do not change while it runs.
struct Handsets: Sendable {
  static let limit = 1_000

  /// All handsets in the order of the settings.
  let all: [StoredHandset]
  /// The handset that the lamp, digits, motor, speaker and buttons belong to.
  let board: StoredHandset
  let names: HandsetNames
  private let byDevice: [DeviceID: StoredHandset]

  /// - Parameters:
  ///   - all: not empty.
  ///   - board: the name of the one on the board; nil for the first.
  /// - Throws: `DaemonError` if none has that name.
  init(_ all: [StoredHandset], board name: String?) throws(DaemonError) {
    byDevice = Dictionary(uniqueKeysWithValues: all.map { ($0.device, $0) })
    self.all = all
    guard let board = name.map({ name in all.first { $0.name == name } }) ?? all.first else {
      throw DaemonError("board-handset: there is no handset '\(name ?? "")'; handsets: lists their names")
    }
    self.board = board
    names = HandsetNames(Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.name) }), board: board.id)
  }

  func having(_ device: DeviceID) -> StoredHandset? { byDevice[device] }

  /// Returns the handsets of a desk, with the one on the board first if it is among them.
  /// - Throws: `DaemonError` if one of them does not exist.
  func of(_ member: FleetSettings.Member) throws(DaemonError) -> [StoredHandset] {
    let found =
      try member.handsets?.map { (name) throws(DaemonError) -> StoredHandset in
        if let handset = all.first(where: { $0.name == name }) { return handset }
        throw Configuration.noHandset(name, of: member)
      } ?? all
    return found.filter { $0.id == board.id } + found.filter { $0.id != board.id }
  }
}

extension YAMLNode {
  /// Reads a list of names, or a number of handsets, each of which is then named by its number.
  /// - Throws: `Diagnostic` if it is neither, if there are too few or too many, and at a name that is invalid or
  ///   repeated.
  func handsetNames() throws(Diagnostic) -> [String] {
    let counts = 1...Handsets.limit
    guard case .sequence = content else {
      guard case .scalar = content else {
        throw diagnostic("must be a list of names, such as [kitchen, hall], or a number of handsets")
      }
      return (1...(try integer(in: counts))).map(String.init)
    }
    var names: [String] = []
    for item in try sequence(count: counts) {
      let name = try item.fleetName()
      guard !names.contains(name) else { throw item.diagnostic("is in the list already: '\(name)'") }
      names.append(name)
    }
    return names
  }
}
