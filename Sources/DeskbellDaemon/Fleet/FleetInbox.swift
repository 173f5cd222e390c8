// What the handsets of a desk did, for the tasks that tell the fleet. It holds little: which handsets have new events or
// tokens, and what was cleared of a group.

import FleetLink
import HandsetCore
import Synchronization

/// The sink of a desk.
final class FleetInbox: CommitSink {
  enum Limits {
    /// Clearings that wait, of all groups. One more is lost: its siblings stay until somebody clears them.
    static let clears = 1_024
  }

  /// A notification that a group's push made was seen or removed.
  struct Clearing: Hashable {
    var group: String
    var handset: HandsetID
    var app: AppID
    /// The rest of its collapse identifier.
    var id: String
    var removed: Bool
  }

  private struct State {
    var events: Set<HandsetID> = []
    var tokens: Set<HandsetID> = []
    /// Of each group, what it has not been told yet.
    var clears: [String: [Clearing]] = [:]
    /// Those that are told at the moment.
    var telling: Set<String> = []
    /// Nil while they are not known.
    var groups: Set<String>?
  }

  private let handsets: Set<HandsetID>
  private let state = Mutex(State())
  private let signal: AsyncStream<Void>.Continuation
  private let clearSignal: AsyncStream<Void>.Continuation
  /// An element when there is something new of events or tokens.
  let signals: AsyncStream<Void>
  /// An element when something was cleared.
  let clearSignals: AsyncStream<Void>

  init(handsets: some Sequence<HandsetID>) {
    self.handsets = Set(handsets)
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (clearSignals, clearSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The groups whose clearings are told.
  func follow(_ groups: some Sequence<String>) {
    state.withLock { state in
      let groups = Set(groups)
      state.groups = groups
      state.clears = state.clears.filter { groups.contains($0.key) }
    }
    clearSignal.yield()
  }

  func takeEvents() -> Set<HandsetID> {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  func takeTokens() -> Set<HandsetID> {
    state.withLock { state in
      defer { state.tokens = [] }
      return state.tokens
    }
  }

  /// The groups that have something to be told and are not told it yet. Each is told it until `nextClear` is nil.
  func beginTelling() -> Set<String> {
    state.withLock { state in
      guard state.groups != nil else { return [] }
      let begun = Set(state.clears.keys).subtracting(state.telling)
      state.telling.formUnion(begun)
      return begun
    }
  }

  /// What is to be told a group next. It stays the next until `told`.
  func nextClear(of group: String) -> Clearing? {
    state.withLock { state in
      if let next = state.clears[group]?.first { return next }
      state.telling.remove(group)
      return nil
    }
  }

  func told(_ group: String) {
    state.withLock { state in
      // The group may have gone meanwhile.
      guard state.clears[group]?.isEmpty == false else { return }
      state.clears[group]?.removeFirst()
      if state.clears[group]?.isEmpty == true { state.clears[group] = nil }
    }
  }

  func publish(_ batch: CommittedBatch) {
    let (isNew, isCleared) = state.withLock { state in
      var (isNew, isCleared) = (false, false)
      for item in batch.turns where handsets.contains(item.handset) {
        if item.turn.events.contains(where: { $0.push != nil }) {
          state.events.insert(item.handset)
          isNew = true
        }
        if item.turn.changesTokens {
          state.tokens.insert(item.handset)
          isNew = true
        }
        guard state.groups?.isEmpty != true else { continue }
        for clearing in item.turn.clearings(on: item.handset)
        where state.groups?.contains(clearing.group) ?? FleetNames.isName(clearing.group) {
          guard state.clears.values.reduce(0, { $0 + $1.count }) < Limits.clears else { break }
          state.clears[clearing.group, default: []].append(clearing)
          isCleared = true
        }
      }
      return (isNew, isCleared)
    }
    if isNew { signal.yield() }
    if isCleared { clearSignal.yield() }
  }
}

extension Turn {
  /// What a person or an app did to notifications with a collapse identifier of the form `GROUP/REST`.
  fileprivate func clearings(on handset: HandsetID) -> [FleetInbox.Clearing] {
    let isOwnDoing = events.contains {
      switch $0.kind {
      case .cleared(.badgeZero, _), .cleared(.opened, _), .cleared(.byPerson, _), .cleared(.responded, _),
        .cleared(.byApp, _), .seen, .answered, .responded:
        true
      default: false
      }
    }
    guard isOwnDoing else { return [] }
    return changes.compactMap { change in
      guard case .notification(let before?, let after, _) = change, let collapseID = before.collapseID,
        let slash = collapseID.firstIndex(of: "/")
      else { return nil }
      let isSeen = !before.isSeen && after?.isSeen == true
      guard after == nil || isSeen else { return nil }
      return FleetInbox.Clearing(
        group: String(collapseID[..<slash]), handset: handset, app: before.app,
        id: String(collapseID[collapseID.index(after: slash)...]), removed: after == nil)
    }
  }
}
