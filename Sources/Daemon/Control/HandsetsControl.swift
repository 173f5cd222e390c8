import ControlAPI
import Host

/// The handsets in the control API.
struct HandsetsControl: HandsetDirectory {
  let names: [String]
  let onBoard: String
  private let accesses: [HandsetAccess]
  private let handsets: [String: HandsetResources]

  /// - Parameter resources: makes the resources of one handset.
  init(_ handsets: Handsets, host: Host, queue: InputQueue, resources: (HandsetAccess) -> HandsetResources) {
    names = handsets.all.map(\.name)
    onBoard = handsets.board.name
    let accesses = handsets.all.map { handset in
      HandsetAccess(
        host: host, queue: queue, identity: HandsetIdentity(handset.id, name: handset.name, device: handset.device))
    }
    self.accesses = accesses
    self.handsets = Dictionary(uniqueKeysWithValues: accesses.map { ($0.identity.name, resources($0)) })
  }

  func resources(of name: String) -> HandsetResources? { handsets[name] }

  func reports() async throws(ControlError) -> [HandsetReport] {
    var reports: [HandsetReport] = []
    for access in accesses {
      let identity = access.identity
      let isOnBoard = identity.name == onBoard
      reports.append(
        try await access.read { handset, _, _, now in
          HandsetReport(handset, identity, isOnBoard: isOnBoard, at: now)
        })
    }
    return reports
  }
}
