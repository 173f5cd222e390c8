// The counts of each commit, summed over all handsets: with 500 of them, one each would be 500 times the lines. The
// names of apps are the only label with values that users choose, so an app has counters while a handset has it.

import HandsetCore
import Host
import Synchronization

/// The counter of committed events.
final class MetricsSink: CommitSink {
  /// A counter of an app.
  struct Counted: Hashable {
    /// The metrics that have counters of apps.
    enum Metric {
      case pushes, outcomes, faults, local, completions, calls
    }

    let metric: Metric
    /// The type, the outcome or the result; empty if the metric has no such label.
    let value: String
    let reason: String
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
    default:
      switch event.kind.silenced {
      case .soundReplaced: sounds["replaced", default: 0] += 1
      case .speakerLost: sounds["failed", default: 0] += 1
      default: break
      }
      guard let app = event.app, let counted = MetricsSink.Counted(event.kind) else { return }
      var count = 1
      if case .callEnded(_, let calls, _) = event.kind { count = calls }
      apps[app]?[counted, default: 0] += count
    }
  }
}

extension MetricsSink.Counted {
  fileprivate init?(_ kind: Event.Kind) {
    switch kind {
    case .accepted(let type): self.init(.pushes, type.rawValue)
    case .duplicate: self.init(.outcomes, "duplicate")
    case .presented: self.init(.outcomes, "presented")
    case .notPresented(let why): self.init(.outcomes, "not-presented", why.reason)
    case .kept: self.init(.outcomes, "kept")
    case .arrived: self.init(.outcomes, "arrived")
    case .held(let why): self.init(.outcomes, "held", why.reason)
    case .discarded(let why, _): self.init(.outcomes, "discarded", why.reason)
    case .delivered: self.init(.outcomes, "delivered")
    case .repeated: self.init(.outcomes, "repeated")
    case .ignored, .badBadge: self.init(.faults)
    case .due: self.init(.local)
    case .completed(.newData, _): self.init(.completions, "new-data")
    case .completed(.noData, _): self.init(.completions, "no-data")
    case .completed(.failed, _): self.init(.completions, "failed")
    case .timedOut: self.init(.completions, "timed-out")
    case .called: self.init(.calls, "delivered")
    case .callEnded(let why, _, _): self.init(.calls, why.reason.code)
    default: return nil
    }
  }

  private init(_ metric: Metric, _ value: String = "", _ why: Why? = nil) {
    (self.metric, self.value, reason) = (metric, value, why?.code ?? "")
  }
}
