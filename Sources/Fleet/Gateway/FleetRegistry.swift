import FleetLink
import FoundationEssentials
import HandsetCore
import NATSClient
import Synchronization

/// The desk of each device token. Every gateway has all of it in memory. Entries have numbers for names, as few differ.
final class FleetRegistry: Sendable {
  enum Limits {
    /// The current tokens of one desk. As many more may be gone.
    static let tokens = 20_000
    /// The names of apps and handsets that one desk was the first to use. They are kept until the gateway ends.
    static let names = 20_000
    /// The claims of one desk, including those of tokens that are gone for good.
    static let claims = 100_000
    /// The valid times in milliseconds: until 2100.
    static let times: ClosedRange<Int64> = 0...4_102_444_800_000
  }

  enum Target: Equatable {
    case desk(HandsetAddress)
    case group(String, [HandsetAddress])
    case gone(since: WallTime, RegistryRecord.Gone)
  }

  /// A token of a desk. Groups have a separate table, as there are few.
  private struct Entry {
    enum Standing {
      /// There is no record of the token.
      case unknown
      case living, gone
    }

    var desk: UInt32
    var handset: UInt32 = 0
    var app: UInt32 = 0
    var standing = Standing.unknown
    var kind = RegistryRecord.Gone.unregistered
    /// True if the desk was the first to claim it. Then no other desk can have it, in any order of messages.
    var isClaimed: Bool
    /// The time in milliseconds.
    var gone: Int64 = 0
  }

  private struct Count {
    var living = 0
    var gone = 0
    var claims = 0
    var names = 0
  }

  private struct State {
    var entries: [TokenKey: Entry] = [:]
    var groups: [TokenKey: (app: String, group: String, desks: [HandsetAddress])] = [:]
    var names: [String] = []
    var numbers: [String: UInt32] = [:]
    var isComplete = false
    /// True while it is read and up to date.
    var isCurrent = false
    var counts: [UInt32: Count] = [:]
    /// The apps with broadcasts of each desk.
    var broadcastApps: [String: Set<String>] = [:]
    /// The desks for which an excess was reported.
    var full: Set<UInt32> = []

    mutating func count(_ entry: Entry, by step: Int) {
      switch entry.standing {
      case .unknown: break
      case .living: counts[entry.desk, default: Count()].living += step
      case .gone: counts[entry.desk, default: Count()].gone += step
      }
    }

    mutating func number(of name: String) -> UInt32 {
      if let number = numbers[name] { return number }
      let number = UInt32(names.count)
      names.append(name)
      numbers[name] = number
      return number
    }
  }

  /// Tokens of the other environment are unknown here, as they are at Apple's other service.
  private let environment: String
  private let state = Mutex(State())

  init(environment: String) {
    self.environment = environment
  }

  var isComplete: Bool { state.withLock(\.isComplete) }

  /// The number of tokens that have a record.
  var count: Int {
    state.withLock { state in state.counts.values.reduce(state.groups.count) { $0 + $1.living + $1.gone } }
  }

  /// True if tokens that are not in the registry do not exist.
  var isCurrent: Bool { state.withLock(\.isCurrent) }

  func complete() { state.withLock { ($0.isComplete, $0.isCurrent) = (true, true) } }

  /// Notes that the registry cannot be read at the moment: unknown tokens may exist.
  func lose() { state.withLock { $0.isCurrent = false } }

  func target(of token: DeviceToken) -> (app: String, target: Target)? {
    let key = TokenKey(token)
    return state.withLock { state in
      if let group = state.groups[key] { return (group.app, .group(group.group, group.desks)) }
      guard let entry = state.entries[key] else { return nil }
      let names = state.names
      let name = { (number: UInt32) in names[Int(number)] }
      switch entry.standing {
      case .unknown: return nil
      case .living:
        return (name(entry.app), .desk(HandsetAddress(desk: name(entry.desk), handset: name(entry.handset))))
      case .gone: return (name(entry.app), .gone(since: WallTime(microseconds: entry.gone * 1_000), entry.kind))
      }
    }
  }

  /// Reads a value of the bucket.
  /// - Returns: the error in it; nil if there is none.
  func take(_ message: NATSMessage) -> String? {
    let words = message.subject.split(separator: ".")
    guard words.count == 4 else { return nil }
    let desk = String(words[2])
    if let key = FleetNames.claimedKey(in: words[3]) { return takeClaim(message, key, of: desk) }
    if words[3] == FleetNames.appsWord { return takeApps(message, of: desk) }
    if words[3].first == "_" { return nil }
    guard let key = TokenKey(hex: words[3]), FleetNames.isName(desk) || desk == FleetNames.groups else {
      return "it is no key of a token"
    }
    // An answer of the servers, which another desk could direct here, is not a deletion.
    if message.isDeletion {
      remove(key, of: desk)
      return nil
    }
    guard message.fields["Status"] == nil else { return "it is an answer of the servers" }
    guard let record = try? JSONDecoder().decode(RegistryRecord.self, from: Data(message.payload)),
      AppID(record.app) != nil, record.gone.map(Limits.times.contains) ?? true
    else { return "it is no record of a token" }
    guard record.environment == environment else {
      remove(key, of: desk)
      return nil
    }
    return desk == FleetNames.groups ? takeGroup(record, key) : take(record, key, of: desk)
  }

