// What is not on disk when the power goes was never answered. The store writes the changes of a batch of turns in one
// transaction, so that the wait for the disk is shared by all pushes that wait, and reads them back at start.

import FoundationEssentials
import HandsetCore

/// Tells the handsets of one daemon apart; the first is 1.
public typealias HandsetNumber = Int64

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
  let eventEncoder = EventEncoder()
  let decoder = JSONDecoder()
  /// Whether it has begun to give free pages back.
  var isGivingBack = false
  /// Apps of which rows are stored that `load` could not use. They must not come back with a new app of that name.
  var leftBehind: [HandsetNumber: Set<AppID>] = [:]

  /// Opens `directory/deskbell.sqlite`, and makes both where they are missing (0700, 0600).
  /// - Throws: `StoreError.inUse` where another daemon has the directory, `.newer` and `.foreign` where the database is
  ///   not for this version, `.directory` and `.sqlite` where it cannot be opened.
  public convenience init(directory: String) throws(StoreError) {
    try self.init(directory: directory, eventLimit: Policy.eventLimit, migrations: Schema.migrations)
  }

  /// - Parameters:
  ///   - eventLimit: events that the journal keeps, refusals apart.
  ///   - refusedEventLimit: refusals that it keeps.
  ///   - databaseBytes: how large the database may get.
  init(
    directory: String, eventLimit: Int, refusedEventLimit: Int = Policy.refusedEventLimit,
    databaseBytes: Int = StoreLimits.databaseBytes,
    migrations: [Migration] = Schema.migrations
  ) throws(StoreError) {
    state = try StateDirectory(directory)
    let file = try state.privateFile(HandsetStore.fileName)
    // SQLite gives new ones the permissions of the database.
    for suffix in ["-wal", "-shm"] { try state.closeToOthers(HandsetStore.fileName + suffix) }
    database = try SQLiteConnection(path: file, in: state)
    try database.prepareSchema(migrations)
    try database.bound(bytes: databaseBytes)
    self.eventLimit = eventLimit
    self.refusedEventLimit = refusedEventLimit
    self.databaseBytes = databaseBytes
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  static let fileName = "deskbell.sqlite"
}

// MARK: - Handsets

extension HandsetStore {
  /// What the handset was made of when its last batch was stored. A row that cannot be read, and one whose app cannot
  /// be, is left out, reported, and left where it is.
  /// - Throws: `StoreError.damaged` where the handset's own record cannot be read, as without it numbers would be
  ///   given out twice.
  public func load(
    handset: HandsetNumber
  ) throws(StoreError) -> (contents: Handset.Contents, damage: [StoreDamage]) {
    var loading = HandsetLoading(handset: handset, database: database, decoder: decoder)
    try loading.readAll()
    leftBehind[handset] = loading.unreadableApps
    return (loading.contents, loading.damage)
  }

  /// Stores the changes and events of all turns, or of none.
  /// - Parameters:
  ///   - turns: in the order in which they were taken.
  ///   - durable: whether to wait until it is on the disk. For turns whose loss nobody was promised against, drivers'
  ///     reports and refusals, it need not be: they are on disk with the next batch that is durable, or when the
  ///     write-ahead log is full.
  /// - Throws: `StoreError.sqlite`; nothing is stored then, and the next commit may succeed.
  public func commit(_ turns: [Turn], of handset: HandsetNumber, durable: Bool) throws(StoreError) {
    let lines = try journalLines(of: turns)
    let changes = turns.flatMap(\.changes).filter(\.isStored)
    if lines.isEmpty && changes.isEmpty { return }
    try database.setSynchronous(durable ? .full : .normal)
    // Where this fails, the next durable commit asks again before it begins.
    defer { try? database.setSynchronous(.full) }
    let purged = try database.transaction { () throws(StoreError) -> Set<AppID> in
      let purged = try write(changes, of: handset)
      try append(lines, of: handset)
      return purged
    }
    leftBehind[handset]?.subtract(purged)
  }

  /// - Returns: the apps whose unusable rows are gone with it.
  private func write(_ changes: [Change], of handset: HandsetNumber) throws(StoreError) -> Set<AppID> {
    var purged: Set<AppID> = []
    var record: (before: HandsetRecord, after: HandsetRecord)?
    for change in changes {
      switch change {
      case .app(let id, let before, let after):
        if before == nil || after == nil, leftBehind[handset]?.contains(id) == true {
          try purge(id, of: handset)
          purged.insert(id)
        }
        try writeApp(id, before: before, after: after, of: handset)
      case .appState(let id, let before, let after):
        try writeState(id, before: before, after: after, of: handset)
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
      case .record(let before, let after):
        record = (record?.before ?? before, after)
      case .pending(let before, let after):
        try writePending(before: before, after: after, of: handset)
      case .listener, .banner, .lamp, .timeZone, .clockSkew:
        break
      }
    }
    if let record { try writeRecord(before: record.before, after: record.after, of: handset) }
    return purged
  }
}

extension Change {
  /// Connections and a banner are gone and a lamp begins anew when the daemon starts, and the edge says then how the
  /// clocks go.
  fileprivate var isStored: Bool {
    switch self {
    case .listener, .banner, .lamp, .timeZone, .clockSkew: false
    case .app, .appState, .token, .notification, .held, .offered, .budget, .kept, .recent, .node, .pending, .record:
      true
    }
  }
}
