// What is not on disk when the power goes was never answered. The store writes the changes of a batch of turns in one
// transaction, so that the wait for the disk is shared by all pushes that wait, and reads them back at start.

import FoundationEssentials
import HandsetCore

/// What one input came to on one of the handsets.
public struct HandsetTurn: Sendable {
  public var handset: HandsetID
  public var turn: Turn

  public init(handset: HandsetID, turn: Turn) {
    self.handset = handset
    self.turn = turn
  }
}

/// The database in the state directory. It is used from one thread at a time and blocks that thread.
public final class HandsetStore {
  /// As given, without symbolic links.
  public var directory: String { state.path }

  let state: StateDirectory
  let database: SQLiteConnection
  let eventLimit: Int
  let refusedEventLimit: Int
  let databaseBytes: Int
  let encoder = JSONEncoder()
  let decoder = JSONDecoder()
  /// True if it has begun to give free pages back.
  var isGivingBack = false
  /// Apps of which rows are stored that `load` could not use. They must not come back with a new app of that name.
  var leftBehind: [HandsetID: Set<AppID>] = [:]
  /// As the handsets' rows have them, of the handsets that are in use.
  private var eventCounts: [HandsetID: EventCounts] = [:]
  /// Of the handsets of whose journal that part was full.
  var journalShares: [JournalPart: [HandsetID: JournalShares]] = [:]

  /// Opens `directory/deskbell.sqlite`, and makes both where they are missing (0700, 0600).
  /// - Throws: `StoreError.inUse` where another daemon has the directory, `.newer` and `.foreign` where the database is
  ///   not for this version, `.directory` and `.sqlite` where it cannot be opened.
  /// - Parameters:
  ///   - beginsEmpty: after the database was set aside; else a missing one beside the rest of an installation is damage.
  ///   - report: takes what is done to an older database before it is done, and what was not.
  public convenience init(
    directory: String, beginsEmpty: Bool = false, report: (StoreRewrite) -> Void = { _ in }
  ) throws(StoreError) {
    try self.init(
      directory: directory, beginsEmpty: beginsEmpty, eventLimit: Policy.eventLimit, migrations: Schema.migrations,
      report: report)
  }

  /// - Parameters:
  ///   - eventLimit: events that the journal keeps, refusals apart.
  ///   - refusedEventLimit: refusals that it keeps.
  ///   - databaseBytes: how large the database may get.
  init(
    directory: String, beginsEmpty: Bool = false, eventLimit: Int, refusedEventLimit: Int = Policy.refusedEventLimit,
    databaseBytes: Int = StoreLimits.databaseBytes,
    migrations: [Migration] = Schema.migrations, report: (StoreRewrite) -> Void = { _ in }
  ) throws(StoreError) {
    state = try StateDirectory(directory)
    if !beginsEmpty { try state.refuseMissingDatabase("\(state.path)/\(HandsetStore.fileName)") }
    let file = try state.privateFile(HandsetStore.fileName)
    // SQLite gives new ones the permissions of the database.
    for suffix in ["-wal", "-shm"] { try state.closeToOthers(HandsetStore.fileName + suffix) }
    try state.refuseNotedDamage(file)
    database = try SQLiteConnection(path: file, in: state)
    try database.prepareSchema(migrations, report)
    try database.bound(bytes: databaseBytes)
    self.eventLimit = eventLimit
    self.refusedEventLimit = refusedEventLimit
    self.databaseBytes = databaseBytes
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  public static let fileName = "deskbell.sqlite"
}

// MARK: - Handsets

extension HandsetStore {
  /// What the handset was made of when its last batch was stored. A row that cannot be read, and one whose app cannot
  /// be, is left out, reported, and left where it is.
  /// - Parameter afterBoot: whether the machine has started since the daemon last ran. A power cut may have taken events
  ///   that were read already, so numbering continues after those that were reserved.
  /// - Throws: `StoreError.damaged` where the handset's own record cannot be read, as without it numbers would be
  ///   given out twice.
  public func load(
    handset: HandsetID, afterBoot: Bool = false
  ) throws(StoreError) -> (contents: Handset.Contents, damage: [StoreDamage]) {
    var loading = HandsetLoading(handset: handset, database: database, decoder: decoder)
    try loading.readAll()
    leftBehind[handset] = loading.unreadableApps
    eventCounts[handset] = nil
    if afterBoot {
      loading.contents.record.nextEvent = max(loading.contents.record.nextEvent, try counts(of: handset).reserved)
    }
    return (loading.contents, loading.damage)
  }

  /// Stores the changes and events of all turns, or of none.
  ///
  /// A commit that is not durable may be lost in a power cut, after its events were read. Their numbers are not used
  /// again: each durable commit reserves some beyond its own, and one that would need more than are reserved is durable.
  /// - Parameters:
  ///   - turns: in the order in which they were taken, of as many handsets as there are.
  ///   - durable: true if to wait until it is on the disk. Drivers' reports and refusals need not be: they are on disk
  ///     with the next batch that is durable, or when the write-ahead log is full.
  ///   - positions: stored with the turns, also where these change nothing; the last of a consumer counts.
  /// - Throws: `StoreError.sqlite`; nothing is stored then, and the next commit may succeed, unless the database is
  ///   damaged: then the next `init` refuses it.
  public func commit(
    _ turns: [HandsetTurn], durable: Bool, positions: [StreamPosition] = []
  ) throws(StoreError) {
    do throws(StoreError) {
      try write(turns, positions, durable: durable)
    } catch {
      // What was added and dropped is rolled back.
      journalShares = [:]
      throw error
    }
  }