  /// Returns the desks with an app of that identifier that takes broadcasts.
  func desks(withBroadcastsOf app: AppID) -> [String] {
    state.withLock { $0.broadcastApps.filter { $0.value.contains(app.text) }.keys.sorted() }
  }

  private func takeApps(_ message: NATSMessage, of desk: String) -> String? {
    guard FleetNames.isName(desk), message.fields["Status"] == nil else { return "it is no list of a desk's apps" }
    let list = message.isDeletion ? nil : try? JSONDecoder().decode(BroadcastApps.self, from: Data(message.payload))
    guard message.isDeletion || list != nil else { return "it is no list of a desk's apps" }
    let isOurs = list?.environment == environment && list?.broadcast.isEmpty == false
    state.withLock { $0.broadcastApps[desk] = isOurs ? Set(list?.broadcast ?? []) : nil }
    return nil
  }

  /// Discards other desks' records of the token, whose claims are missing or later. The owner announces its own record
  /// after its claim.
  private func takeClaim(_ message: NATSMessage, _ key: TokenKey, of desk: String) -> String? {
    let isOwner = FleetNames.isName(desk) || desk == FleetNames.groups
    guard isOwner, !message.isDeletion, message.fields["Status"] == nil else {
      return "it is no claim of a token"
    }
    return state.withLock { state in
      let number = state.number(of: desk)
      if let known = state.entries[key], known.isClaimed {
        return known.desk == number ? nil : "it is \(state.names[Int(known.desk)])'s already"
      }
      guard state.counts[number, default: Count()].claims < Limits.claims else {
        let isNews = state.full.insert(number).inserted
        return isNews ? "desk \(desk) has more than \(Limits.claims) claims" : nil
      }
      state.counts[number, default: Count()].claims += 1
      if let known = state.entries[key], known.desk != number { remove(key, of: known.desk, &state) }
      state.entries[key, default: Entry(desk: number, isClaimed: true)].isClaimed = true
      return nil
    }
  }

  private func take(_ record: RegistryRecord, _ key: TokenKey, of desk: String) -> String? {
    // A name becomes a word of a subject.
    guard let handset = record.handset, FleetNames.isName(handset) else { return "it names no handset" }
    let standing = record.gone == nil ? Entry.Standing.living : .gone
    return state.withLock { state in
      let number = state.number(of: desk)
      let known = state.entries[key]
      // An unclaimed token, of a desk with too many claims, remains with the first desk while it is current.
      if let known, known.desk != number, known.isClaimed || known.standing == .living {
        return "it is \(state.names[Int(known.desk)])'s already"
      }
      let count = state.counts[number, default: Count()]
      let isOneMore = known.map { $0.desk != number || $0.standing != standing } ?? true
      let isNamed = state.numbers[handset] != nil && state.numbers[record.app] != nil
      let hasPlace = !isOneMore || (standing == .living ? count.living : count.gone) < Limits.tokens
      guard hasPlace, isNamed || count.names < Limits.names else {
        remove(key, of: number, &state)
        let isNews = state.full.insert(number).inserted
        return isNews ? "desk \(desk) has more than \(Limits.tokens) tokens, or names of apps and handsets" : nil
      }
      let nameCount = state.names.count
      let entry = Entry(
        desk: number, handset: state.number(of: handset), app: state.number(of: record.app), standing: standing,
        kind: record.kind ?? .unregistered, isClaimed: known?.isClaimed ?? false, gone: record.gone ?? 0)
      state.counts[number, default: Count()].names += state.names.count - nameCount
      if let known { state.count(known, by: -1) }
      state.count(entry, by: 1)
      state.entries[key] = entry
      return nil
    }
  }

  private func takeGroup(_ record: RegistryRecord, _ key: TokenKey) -> String? {
    guard let group = record.group, let desks = record.desks,
      desks.allSatisfy({ FleetNames.isName($0.desk) && $0.handset.map(FleetNames.isName) ?? true })
    else { return "it names no desks" }
    state.withLock { state in
      state.groups[key] = record.gone == nil ? (record.app, group, desks) : nil
    }
    return nil
  }

  private func remove(_ key: TokenKey, of desk: String) {
    state.withLock { state in
      if desk == FleetNames.groups {
        state.groups[key] = nil
      } else if let number = state.numbers[desk] {
        remove(key, of: number, &state)
      }
    }
  }

  private func remove(_ key: TokenKey, of desk: UInt32, _ state: inout State) {
    guard let known = state.entries[key], known.desk == desk else { return }
    state.count(known, by: -1)
    // Only its desk may announce it again.
    state.entries[key] = known.isClaimed ? Entry(desk: desk, isClaimed: true) : nil
  }
}
