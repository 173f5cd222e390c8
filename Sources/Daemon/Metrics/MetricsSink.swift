// The counts of each commit, summed over all handsets: with 500 of them, one each would be 500 times the lines. The
// names of apps are the only label with values that users choose, so an app has counters while a handset has it.

import HandsetCore
import Host
import Synchronization

final class MetricsSink: CommitSink {
  struct Counted: Equatable {
    enum Metric {
      case pushes, outcomes, faults, local, completions, calls
    }

    let metric: Metric
    /// The type, the outcome or the result; empty if the metric has no such label.
    let value: String
    /// The reason, or of pushes the status.
    let reason: String

    fileprivate init?(_ kind: Event.Kind) {
      switch kind {
      case .duplicate: self.init(.outcomes, "duplicate")
      case .presented: self.init(.outcomes, "presented")
      case .notPresented(let why): self.init(.outcomes, "not-presented", why.reason)
      case .kept: self.init(.outcomes, "kept")
      case .arrived: self.init(.outcomes, "arrived")
      case .held(let why): self.init(.outcomes, "held", why.reason)
      case .deferred(let why, _): self.init(.outcomes, "deferred", why.reason)
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

    fileprivate init(_ type: PushType, _ status: DeliveryStatus) {
      (metric, value, reason) = (.pushes, type.rawValue, status.label)
    }
  }

  /// Counters by label. An array: there are few labels, those of most pushes come first, and none is hashed.
  struct Tally<Label: Equatable & Sendable>: Sendable {
    private(set) var counters: [(label: Label, count: Int)] = []

    mutating func add(_ label: Label, _ count: Int = 1) {
      for index in counters.indices where counters[index].label == label {
        counters[index].count += count
        return
      }
      counters.append((label, count))
    }
  }

  struct Counts {
    private(set) var apps: [AppID: Tally<Counted>] = [:]
    /// The place of the last app in `apps`: the next event mostly has the same app. Nil after apps were added or
    /// removed.
    private var lastApp: (id: AppID, place: Dictionary<AppID, Tally<Counted>>.Index)?
    private(set) var sounds = Tally<String>()
    private(set) var deviceLosses = 0
    fileprivate(set) var commits = DurationHistogram()
    fileprivate(set) var inputs = 0
    private(set) var deliveries = DeliveryCounts()
    private var installations: [AppID: Int] = [:]

    fileprivate mutating func install(_ app: AppID) {
      installations[app, default: 0] += 1
      if apps[app] == nil { apps[app] = .init() }
      lastApp = nil
    }

    fileprivate mutating func uninstall(_ app: AppID) {
      installations[app, default: 0] -= 1
      if installations[app, default: 0] <= 0 { (installations[app], apps[app]) = (nil, nil) }
      lastApp = nil
    }

    fileprivate mutating func count(_ kind: Event.Kind, of app: AppID?) {
      switch kind {
      case .driver(.soundEnded(_, let reason)):
        sounds.add(DriverReport.soundEndings.contains(reason) ? reason : "failed")
      case .driver(.deviceLost): deviceLosses += 1
      default:
        switch kind.silenced {
        case .soundReplaced: sounds.add("replaced")
        case .speakerLost: sounds.add("failed")
        default: break
        }
        guard let app, let counted = Counted(kind), let place = place(of: app) else { return }
        var count = 1
        if case .callEnded(_, let calls, _) = kind { count = calls }
        apps.values[place].add(counted, count)
      }
    }

    /// Notes what a handset has stored from before the start.
    fileprivate mutating func load(_ handset: LoadedHandset) { deliveries.load(handset) }

    fileprivate mutating func forget(_ handset: HandsetID) { deliveries.forget(handset) }

    fileprivate mutating func begin(at now: Moment) { deliveries.begin(at: now) }

    /// Counts the statuses of pushes.
    fileprivate mutating func follow(
      _ kind: Event.Kind, _ app: AppID?, _ push: PushID?, on handset: HandsetID
    ) {
      let counts = deliveries.read(kind, app: app, push: push, on: handset)
      if let ended = counts.ended { add(ended) }
      if let own = counts.own { add(own) }
    }

    fileprivate mutating func end(on handset: HandsetID) {
      if let ended = deliveries.end(on: handset) { add(ended) }
    }

    private mutating func add(_ count: DeliveryCounts.Count) {
      guard let place = place(of: count.app) else { return }
      apps.values[place].add(Counted(count.type, count.status))
    }

    private mutating func place(of app: AppID) -> Dictionary<AppID, Tally<Counted>>.Index? {
      if let lastApp, lastApp.id == app { return lastApp.place }
      lastApp = apps.index(forKey: app).map { (app, $0) }
      return lastApp?.place
    }
  }

  private let state: Mutex<Counts>

  init(_ handsets: [LoadedHandset]) {
    var counts = Counts()
    for handset in handsets {
      for app in handset.contents.apps { counts.install(app.id) }
      counts.load(handset)
    }
    state = Mutex(counts)
  }

  var counts: Counts { state.withLock(\.self) }

  /// Forgets what handsets had stored.
  func forgetStored(on handsets: [HandsetID]) {
    state.withLock { counts in for handset in handsets { counts.forget(handset) } }
  }

  func publish(_ batch: CommittedBatch) {
    state.withLock { counts in
      if let waited = batch.waited { counts.commits.add(waited) }
      counts.inputs += batch.turns.count
      // By their places, since a turn copied out of the array is large.
      for turn in batch.turns.indices {
        for case .app(let id, let before, let after) in batch.turns[turn].turn.changes {
          if before == nil && after != nil { counts.install(id) }
          if before != nil && after == nil { counts.uninstall(id) }
        }
        let (events, handset) = (batch.turns[turn].turn.events, batch.turns[turn].handset)
        counts.begin(at: batch.turns[turn].turn.now)
        for index in events.indices {
          switch events[index].kind {
          // Each push has them, and no counter. Other kinds are copied.
          case .badge, .cleared, .refused: continue
          default:
            let kind = events[index].kind
            counts.count(kind, of: events[index].app)
            counts.follow(kind, events[index].app, events[index].push, on: handset)
          }
        }
        counts.end(on: handset)
      }
    }
  }
}
