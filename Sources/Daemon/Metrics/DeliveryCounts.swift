// The statuses of pushes as Apple's console counts them: each push once as received, once for each time that it is
// stored, and once for its end. The events of a push have its type only at its arrival, so the types of stored pushes
// are kept; there are no more of them than handsets have slots.

import HandsetCore
import Host

struct DeliveryCounts: Sendable {
  /// The number of days that are kept, as in Apple's console.
  static let dayLimit = 30

  /// The counts of one day of the handsets' clock, UTC.
  struct Day: Sendable {
    /// In days since 1970.
    let number: Int64
    /// At most one for each type and status, in the order of their first pushes.
    fileprivate(set) var counts = MetricsSink.Tally<Kind>()

    struct Kind: Equatable, Sendable {
      var type: PushType
      var status: DeliveryStatus
    }
  }

  /// A status of a push that counts now.
  struct Count {
    var app: AppID
    var type: PushType
    var status: DeliveryStatus
  }

  /// A push whose step in this turn is not final: a later event of the turn may outrank it.
  private struct Current {
    var push: PushID
    var app: AppID
    var type: PushType
    var isFromStorage: Bool
    var step: DeliveryStep?
  }

  private struct Key: Hashable {
    var handset: HandsetID
    var push: PushID
  }

  private struct Stored {
    var app: AppID
    var type: PushType
  }

  /// Oldest first, of the days on which a push had a status.
  private(set) var days: [Day] = []
  private var today: Int64 = 0
  private var stored: [Key: Stored] = [:]
  private var current: Current?

  /// Notes what a handset has stored from before the start.
  mutating func load(_ handset: LoadedHandset) {
    let waiting =
      handset.contents.kept.map { ($0.key.app, $0.value.push) }
      + handset.contents.deferred.filter { $0.reason == .lowPower }.map { ($0.push.topic, $0.push) }
    for (app, push) in waiting {
      stored[Key(handset: handset.id, push: push.id)] = Stored(app: app, type: push.type)
    }
    for (app, held) in handset.contents.held {
      guard let type = held.type else { continue }
      stored[Key(handset: handset.id, push: held.push)] = Stored(app: app, type: type)
    }
  }

  /// Forgets what a handset had stored: a test bench begins anew, and no event tells what becomes of it.
  mutating func forget(_ handset: HandsetID) { stored = stored.filter { $0.key.handset != handset } }

  mutating func begin(at now: Moment) { today = now.wall.microseconds / 86_400_000_000 }

  /// Reads the next event of a turn.
  /// - Returns: what is counted: the end of another push, and what the event itself decides.
  mutating func read(
    _ kind: Event.Kind, app: AppID?, push: PushID?, on handset: HandsetID
  ) -> (ended: Count?, own: Count?) {
    if case .accepted(let type, _) = kind, let app, let push {
      let ended = end(on: handset)
      current = Current(push: push, app: app, type: type, isFromStorage: false, step: nil)
      return (ended, add(Count(app: app, type: type, status: .received)))
    }
    guard let push else { return (nil, nil) }
    if case .arrived = kind {
      let ended = end(on: handset)
      if let old = stored.removeValue(forKey: Key(handset: handset, push: push)) {
        current = Current(push: push, app: old.app, type: old.type, isFromStorage: true, step: nil)
      }
      return (ended, nil)
    }
    guard let step = kind.deliveryStep else { return (nil, nil) }
    if let known = current, known.push == push {
      if known.step.map({ step.outranks($0) }) ?? true { current?.step = step }
    } else if !stored.isEmpty, let old = stored.removeValue(forKey: Key(handset: handset, push: push)) {
      let old = Current(push: push, app: old.app, type: old.type, isFromStorage: true, step: step)
      return (nil, settle(old, on: handset))
    }
    return (nil, nil)
  }

  /// Ends a turn, or the events of its current push.
  mutating func end(on handset: HandsetID) -> Count? {
    guard let done = current else { return nil }
    current = nil
    return settle(done, on: handset)
  }

  private mutating func settle(_ push: Current, on handset: HandsetID) -> Count? {
    guard let step = push.step else { return nil }
    if step.stores { stored[Key(handset: handset, push: push.push)] = Stored(app: push.app, type: push.type) }
    return step.status(fromStorage: push.isFromStorage).map {
      add(Count(app: push.app, type: push.type, status: $0))
    }
  }

  private mutating func add(_ count: Count) -> Count {
    if days.last?.number != today { turnToday() }
    days[days.count - 1].counts.add(Day.Kind(type: count.type, status: count.status))
    return count
  }

  /// Makes today's counts the last ones. The clock may have been set back.
  private mutating func turnToday() {
    if let known = days.firstIndex(where: { $0.number == today }) {
      days.append(days.remove(at: known))
    } else {
      if days.count == DeliveryCounts.dayLimit { days.removeFirst() }
      days.append(Day(number: today))
    }
  }
}
