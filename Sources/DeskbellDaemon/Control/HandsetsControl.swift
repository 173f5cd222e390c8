// The handsets of the host by name, each with the conformers of its resources.

import ControlAPI
import HandsetCore

/// The handsets, as the control API sees them.
struct HandsetsControl: HandsetDirectory {
  let names: [String]
  let onBoard: String
  private let host: Host
  private let identities: [HandsetIdentity]
  private let handsets: [String: HandsetResources]

  /// - Parameters:
  ///   - identities: in the order of the settings.
  ///   - onBoard: the name of one of them.
  ///   - resources: makes those of one handset.
  init(
    _ identities: [HandsetIdentity], onBoard: String, host: Host,
    resources: (HandsetAccess) -> HandsetResources
  ) {
    names = identities.map(\.name)
    self.onBoard = onBoard
    self.host = host
    self.identities = identities
    handsets = Dictionary(
      uniqueKeysWithValues: identities.map { ($0.name, resources(HandsetAccess(host: host, identity: $0))) })
  }

  func resources(of name: String) -> HandsetResources? { handsets[name] }

  func reports() async throws(ControlError) -> [HandsetReport] {
    var reports: [HandsetReport] = []
    for identity in identities {
      let isOnBoard = identity.name == onBoard
      reports.append(
        try await HandsetAccess(host: host, identity: identity).read { handset, _, _, now in
          HandsetReport(handset, identity, isOnBoard: isOnBoard, at: now)
        })
    }
    return reports
  }
}
