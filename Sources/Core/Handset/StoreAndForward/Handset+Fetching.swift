// Rules S3 and F4: the service's fetch mode, and what fetches the pushes that wait in it.

/// The times at which the service delivers pushes (rule S3) [2008].
public enum FetchMode: String, Hashable, Sendable, CaseIterable {
  case push
  case fetch
  case manual
}

extension Handset {
  /// The reason why the service keeps pushes now; nil if it delivers them at once.
  var reasonToWait: Event.Kept? {
    if record.conditions.contains(.offline) { return .offline }
    switch record.settings.fetchMode {
    case .push: return nil
    case .fetch: return .fetchInterval
    case .manual: return .manual
    }
  }

  /// The time on the uptime clock at which the interval ends that fetches what waits; nil if none will. It has passed
  /// if the handset was off then.
  public var fetchesAt: Duration? {
    slots.isEmpty || reasonToWait != .fetchInterval
      ? nil : record.fetchStart.uptime + record.settings.fetchInterval
  }

  /// Fetches what waits for an app, or for all if it is nil, by the person.
  mutating func fetch(_ id: AppID?, _ turn: inout Turn) -> Verdict {
    if let id, apps[id] == nil { return .refused(.unknownApp(id)) }
    guard !record.conditions.contains(.offline) else { return .refused(.offline) }
    fetch(slots.waiting(for: id), of: id, .byPerson, &turn)
    return .accepted
  }

  /// Fetches what waits for an app that the person opens. An app that has yet to connect fetches it then.
  mutating func fetchOnOpening(_ id: AppID, _ turn: inout Turn) {
    guard !slots.isEmpty, let app = apps[id], isReachable(app), !record.conditions.contains(.offline) else { return }
    let waiting = slots.waiting(for: id)
    if !waiting.isEmpty { fetch(waiting, of: id, .opened, &turn) }
  }

  /// Fetches everything at the end of an interval, also of one that ended while the handset was off or offline.
  mutating func fetchWhereDue(_ turn: inout Turn) {
    guard let due = fetchesAt, due <= turn.now.uptime else { return }
    fetch(slots.waiting(for: nil), of: nil, .interval, &turn)
  }

  private mutating func fetch(
    _ waiting: [WaitingPush], of app: AppID?, _ reason: Event.Fetched, _ turn: inout Turn
  ) {
    emit(.fetched(reason, count: waiting.count), app: app, &turn)
    forward(waiting, reason.ruling, &turn)
  }

  /// Delivers what waits, once the service reaches the handset again or the fetch mode has changed, if the fetch mode
  /// allows it.
  mutating func settleKept(_ turn: inout Turn) {
    guard !slots.isEmpty else { return }
    if reasonToWait == nil { forward(slots.waiting(for: nil), .online, &turn) } else { fetchWhereDue(&turn) }
  }

  /// Moves the start of the current interval past all that ended while nothing waited. Intervals are counted from the
  /// moment at which the person chose them.
  mutating func passFetchTimes(_ turn: inout Turn) {
    guard record.settings.fetchMode == .fetch else { return }
    let (start, length) = (record.fetchStart.uptime, record.settings.fetchInterval.inMicroseconds)
    let ended = (turn.now.uptime - start).inMicroseconds / length
    guard ended > 0 else { return }
    let last = start + .microseconds(ended * length)
    record.fetchStart = Moment(uptime: last, wall: turn.now.wall.advanced(by: last - turn.now.uptime))
  }
}
