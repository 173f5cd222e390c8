// Every gateway has the whole registry in memory. Names are many and few of them differ, so an entry has their numbers.

import FleetLink
import FoundationEssentials
import HandsetCore
import NATSClient
import Synchronization

/// Which desk has which device token.
final class FleetRegistry: Sendable {
  enum Limits {
    /// Of one desk. As many more may be gone.
    static let tokens = 20_000
    /// Of one desk: names of apps and handsets that no desk had before. They are kept until the gateway ends.
    static let names = 20_000
    /// Of one desk: claims, of tokens that are gone for good, too.
    static let claims = 100_000
    /// Milliseconds of a time that can be: until 2100.
    static let times: ClosedRange<Int64> = 0...4_102_444_800_000
  }

  /// Where a push to a token goes.
  enum Target: Equatable {
    case desk(HandsetAddress)
    case group(String, [HandsetAddress])
    case gone(since: WallTime, RegistryRecord.Gone)
  }

  /// A token of a desk. A group has its own table: they are few.
  private struct Entry {
    enum Standing {
      /// There is no record of it.
      case unknown
      case living, gone
    }

    var desk: UInt32
    var handset: UInt32 = 0
    var app: UInt32 = 0
    var standing = Standing.unknown
    var kind = RegistryRecord.Gone.unregistered
    /// True if the desk was the first to claim it. Then no other one can have it, in any order of messages.
    var isClaimed: Bool
    /// Milliseconds.
    var gone: Int64 = 0
  }

  private struct Count {
    var living = 0
    var gone = 0
    var claims = 0
    /// Names that it was the first to have.
    var names = 0
  }

  private struct State {
    var entries: [TokenKey: Entry] = [:]
    var groups: [TokenKey: (app: String, group: String, desks: [HandsetAddress])] = [:]
    var names: [String] = []
    var numbers: [String: UInt32] = [:]
    var isComplete = false
    /// Whether it is read at the moment.
    var isCurrent = false
    /// How many each desk has.
    var counts: [UInt32: Count] = [:]
    /// Desks of which it was said that they have too many.
    var full: Set<UInt32> = []

    /// Counts an entry, or one that is no more.
    mutating func count(_ entry: Entry, by step: Int) {
      switch entry.standing {
      case .unknown: break
      case .living: counts[entry.desk, default: Count()].living += step
      case .gone: counts[entry.desk, default: Count()].gone += step
      }
    }

    /// The number of a name that a desk has.
    mutating func number(of name: String, at desk: UInt32) -> UInt32 {
      if numbers[name] == nil { counts[desk, default: Count()].names += 1 }
      return number(of: name)
    }

    mutating func number(of name: String) -> UInt32 {
      if let number = numbers[name] { return number }
      let number = UInt32(names.count)
      names.append(name)
      numbers[name] = number
      return number
    }
  }

  /// Tokens of the other environment are as unknown here as they are at Apple's other service.
  private let environment: String
  private let state = Mutex(State())

  init(environment: String) {
    self.environment = environment
  }

  /// Whether everything was read that there is.
  var isComplete: Bool { state.withLock(\.isComplete) }

  /// Tokens of which there is a record.
  var count: Int {
    state.withLock { state in state.counts.values.reduce(state.groups.count) { $0 + $1.living + $1.gone } }
  }

  /// Whether what it does not know does not exist.
  var isCurrent: Bool { state.withLock(\.isCurrent) }

  func complete() { state.withLock { ($0.isComplete, $0.isCurrent) = (true, true) } }

  /// It cannot be read at the time: there may be tokens that it does not know.
  func lose() { state.withLock { $0.isCurrent = false } }

  /// Nil where nobody has the token.
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

  /// Takes a value of the bucket.
  /// - Returns: what is wrong with it; nil where nothing is.
  func take(_ message: NATSMessage) -> String? {
    let words = message.subject.split(separator: ".")
    guard words.count == 4 else { return nil }
    let desk = String(words[2])
    if let key = FleetNames.claimedKey(in: words[3]) { return takeClaim(message, key, of: desk) }
    if words[3].first == "_" { return nil }
    guard let key = TokenKey(hex: words[3]), FleetNames.isName(desk) || desk == FleetNames.groups else {
      return "it is no key of a token"
    }
    // An answer of the engine, which another desk could direct here, is no deletion.
    if message.isDeletion {
      remove(key, of: desk)
      return nil
    }
    guard message.fields["Status"] == nil else { return "it is an answer of the engine" }
    guard let record = try? JSONDecoder().decode(RegistryRecord.self, from: Data(message.payload)),
      AppID(record.app) != nil, record.gone.map(Limits.times.contains) ?? true
    else { return "it is no record of a token" }
    guard record.environment == environment else {
      remove(key, of: desk)
      return nil
    }
    return desk == FleetNames.groups ? takeGroup(record, key) : take(record, key, of: desk)
  }

  /// Forgets what other desks say of the token: they have not claimed it, or later. The owner announces its own record
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
      // Desks of version 0.7.0 claim nothing: a token that none has claimed stays with the first while it lives.
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
      let entry = Entry(
        desk: number, handset: state.number(of: handset, at: number), app: state.number(of: record.app, at: number),
        standing: standing, kind: record.kind ?? .unregistered, isClaimed: known?.isClaimed ?? false,
        gone: record.gone ?? 0)
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
      state.groups[key] =
        record.gone == nil
        ? (record.app, group, desks.map { HandsetAddress(desk: $0.desk, handset: $0.handset) }) : nil
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
    // Its desk alone may announce it again.
    state.entries[key] = known.isClaimed ? Entry(desk: desk, isClaimed: true) : nil
  }
}
