import FleetLink
import HandsetCore
import Host
import Synchronization
import SystemThreads

/// The clearing of a notification, or the answer to it, as JSON on the servers: `bell.clear.GROUP`.
struct ClearRecord: Hashable, Codable {
  /// The desk on which it was cleared.
  var desk: String
  var handset: String
  var app: String
  /// The part of its collapse identifier after the group.
  var id: String
  /// True if the notification was removed; false if it was only seen.
  var removed: Bool
}

/// The sink of a desk. It holds little: the handsets that have new events or tokens, and the clearings of each group.
public final class FleetInbox: CommitSink {
  enum Limits {
    /// The clearings that may wait, for all groups. Others are dropped: those siblings stay until they are cleared.
    static let clears = 1_024
  }

  private struct State {
    var events: Set<HandsetID> = []
    var tokens: Set<HandsetID> = []
    var clears: [String: [ClearRecord]] = [:]
    var publishing: Set<String> = []
    /// The desk's groups; nil while they are unknown.
    var groups: Set<String>?
  }

  private let desk: String
  private let handsets: [HandsetID: String]
  private let state = Mutex(State())
  /// Sent when there are new events or tokens, and by `FleetBook` when it has more to announce.
  let signal = Signal<Void>()
  /// Sent when there are new clearings, or other groups.
  let clearSignal = Signal<Void>()

  /// - Parameter handsets: the names of the desk's handsets.
  public init(desk: String, handsets: [HandsetID: String]) {
    (self.desk, self.handsets) = (desk, handsets)
  }

  func follow(_ groups: some Sequence<String>) {
    state.withLock { state in
      let groups = Set(groups)
      state.groups = groups
      state.clears = state.clears.filter { groups.contains($0.key) }
    }
    clearSignal.send()
  }

  func takeEvents() -> Set<HandsetID> { state.withLock { exchange(&$0.events, with: []) } }

  func takeTokens() -> Set<HandsetID> { state.withLock { exchange(&$0.tokens, with: []) } }

  /// Returns the groups that have clearings and whose publishing has not begun. It continues until `nextClear` is nil.
  func beginPublishing() -> Set<String> {
    state.withLock { state in
      guard state.groups != nil else { return [] }
      let begun = Set(state.clears.keys).subtracting(state.publishing)
      state.publishing.formUnion(begun)
      return begun
    }
  }

  /// Returns a group's next clearing. It remains the next one until `published`.
  func nextClear(of group: String) -> ClearRecord? {
    state.withLock { state in
      if let next = state.clears[group]?.first { return next }
      state.publishing.remove(group)
      return nil
    }
  }

  func published(_ group: String) {
    state.withLock { state in
      // The group may have been removed meanwhile.
      guard state.clears[group]?.isEmpty == false else { return }
      state.clears[group]?.removeFirst()
      if state.clears[group]?.isEmpty == true { state.clears[group] = nil }
    }
  }

  public func publish(_ batch: CommittedBatch) {
    let (isNew, isCleared) = state.withLock { state in
      var (isNew, isCleared) = (false, false)
      for item in batch.turns {
        guard let handset = handsets[item.handset] else { continue }
        if item.turn.events.contains(where: { $0.push != nil }) {
          state.events.insert(item.handset)
          isNew = true
        }
        if item.turn.changesTokens || item.turn.changesBroadcasts {
          state.tokens.insert(item.handset)
          isNew = true
        }
        guard state.groups?.isEmpty != true else { continue }
        for (group, record) in item.turn.clearings(on: handset, of: desk)
        where state.groups?.contains(group) ?? FleetNames.isName(group) {
          guard state.clears.values.reduce(0, { $0 + $1.count }) < Limits.clears else { break }
          state.clears[group, default: []].append(record)
          isCleared = true
        }
      }
      return (isNew, isCleared)
    }
    if isNew { signal.send() }
    if isCleared { clearSignal.send() }
  }
}

extension Turn {
  /// True if an app begins or ceases to take broadcasts.
  fileprivate var changesBroadcasts: Bool {
    changes.contains { change in
      guard case .app(_, let before, let after) = change else { return false }
      return (before?.manifest.hasBroadcasts ?? false) != (after?.manifest.hasBroadcasts ?? false)
    }
  }

  /// Returns the clearings by a person or an app, of notifications with a collapse identifier of the form `GROUP/REST`.
  fileprivate func clearings(on handset: String, of desk: String) -> [(group: String, record: ClearRecord)] {
    let isOwnDoing = events.contains {
      switch $0.kind {
      case .cleared(.badgeZero, _), .cleared(.opened, _), .cleared(.notificationOpened, _),
        .cleared(.byPerson, _), .cleared(.responded, _), .cleared(.byApp, _), .seen, .answered, .responded:
        true
      default: false
      }
    }
    guard isOwnDoing else { return [] }
    return changes.compactMap { change in
      guard case .notification(let change) = change, let before = change.before, let collapseID = before.collapseID,
        let slash = collapseID.firstIndex(of: "/")
      else { return nil }
      let after = change.after
      let isSeen = !before.isSeen && after?.isSeen == true
      guard after == nil || isSeen else { return nil }
      let record = ClearRecord(
        desk: desk, handset: handset, app: before.app.text, id: String(collapseID[collapseID.index(after: slash)...]),
        removed: after == nil)
      return (String(collapseID[..<slash]), record)
    }
  }
}