  private func write(
    _ turns: [HandsetTurn], _ positions: [StreamPosition], durable: Bool
  ) throws(StoreError) {
    // Before the first turn and after the last.
    var records: [HandsetID: (before: HandsetRecord, after: HandsetRecord)] = [:]
    var counts: [HandsetID: EventCounts] = [:]
    var hasChanges = !positions.isEmpty
    for item in turns {
      if counts[item.handset] == nil { counts[item.handset] = try self.counts(of: item.handset) }
      hasChanges = hasChanges || !item.turn.events.isEmpty
      for change in item.turn.changes {
        hasChanges = hasChanges || change.isStored
        guard case .record(let before, let after) = change else { continue }
        records[item.handset] = (records[item.handset]?.before ?? before, after)
      }
    }
    guard hasChanges else { return }
    let isDurable = durable || records.contains { $0.value.after.nextEvent > counts[$0.key]?.reserved ?? 0 }
    try database.setSynchronous(isDurable ? .full : .normal)
    // Where this fails, the next durable commit asks again before it begins.
    defer { try? database.setSynchronous(.full) }
    var purged: [AppAddress] = []
    let shortened = try database.transaction { () throws(StoreError) in
      // Before its first change and after its last: a badge that each of a hundred pushes sets is one row.
      var states: [AppAddress: (before: AppState, after: AppState)] = [:]
      for item in turns {
        try write(item.turn.changes, of: item.handset, &states, purging: &purged)
        try append(item.turn, of: item.handset, &counts[item.handset, default: EventCounts()])
      }
      for (address, state) in states {
        try writeState(address.app, before: state.before, after: state.after, of: address.handset)
      }
      for (handset, record) in records {
        var kept = counts[handset] ?? EventCounts()
        try trim(&kept, of: handset)
        if isDurable { kept.reserved = record.after.nextEvent + StoreLimits.reservedEvents }
        try writeRecord(before: record.before, after: record.after, kept, of: handset)
        counts[handset] = kept
      }
      for position in positions { try writePosition(position) }
      return try makeRoom()
    }
    eventCounts.merge(counts) { $1 }
    for handset in shortened { eventCounts[handset] = nil }
    for address in purged { leftBehind[address.handset]?.remove(address.app) }
  }

  func counts(of handset: HandsetID) throws(StoreError) -> EventCounts {
    if let counts = eventCounts[handset] { return counts }
    var counts =
      try database.first(
        "SELECT reserved_event, events, refused_events FROM handset WHERE handset = ?", [.integer(handset.number)]
      ) {
        EventCounts(reserved: UInt64(clamping: $0.integer(0)), events: $0.integer(1), refusals: $0.integer(2))
      } ?? EventCounts()
    counts.events = try count(counts.events, limit: eventLimit, in: .events, of: handset)
    counts.refusals = try count(counts.refusals, limit: refusedEventLimit, in: .refusals, of: handset)
    return counts
  }

  /// Ends the reservation of event numbers that no event has: all that was stored is on the disk when this returns, so
  /// the next start continues without a gap.
  public func releaseReservedEvents() throws(StoreError) {
    try database.run("UPDATE handset SET reserved_event = next_event WHERE reserved_event > next_event")
    eventCounts = [:]
  }

  /// Writes the write-ahead log into the database, where every page gets its checksum. After an orderly end another program
  /// finds nothing to write there, and a copy of the one file has everything.
  public func emptyLog() throws(StoreError) {
    try database.emptyLog()
  }

  /// Writes all but the handset's record.
  /// - Parameters:
  ///   - states: gets the changes of apps' states, which are written at the end of the batch.
  ///   - purged: gets the apps whose unusable rows are gone with it.
  private func write(
    _ changes: [Change], of handset: HandsetID,
    _ states: inout [AppAddress: (before: AppState, after: AppState)], purging purged: inout [AppAddress]
  ) throws(StoreError) {
    for change in changes {
      switch change {
      case .app(let id, let before, let after):
        if before == nil || after == nil, leftBehind[handset]?.contains(id) == true {
          try purge(id, of: handset)
          purged.append(AppAddress(id, on: handset))
        }
        if let state = states.removeValue(forKey: AppAddress(id, on: handset)) {
          try writeState(id, before: state.before, after: state.after, of: handset)
        }
        try writeApp(id, before: before, after: after, of: handset)
      case .appState(let id, let before, let after):
        let address = AppAddress(id, on: handset)
        states[address] = (states[address]?.before ?? before, after)
      case .token(let token, _, let after):
        try writeToken(token, after, of: handset)
      case .notification(let before, let after, let content):
        try writeNotification(before: before, after: after, content: content, of: handset)
      case .held(let app, _, let after, let payload):
        try writeHeld(app, after, payload: payload, of: handset)
      case .offered(let app, let before, let after, let payload):
        try writeOffer(app, before: before, after: after, payload: payload, of: handset)
      case .budget(let app, _, let after):
        try writeBudget(app, after, of: handset)
      case .kept(let app, _, let after):
        try writeKept(app, after, of: handset)
      case .recent(let before, let after):
        try writeRecent(before: before, after: after, of: handset)
      case .node(let id, _, let after, let published):
        try writeNode(id, after, published: published, of: handset)
      case .pending(let before, let after):
        try writePending(before: before, after: after, of: handset)
      case .call(let before, let after):
        try writeCall(before: before, after: after, of: handset)
      case .record, .listener, .banner, .lamp, .timeZone, .clockSkew, .soundedAgain, .selection:
        break
      }
    }
  }
}

extension Change {
  /// Connections and a banner are gone and a lamp begins anew when the daemon starts, and the edge says then how the
  /// clocks go.
  fileprivate var isStored: Bool {
    switch self {
    case .listener, .banner, .lamp, .timeZone, .clockSkew, .soundedAgain, .selection: false
    default: true
    }
  }
}
