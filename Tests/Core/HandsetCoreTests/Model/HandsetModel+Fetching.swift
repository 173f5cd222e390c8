// Rules S3, F1 and F4: what waits in the service, and what fetches it.

@testable import HandsetCore

/// A push that waits in the service.
struct ModelKept: Hashable {
  /// The node that it was published through; nil if it was sent to the app.
  var node: NodeID?
  /// The Live Activity that it is for, if it goes on.
  var activity: ActivityID?
  var push: Push
  var expires: WallTime
  /// Its place in the order of sending.
  var number: Int
}

extension HandsetModel {
  var isOffline: Bool { conditions.contains(.offline) }

  /// Keeps the push, the newest of the app or of the node (rule F1).
  mutating func keep(
    _ push: Push, _ place: Int, through node: NodeID? = nil, for activity: ActivityID? = nil, _ late: Bool = false
  ) {
    let id = apps[place].id
    let isOver = expiration(of: push) <= now.wall
    guard push.expiration != .once, late || !isOver else {
      return emit(.discarded(.notKept), id, push.id)
    }
    // Rule LA3.
    let older = apps[place].kept.first { activity != nil && $0.activity == activity }
    if let older = older?.push.activity, let update = push.activity, older.timestamp > update.timestamp {
      return emit(.discarded(.olderTimestamp), id, push.id)
    }
    let isUnreachable = late || isOffline || settings.fetchMode == .push
    dropKept(place, isUnreachable ? .replacedOffline : .replacedInService, newer: push.id) {
      $0.node == node && $0.activity == activity
    }
    startInterval()
    apps[place].kept.append(
      ModelKept(node: node, activity: activity, push: push, expires: expiration(of: push), number: nextNumber()))
    let why: Event.Kept =
      isUnreachable ? .offline : settings.fetchMode == .manual ? .manual : .fetchInterval
    emit(.kept(why), id, push.id)
    if isOver {
      dropKept(place, .expiredOffline) { $0.push.id == push.id && $0.node == node && $0.activity == activity }
    }
  }

  /// The interval of the first push that waits: the ones before it have passed without a fetch.
  private mutating func startInterval() {
    guard settings.fetchMode == .fetch, apps.allSatisfy(\.kept.isEmpty) else { return }
    let passed = (now.uptime - fetchStart.uptime).inMicroseconds / settings.fetchInterval.inMicroseconds
    guard passed >= 1 else { return }
    let begin = fetchStart.uptime + .microseconds(passed * settings.fetchInterval.inMicroseconds)
    fetchStart = Moment(uptime: begin, wall: now.wall.advanced(by: .zero - (now.uptime - begin)))
  }

  /// The end of the interval at which everything is fetched.
  var nextFetch: Duration? {
    guard settings.fetchMode == .fetch, !isOffline, apps.contains(where: { !$0.kept.isEmpty }) else { return nil }
    return fetchStart.uptime + settings.fetchInterval
  }

  mutating func dropKept(
    _ place: Int, _ why: Event.Discarded, newer: PushID? = nil, where matches: (ModelKept) -> Bool = { _ in true }
  ) {
    let dropped = apps[place].kept.filter(matches)
    apps[place].kept.removeAll(where: matches)
    for kept in dropped { emit(.discarded(why, newer: newer), apps[place].id, kept.push.id) }
  }

  /// Delivers everything that waits, if nothing keeps it any more.
  mutating func sendKept() {
    guard !isOffline else { return }
    if settings.fetchMode == .push { deliverKept(of: nil) } else { fetchIfDue() }
  }

  mutating func fetchIfDue() {
    guard let due = nextFetch, due <= now.uptime else { return }
    fetch(nil, .interval)
  }

  mutating func fetchByHand(_ id: AppID?) -> Refusal? {
    if let id, place(of: id) == nil { return .unknownApp(id) }
    if isOffline { return .offline }
    fetch(id, .byPerson)
    return nil
  }

  /// Fetches for an app that the person opens, if it can receive.
  mutating func fetchAsOpened(_ place: Int) {
    guard !isOffline, !apps[place].kept.isEmpty, isReachable(place) else { return }
    fetch(apps[place].id, .opened)
  }

  private mutating func fetch(_ id: AppID?, _ why: Event.Fetched) {
    let count = apps.filter { id == nil || $0.id == id }.reduce(0) { $0 + $1.kept.count }
    emit(.fetched(why, count: count), id, nil)
    deliverKept(of: id)
  }

  private mutating func deliverKept(of id: AppID?) {
    var waiting: [ModelKept] = []
    for place in apps.indices where id == nil || apps[place].id == id {
      waiting += apps[place].kept
      apps[place].kept = []
    }
    for kept in waiting.sorted(by: { $0.number < $1.number }) {
      guard let place = place(of: kept.push.topic) else { continue }
      emit(.arrived, kept.push.topic, kept.push.id)
      if let activity = kept.activity, let update = kept.push.activity {
        arriveForActivity(kept.push, update, place, activity)
      } else {
        arrive(kept.push, place)
      }
    }
  }
}
