import FoundationEssentials
import HandsetCore

public struct HandsetTurn: Sendable {
  public var handset: HandsetID
  public var turn: Turn

  public init(handset: HandsetID, turn: Turn) {
    self.handset = handset
    self.turn = turn
  }
}

/// The database in the state directory. It writes the changes of a batch of turns in one transaction, so that all
/// waiting pushes share the wait for the disk, and reads them back at start. The rows of a small batch are written into
/// their tables later (`LateCommits`). It is used from one thread at a time and blocks that thread.
public final class HandsetStore {
  /// The directory as given, without symbolic links.
  public var directory: String { state.path }

  let state: StateDirectory
  let database: SQLiteConnection
  let eventLimit: Int
  let refusedEventLimit: Int
  let databaseBytes: Int
  let encoder = JSONEncoder()
  let decoder = JSONDecoder()
  /// The small commits whose rows are not in their tables yet.
  var late: LateCommits
  /// The limit of their pages; 0 if no commit is late.
  let latePages: Int64
  /// The statements of the late commit that is being collected; nil if statements are run at once.
  var collected: [UInt8]?
  /// The number of the next commits that are not late.
  var directCommits = 0
  /// True if it has begun to give free pages back.
  var isGivingBack = false
  /// The handsets whose notifications are not loaded yet.
  private var loading: [HandsetID: HandsetLoading] = [:]
  /// Apps with stored rows that `load` could not use. Such rows must not come back with a new app of that name.
  var leftBehind: [HandsetID: Set<AppID>] = [:]
  /// The handsets of which everything could be loaded.
  var isLoadedWhole: Set<HandsetID> = []
  /// The numbers of the packs of notifications; nil if they are to be read.
  var packs: Set<Int64>?
  /// The counts in the handsets' rows, for the handsets that are in use.
  private var eventCounts: [HandsetID: EventCounts] = [:]
  /// The shares of the handsets whose journal was full in that part.
  var journalShares: [JournalPart: [HandsetID: JournalShares]] = [:]

  /// Opens `directory/deskbell.sqlite`, and makes both if they are missing (0700, 0600).
  /// - Throws: `StoreError.inUse` if another daemon has the directory, `.older`, `.newer` and `.foreign` if the database
  ///   is not for this version, `.directory` and `.sqlite` if it cannot be opened.
  /// - Parameter beginsEmpty: true after the database was set aside; else a missing one beside an installation's files
  ///   is damage.
  public convenience init(directory: String, beginsEmpty: Bool = false) throws(StoreError) {
    try self.init(directory: directory, beginsEmpty: beginsEmpty, eventLimit: Policy.eventLimit)
  }

