/// The remembered numbers of a push whose provider chose its identifier. A provider that got no answer sends its push
/// again, and the handset recognises the same push by them (rule P1).
public struct RecentPush: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id = "push"
    case digest, number, moment, app
  }

  public var id: PushID
  /// A digest of its device token, or of a broadcast's channel, and its payload, the same after a restart.
  public var digest: UInt64
  /// The number of its `accepted` event: ascending in the order of arrival.
  public var number: UInt64
  /// The time at which it was accepted, in whole microseconds.
  public var moment: Moment
  /// A digest of its app, whose share of the places it takes; nil if it is unknown.
  public var app: UInt32?

  public init(id: PushID, digest: UInt64, number: UInt64, moment: Moment, app: UInt32?) {
    self.id = id
    self.digest = digest
    self.number = number
    self.moment = moment
    self.app = app
  }

  /// Returns true if the same push has come within the hour (rule P1).
  /// - Parameter others: the remembered ones with its identifier.
  func isDuplicate(of others: [RecentPush], at now: Moment) -> Bool {
    others.contains { $0.digest == digest && $0.counts(at: now.uptime) }
  }

  /// Returns true if its hour is not over at that uptime. A start converts the hour over a boot.
  fileprivate func counts(at uptime: Duration) -> Bool { uptime - moment.uptime < Policy.duplicateWindow }
}

extension Push {
  /// Returns its numbers to remember; nil for a push that cannot come again, because Deskbell made its identifier.
  func remembered(number: UInt64, at now: Moment) -> RecentPush? {
    guard hasProviderID, let token else { return nil }
    return remembered(to: token.bytes[...], number, now)
  }

  /// The same for a broadcast on a channel.
  func remembered(on channel: ChannelID, number: UInt64, at now: Moment) -> RecentPush? {
    hasProviderID ? remembered(to: Array(channel.text.utf8)[...], number, now) : nil
  }

  private func remembered(to address: ArraySlice<UInt8>, _ number: UInt64, _ now: Moment) -> RecentPush {
    var digest = Digest()
    digest.add(address)
    digest.add(payload[...])
    var app = Digest()
    for byte in topic.text.utf8 { app.add(UInt64(byte)) }
    return RecentPush(
      id: id, digest: digest.value, number: number, moment: now.inWholeMicroseconds,
      app: UInt32(truncatingIfNeeded: app.value))
  }
}

/// A 64-bit hash of byte strings, not cryptographic: a sender who constructs a collision only loses its own push.
struct Digest {
  private(set) var value: UInt64 = 0x243F_6A88_85A3_08D3

