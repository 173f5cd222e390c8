// The counts of each commit, summed over all handsets: with 500 of them, one each would be 500 times the lines. The
// names of apps are the only label with values that users choose, so an app has counters while a handset has it.

import HandsetCore
import Host
import Synchronization

/// The counter of committed events.
final class MetricsSink: CommitSink {
  /// The events that are counted for an app.
  enum Counted: Hashable {
    case accepted(PushType)
    case duplicate, presented, kept, arrived, delivered, repeated
    case notPresented(Event.NotPresented)
    case held(Event.Held)
    case discarded(Event.Discarded)
    case fault
    case local
    case completed(DeliveryResult)
    case timedOut
    case called
    case callEnded(Event.CallEnded)
  }

  struct Counts {
    /// The counts of the installed apps.
    fileprivate(set) var apps: [AppID: [Counted: Int]] = [:]
    /// The sounds that were played, by how they ended.
    fileprivate(set) var sounds: [String: Int] = [:]
    fileprivate(set) var deviceLosses = 0
    fileprivate(set) var commits = DurationHistogram()
    fileprivate(set) var inputs = 0
    /// The number of handsets that have each app.
    fileprivate var installations: [AppID: Int] = [:]
  }

  private let state: Mutex<Counts>

  /// - Parameter handsets: the handsets as they are stored.
  init(_ handsets: [LoadedHandset]) {
    var counts = Counts()
    for handset in handsets { for app in handset.contents.apps { counts.install(app.id) } }
    state = Mutex(counts)
  }

  var counts: Counts { state.withLock(\.self) }

  func publish(_ batch: CommittedBatch) {
    state.withLock { counts in
      if let waited = batch.waited { counts.commits.add(waited) }
      counts.inputs += batch.turns.count
      for item in batch.turns {
        for case .app(let id, let before, let after) in item.turn.changes {
          if before == nil && after != nil { counts.install(id) }
          if before != nil && after == nil { counts.uninstall(id) }
        }
        for event in item.turn.events { counts.count(event) }
      }
    }
  }
}

extension MetricsSink.Counts {
  fileprivate mutating func install(_ app: AppID) {
    installations[app, default: 0] += 1
    if apps[app] == nil { apps[app] = [:] }
  }

  fileprivate mutating func uninstall(_ app: AppID) {
    installations[app, default: 0] -= 1
    if installations[app, default: 0] <= 0 { (installations[app], apps[app]) = (nil, nil) }
  }

  fileprivate mutating func count(_ event: Event) {
    switch event.kind {
    case .driver(.soundEnded(_, let reason)):
      sounds[DriverReport.soundEndings.contains(reason) ? reason : "failed", default: 0] += 1
    case .driver(.deviceLost): deviceLosses += 1
    case .callEnded(let why, let count, _): add(.callEnded(why), to: event.app, count)
    default:
      if let counted = MetricsSink.Counted(event.kind) { add(counted, to: event.app, 1) }
    }
  }

  private mutating func add(_ counted: MetricsSink.Counted, to app: AppID?, _ count: Int) {
    guard let app else { return }
    apps[app]?[counted, default: 0] += count
  }
}

extension MetricsSink.Counted {
  fileprivate init?(_ kind: Event.Kind) {
    switch kind {
    case .accepted(let type): self = .accepted(type)
    case .duplicate: self = .duplicate
    case .presented: self = .presented
    case .notPresented(let why): self = .notPresented(why)
    case .kept: self = .kept
    case .arrived: self = .arrived
    case .held(let why): self = .held(why)
    case .discarded(let why, _): self = .discarded(why)
    case .delivered: self = .delivered
    case .repeated: self = .repeated
    case .ignored, .badBadge: self = .fault
    case .due: self = .local
    case .completed(let result, _): self = .completed(result)
    case .timedOut: self = .timedOut
    case .called: self = .called
    default: return nil
    }
  }

  /// The outcome of a push or a local notification, with its reason; nil for other events.
  var outcome: (name: String, reason: String)? {
    switch self {
    case .duplicate: ("duplicate", "")
    case .presented: ("presented", "")
    case .notPresented(let why): ("not-presented", why.reason.code)
    case .kept: ("kept", "")
    case .arrived: ("arrived", "")
    case .held(let why): ("held", why.reason.code)
    case .discarded(let why): ("discarded", why.reason.code)
    case .delivered: ("delivered", "")
    case .repeated: ("repeated", "")
    case .accepted, .fault, .local, .completed, .timedOut, .called, .callEnded: nil
    }
  }
}