  /// - Parameter eventLimit: without refusals.
  init(
    directory: String, beginsEmpty: Bool = false, eventLimit: Int, refusedEventLimit: Int = Policy.refusedEventLimit,
    databaseBytes: Int = StoreLimits.databaseBytes, latePages: Int64 = StoreLimits.latePages,
    migrations: [Migration] = Schema.migrations
  ) throws(StoreError) {
    state = try StateDirectory(directory)
    if !beginsEmpty { try state.refuseMissingDatabase("\(state.path)/\(HandsetStore.fileName)") }
    let file = try state.privateFile(HandsetStore.fileName)
    // SQLite gives new ones the permissions of the database.
    for suffix in ["-wal", "-shm"] { try state.closeToOthers(HandsetStore.fileName + suffix) }
    try state.refuseNotedDamage(file)
    database = try SQLiteConnection(path: file, in: state)
    try database.prepareSchema(migrations)
    try database.bound(bytes: databaseBytes)
    late = try database.openLate()
    self.latePages = latePages
    self.eventLimit = eventLimit
    self.refusedEventLimit = refusedEventLimit
    self.databaseBytes = databaseBytes
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  public static let fileName = "deskbell.sqlite"

  // MARK: - Handsets

  /// Returns the handset as its last stored batch left it. A row that cannot be read, or whose app cannot, is left out,
  /// reported, and left in the database.
  /// - Parameter afterBoot: true if the machine has started since the daemon last ran. A power cut may have taken
  ///   events that were read already, so numbering continues after the reserved numbers.
  /// - Throws: `StoreError.damaged` if the handset's own record cannot be read, because without it numbers would be
  ///   given out twice.
  public func load(
    handset: HandsetID, afterBoot: Bool = false
  ) throws(StoreError) -> (contents: Handset.Contents, damage: [StoreDamage]) {
    var (contents, damage) = try loadFirst(handset: handset, afterBoot: afterBoot)
    if let rest = try loadNotifications(of: handset) {
      contents.notifications = rest.notifications
      damage += rest.damage
    }
    return (contents, damage)
  }

  /// The same without the notifications, for which `loadNotifications` must be called before the first commit.
  public func loadFirst(
    handset: HandsetID, afterBoot: Bool = false
  ) throws(StoreError) -> (contents: Handset.Contents, damage: [StoreDamage]) {
    try completeTables()
    var loading = HandsetLoading(handset: handset, database: database, decoder: decoder)
    try loading.readAllButNotifications()
    eventCounts[handset] = nil
    if afterBoot {
      loading.contents.record.nextEvent = max(loading.contents.record.nextEvent, try counts(of: handset).reserved)
    }
    self.loading[handset] = loading
    return (loading.contents, loading.damage)
  }

  /// Returns the notifications of a handset of which `loadFirst` has returned the rest; nil if there is none such.
  public func loadNotifications(
    of handset: HandsetID
  ) throws(StoreError) -> (notifications: SortedSet<Notification>, damage: [StoreDamage])? {
    guard var loading = loading.removeValue(forKey: handset) else { return nil }
    let known = loading.damage.count
    try loading.readRest()
    leftBehind[handset] = loading.unreadableApps
    if loading.damage.isEmpty { isLoadedWhole.insert(handset) } else { isLoadedWhole.remove(handset) }
    return (loading.contents.notifications, Array(loading.damage[known...]))
  }

  /// Stores the changes and events of all turns, or of none.
  /// A commit that is not durable may be lost in a power cut, after its events were read. Their numbers are not used
  /// again: each durable commit reserves some beyond its own, and a commit that needs more than are reserved is
  /// durable.
  /// - Parameters:
  ///   - turns: in the order in which they were taken, of any number of handsets.
  ///   - durable: true waits until it is on the disk. Drivers' reports and refusals need not wait: they are on disk
  ///     with the next durable batch, or when the write-ahead log is full.
  ///   - positions: stored with the turns, even if these change nothing; the last position of a consumer counts.
  /// - Throws: `StoreError.sqlite`; nothing is stored then, and the next commit may succeed, unless the database is
  ///   damaged: then the next `init` refuses it.
  public func commit(_ turns: [HandsetTurn], durable: Bool, positions: [StreamPosition] = []) throws(StoreError) {
    do throws(StoreError) {
      try write(turns, positions, durable: durable)
    } catch {
      // The additions and removals are rolled back.
      journalShares = [:]
      packs = nil
      throw error
    }
  }

  /// The changes of a handset's record by the first and the last turn of a commit.
  private typealias Records = (first: RecordChange, last: RecordChange)

  private func write(_ turns: [HandsetTurn], _ positions: [StreamPosition], durable: Bool) throws(StoreError) {
    var records: [HandsetID: Records] = [:]
    var counts: [HandsetID: EventCounts] = [:]
    var hasChanges = !positions.isEmpty
    var last: HandsetID?
    // By index, here and below: a turn is large, and a loop would copy it.
    for index in turns.indices {
      let handset = turns[index].handset
      if handset != last, counts[handset] == nil { counts[handset] = try self.counts(of: handset) }
      last = handset
      hasChanges =
        hasChanges || !turns[index].turn.events.isEmpty || turns[index].turn.changes.contains(where: \.isStored)
      guard case .record(let change)? = turns[index].turn.changes.last else { continue }
      records[handset, default: (change, change)].last = change
    }
    guard hasChanges else { return }
    let isDurable = durable || records.contains { $0.value.last.after.nextEvent > counts[$0.key]?.reserved ?? 0 }
    try database.setSynchronous(isDurable ? .full : .normal)
    // If this fails, the next durable commit tries again before it begins.
    defer { try? database.setSynchronous(.full) }
    var purged: [AppAddress] = []
    var small: [UInt8]?
    if positions.isEmpty, try areSmall(turns, counts) {
      collected = []
      defer { collected = nil }
      try writeRows(of: turns, records, &counts, isDurable: isDurable, purging: &purged)
      small = collected
    }
    let (nextLate, shortened) = try database.transaction { () throws(StoreError) in
      if let small, small.count <= StoreLimits.latePageBytes { return (try addLate(small), Set<HandsetID>()) }
      let nextLate = late.isEmpty ? late : try database.runLate()
      if let small {
        try database.run(statements: small, ofPage: 0)
      } else {
        try writeRows(of: turns, records, &counts, isDurable: isDurable, purging: &purged)
        for position in positions { try writePosition(position) }
      }
      return (nextLate, try makeRoom())
    }
    late = nextLate
    directCommits = max(0, directCommits - 1)
    eventCounts.merge(counts) { $1 }
    for handset in shortened { eventCounts[handset] = nil }
    for address in purged { leftBehind[address.handset]?.remove(address.app) }
  }

  /// Returns true if the turns contain only what a plain push changes, and nothing stored has to make room for them.
  private func areSmall(_ turns: [HandsetTurn], _ counts: [HandsetID: EventCounts]) throws(StoreError) -> Bool {
    guard latePages > 0, directCommits == 0 else { return false }
    guard turns.reduce(0, { $0 + $1.turn.changes.count }) <= StoreLimits.lateChanges else { return false }
    guard turns.allSatisfy({ $0.turn.changes.allSatisfy(\.isSmall) }) else { return false }
    let events = turns.reduce(0) { $0 + Int64($1.turn.events.count) }
    let isFull = counts.values.contains {
      isBeyondLimit($0.events + events, in: .events) || isBeyondLimit($0.refusals + events, in: .refusals)
    }
    if isFull { return false }
    // The size was checked for the commits of the first late page; the other pages are few.
    if late.page > 1 { return true }
    return try !isTooLarge()
  }

  private func writeRows(
    of turns: [HandsetTurn], _ records: [HandsetID: Records],
    _ counts: inout [HandsetID: EventCounts], isDurable: Bool, purging purged: inout [AppAddress]
  ) throws(StoreError) {
    // The state before its first change and after its last: a badge that each of a hundred pushes sets is one row.
    var states: [AppAddress: (before: App, after: App)] = [:]
    var removed: [Int64] = []
    var record = OpenRecord()
    for index in turns.indices {
      try write(turns[index].turn.changes, of: turns[index].handset, &states, &removed, purging: &purged)
      try append(
        turns[index].turn.events, rulings: turns[index].turn.rulings, of: turns[index].handset, to: &record, &counts)
    }
    try write(&record, &counts)
    try removeNotifications(removed)
    for (address, state) in states {
      try writeState(address.app, before: state.before.state, after: state.after.state, of: address.handset)
    }
    for (handset, record) in records {
      var kept = counts[handset] ?? EventCounts()
      try trim(&kept, of: handset)
      if isDurable { kept.reserved = record.last.after.nextEvent + StoreLimits.reservedEvents }
      try writeRecord(before: record.first.before, after: record.last.after, kept, of: handset)
      counts[handset] = kept
    }
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

  /// Ends the reservation of event numbers that no event has: all stored events are on the disk when this returns, so
  /// the next start continues without a gap.
  public func releaseReservedEvents() throws(StoreError) {
    try completeTables()
    try database.run("UPDATE handset SET reserved_event = next_event WHERE reserved_event > next_event")
    eventCounts = [:]
  }

  /// Forgets all events of handsets. Their numbers are not used again.
  public func forgetEvents(of handsets: [HandsetID]) throws(StoreError) {
    try completeTables()
    var forgotten: [HandsetID: EventCounts] = [:]
    for handset in handsets {
      let counts = try counts(of: handset)
      if counts.events > 0 || counts.refusals > 0 { forgotten[handset] = counts }
    }
    guard !forgotten.isEmpty else { return }
    try database.setSynchronous(.normal)
    defer { try? database.setSynchronous(.full) }
    try database.transaction { () throws(StoreError) in
      for handset in forgotten.keys {
        try database.run("DELETE FROM event WHERE handset = ?", .integer(handset.number))
        try database.run("DELETE FROM refused_event WHERE handset = ?", .integer(handset.number))
        try database.run(
          "UPDATE handset SET events = 0, refused_events = 0 WHERE handset = ?", .integer(handset.number))
      }
    }
    for (handset, counts) in forgotten {
      eventCounts[handset] = EventCounts(reserved: counts.reserved)
      for part in journalShares.keys { journalShares[part]?[handset] = nil }
    }
  }

  /// Writes the write-ahead log into the database, where every page gets its checksum. After an orderly end another
  /// program has nothing to write there, and a copy of that one file is complete.
  public func emptyLog() throws(StoreError) {
    try completeTables()
    try database.emptyLog()
  }

  /// Writes everything but the handset's record.
  /// - Parameters:
  ///   - states: gets the changes of apps' states, which are written at the end of the batch.
  ///   - removed: gets the keys of the notifications that are removed, at the end too. No key is used again.
  ///   - purged: gets the apps whose unusable rows are removed with it.
  private func write(
    _ changes: [Change], of handset: HandsetID,
    _ states: inout [AppAddress: (before: App, after: App)], _ removed: inout [Int64],
    purging purged: inout [AppAddress]
  ) throws(StoreError) {
    for change in changes {
      switch change {
      case .app(let id, let before, let after):
        if before == nil || after == nil, leftBehind[handset]?.contains(id) == true {
          try purge(id, of: handset)
          purged.append(AppAddress(id, on: handset))
        }
        if let state = states.removeValue(forKey: AppAddress(id, on: handset)) {
          try writeState(id, before: state.before.state, after: state.after.state, of: handset)
        }
        try writeApp(id, before: before, after: after, of: handset)
      case .appState(let id, let before, let after):
        states[AppAddress(id, on: handset), default: (before, after)].after = after
      case .token(let token, _, let after):
        try writeToken(token, after, of: handset)
      case .notification(let change):
        try unpack(change.notification.id, of: handset)
        if change.isRemoval {
          removed.append(StoredNotifications.key(change.notification.id, of: handset))
        } else {
          try writeNotification(change, of: handset)
        }
      case .held(let app, _, let after, let payload):
        try writeHeld(app, after, payload: payload, of: handset)
      case .offered(let app, let before, let after, let payload):
        try writeOffer(app, before: before, after: after, payload: payload, of: handset)
      case .budget(let app, _, let after):
        try writeBudget(app, after, of: handset)
      case .kept(let slot, _, let after):
        try writeKept(in: slot, after, of: handset)
      case .extending(let app, let before, let after):
        try writeExtending(app, before: before, after: after, of: handset)
      case .deferred(let before, let after):
        try writeDeferred(before: before, after: after, of: handset)
      case .focusMode(let name, _, let after):
        try writeFocusMode(name, after, of: handset)
      case .recent(let before, let after):
        try writeRecent(before: before, after: after, of: handset)
      case .node(let id, _, let after, let published):
        try writeNode(id, after, published: published, of: handset)
      case .pending(let before, let after):
        try writePending(before: before, after: after, of: handset)
      case .call(let before, let after):
        try writeCall(before: before, after: after, of: handset)
      case .activity(let before, let after):
        try writeActivity(before: before, after: after, of: handset)
      case .record, .listener, .banner, .lamp, .timeZone, .clockSkew, .soundedAgain, .selection:
        break
      }
    }
  }
}

extension Change {
  /// True if the change is stored. When the daemon starts there are no connections and no banner, the lamp's pattern
  /// starts again, and the daemon reads the clocks.
  fileprivate var isStored: Bool {
    switch self {
    case .listener, .banner, .lamp, .timeZone, .clockSkew, .soundedAgain, .selection: false
    default: true
    }
  }

  /// True for a change that a plain push makes, if it is stored at all.
  fileprivate var isSmall: Bool {
    switch self {
    case .notification, .recent: true
    case .appState(_, let before, let after): before.state.settings == after.state.settings
    case .record(let change):
      change.before.settings == change.after.settings && change.before.conditions == change.after.conditions
    default: !isStored
    }
  }
}