  /// Adds eight bytes at a time, the last ones filled up with zeros. The length comes first, so that "ab" and "c"
  /// differ from "a" and "bc".
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    add(UInt64(bytes.count))
    bytes.withUnsafeBytes { bytes in
      let wholeWords = bytes.count & ~7
      for place in stride(from: 0, to: wholeWords, by: 8) {
        add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      }
      guard wholeWords < bytes.count else { return }
      add(bytes[wholeWords...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  /// Adds a word. Each step is invertible, so different values stay different.
  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 32
  }
}

/// All remembered pushes, by identifier, by age, and by age for each app.
struct RecentPushes: Sendable, Equatable {
  /// In ascending order of their numbers.
  private(set) var byID: [PushID: [RecentPush]] = [:]
  private(set) var order = SortedSet<Place>()
  /// The places of each app; none is empty.
  private(set) var apps: [UInt32?: SortedSet<Place>] = [:]
  private(set) var sizes = SortedSet<Size>()

  /// A remembered push in the order of arrival.
  struct Place: Comparable, Sendable {
    var number: UInt64
    var id: PushID

    static func < (left: Place, right: Place) -> Bool { left.number < right.number }
  }

  /// The number of remembered pushes of an app.
  struct Size: Comparable, Sendable {
    var count: Int
    var app: UInt32?

    static func < (left: Size, right: Size) -> Bool { left.key < right.key }

    private var key: (Int, Int64) { (count, app.map { Int64($0) } ?? -1) }
  }

  init(_ pushes: [RecentPush] = []) {
    byID.reserveCapacity(pushes.count)
    for push in pushes {
      let place = Place(number: push.number, id: push.id)
      order.insert(place)
      apps[push.app, default: SortedSet()].insert(place)
      byID[push.id, default: []].insert(inOrder: push)
    }
    for (app, places) in apps { sizes.insert(Size(count: places.count, app: app)) }
  }

  var count: Int { order.count }

  fileprivate var oldest: RecentPush? { order.first.flatMap(at) }

  /// The push to forget if all places are taken: the oldest of the app that has most.
  fileprivate var leastNeeded: RecentPush? {
    // It may be the new one if no app has two.
    guard let most = sizes.last, most.count > 1 else { return oldest }
    return apps[most.app]?.first.flatMap(at)
  }

  private func at(_ place: Place) -> RecentPush? { byID[place.id]?.first { $0.number == place.number } }

  /// Oldest first.
  subscript(id: PushID) -> [RecentPush] { byID[id] ?? [] }

  /// Oldest first.
  var all: [RecentPush] { order.compactMap(at) }

  mutating func replace(_ old: RecentPush?, with new: RecentPush?) {
    if let old {
      order.remove(Place(number: old.number, id: old.id))
      change(old.app) { $0.remove(Place(number: old.number, id: old.id)) }
      byID[old.id]?.removeAll { $0.number == old.number }
      if byID[old.id]?.isEmpty == true { byID[old.id] = nil }
    }
    if let new {
      order.insert(Place(number: new.number, id: new.id))
      change(new.app) { $0.insert(Place(number: new.number, id: new.id)) }
      byID[new.id, default: []].insert(inOrder: new)
    }
  }

  private mutating func change(_ app: UInt32?, _ body: (inout SortedSet<Place>) -> Bool) {
    let (before, after) = apps[app, default: SortedSet()].change(body)
    if after == 0 { apps[app] = nil }
    if before > 0 { sizes.remove(Size(count: before, app: app)) }
    if after > 0 { sizes.insert(Size(count: after, app: app)) }
  }
}

extension [RecentPush] {
  fileprivate mutating func insert(inOrder push: RecentPush) {
    // Almost every push is the newest.
    if let later = firstIndex(where: { $0.number > push.number }) { insert(push, at: later) } else { append(push) }
  }
}

extension SortedSet {
  /// Makes a change, and returns the counts before and after it.
  fileprivate mutating func change(_ body: (inout Self) -> Bool) -> (before: Int, after: Int) {
    let before = count
    _ = body(&self)
    return (before, count)
  }
}

extension Handset {
  /// Remembers a new push, and forgets pushes that are too old or above the limit: at most two, so that every push
  /// costs the same.
  /// - Parameter others: the remembered ones with its identifier, oldest first.
  mutating func remember(_ push: RecentPush, besides others: [RecentPush], of app: AppID, _ turn: inout Turn) {
    if others.contains(where: { $0.counts(at: turn.now.uptime) }) {
      turn.rule(.reusedID, on: push.id)
      emit(.reusedID, app: app, push: push.id, &turn)
    }
    let isFull = others.count >= Policy.recentPushLimitPerID
    let leastNeeded = isFull ? others.first { !$0.counts(at: turn.now.uptime) } ?? others.first : nil
    let replaced = others.first { $0.digest == push.digest } ?? leastNeeded
    commit(.recent(before: replaced, after: push), &turn)
    for _ in 0..<Policy.recentPushesForgottenAtOnce {
      let tooOld = recent.oldest.flatMap { $0.counts(at: turn.now.uptime) ? nil : $0 }
      guard let forgotten = tooOld ?? (recent.count > Policy.recentPushLimit ? recent.leastNeeded : nil) else { return }
      commit(.recent(before: forgotten, after: nil), &turn)
    }
  }

  /// Forgets pushes whose hour is over, after a start, and continues the hour of the others. An hour that was over when
  /// the newest push came stays over, whether or not `remember` has already forgotten that push.
  mutating func carryRecentPushesOver(_ start: Start, _ turn: inout Turn) {
    // Mostly none changes: they are put in order only if one does.
    let newest = recent.byID.values.joined().lazy.map(\.moment.uptime).max() ?? .zero
    var changes: [(before: RecentPush, after: RecentPush?)] = []
    for before in recent.byID.values.joined() {
      var after = before
      after.moment = before.moment.afterStart(start, at: turn.now)
      if !before.counts(at: newest) || !after.counts(at: turn.now.uptime) {
        changes.append((before, nil))
      } else if after.moment != before.moment {
        changes.append((before, after))
      }
    }
    changes.sort { $0.before.number < $1.before.number }
    for change in changes { commit(.recent(before: change.before, after: change.after), &turn) }
  }
}
