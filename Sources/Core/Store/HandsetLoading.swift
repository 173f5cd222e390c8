import FoundationEssentials
import HandsetCore

/// A handset that is being read from the database, table by table. Apps come before the rows that depend on them, so
/// that no row is loaded of an app that could not be loaded. Its notifications may be read later.
struct HandsetLoading {
  let handset: HandsetID
  let database: SQLiteConnection
  let decoder: JSONDecoder

  var contents = Handset.Contents()
  var damage: [StoreDamage] = []
  var appsByText: [String: App] = [:]
  /// The installed apps by the hash of their names, so that a row of one makes no text.
  var appsByHash: [Int: AppID] = [:]
  /// The sound of the last notification, which the next one often has too.
  var lastSound = (name: "", request: SoundRequest.system)
  /// The apps that have a token, good or gone.
  var tokenOwners: [DeviceToken: AppID] = [:]
  var unreadableApps: Set<AppID> = []
  /// The number of rows in each table that belong to apps that are missing.
  var orphans: [AppID: [String: Int]] = [:]

  /// Reads everything but the notifications, which are the most by far.
  mutating func readAllButNotifications() throws(StoreError) {
    try readRecord()
    try readApps()
    try readTokens()
    try readHeld()
    try readOffers()
    try readBudgets()
    try readKept()
    try readExtending()
    try readDeferred()
    try readFocusModes()
    try readRecent()
    try readNodes()
    try readPending()
    try readCalls()
    try readActivities()
  }

  /// Reads the notifications, and reports the rows of missing apps in all tables.
  mutating func readRest() throws(StoreError) {
    try readNotifications()
    reportOrphans()
  }

  private mutating func readRecord() throws(StoreError) {
    let statement = try database.query(
      """
      SELECT handset, next_notification, next_event, next_alert, fetch_start_uptime, fetch_start_wall, snooze
      FROM handset WHERE handset = ?
      """, [.integer(handset.number)])
    defer { statement.reset() }
    let row = StoredRow(statement: statement, table: "handset")
    guard try statement.step() else {
      // A handset without a record is new, and has nothing else either.
      let others = try database.integer(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM app WHERE handset = ?1) OR EXISTS (SELECT 1 FROM event WHERE handset = ?1)",
        .integer(handset.number))
      guard others == 1 else { return }
      throw .damaged(StoreDamage(table: "handset", key: "\(handset)", column: "handset", problem: "the row is lost"))
    }
    do throws(StoreDamage) {
      // Numbers count from 1, whatever the row says.
      contents.record.nextNotification = max(1, try row.count(1, below: 1 << StoreLimits.notificationNumberBits))
      contents.record.nextEvent = max(1, try row.count(2))
      contents.record.nextAlert = max(1, try row.count(3))
      contents.record.fetchStart = Moment(
        uptime: .microseconds(try row.integer(4)), wall: WallTime(microseconds: try row.integer(5)))
      contents.record.snooze = try snooze(row, 6)
    } catch {
      throw .damaged(error)
    }
    try skipNumbersOfEvents()
    try readSettings()
    try readConditions()
  }

  /// Skips numbers that events already have: with such a number no batch could be stored ever again.
  private mutating func skipNumbersOfEvents() throws(StoreError) {
    let last = try database.integer(
      "SELECT sequence + events - 1 FROM event WHERE handset = ? ORDER BY sequence DESC LIMIT 1",
      .integer(handset.number))
    guard let last = last.flatMap(UInt64.init(exactly:)), last >= contents.record.nextEvent else { return }
    damage.append(
      StoreDamage(
        table: "handset", key: "\(handset)", column: "next_event",
        problem:
          "event \(last) is stored and the next was to be \(contents.record.nextEvent); going on from \(last + 1)"))
    contents.record.nextEvent = last + 1
  }

  private mutating func readSettings() throws(StoreError) {
    try read("handset_setting", "SELECT key, value FROM handset_setting WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let key = try row.value(0, "a setting") { HandsetSettings.Key(rawValue: $0) }
      let value = try row.text(1)
      do throws(SettingError) {
        try loading.contents.record.settings.set(key, to: value)
      } catch {
        throw row.damage(1, error.description)
      }
    }
  }

  /// Reads the handset's rows of a table, one after the other. A row that cannot be read is noted and left out.
  /// - Parameters:
  ///   - keyColumns: the number of leading columns that are the row's key.
  ///   - values: the statement's values, if they are not the handset's number.
  mutating func read(
    _ table: String, keyColumns: Int32 = 1, _ sql: StaticString, _ values: SQLiteValue...,
    body: (inout HandsetLoading, StoredRow) throws(StoreDamage) -> Void
  ) throws(StoreError) {
    let statement = try database.query(sql, values.isEmpty ? [.integer(handset.number)] : values)
    defer { statement.reset() }
    let row = StoredRow(statement: statement, table: table, keyColumns: keyColumns)
    while try statement.step() {
      do throws(StoreDamage) {
        try body(&self, row)
      } catch {
        damage.append(error)
      }
    }
  }

  private mutating func reportOrphans() {
    for (app, tables) in orphans.sorted(by: { $0.key < $1.key }) {
      for (table, count) in tables.sorted(by: { $0.key < $1.key }) {
        damage.append(
          StoreDamage(
            table: table, key: app.text, column: "app",
            problem: "the app is not there, and \(count) of its rows \(count == 1 ? "is" : "are") left out"))
      }
      unreadableApps.insert(app)
    }
  }
}

extension RowStatement {
  static let handset = RowStatement(
    3,
    """
    REPLACE INTO handset (handset, next_notification, next_event, next_alert, fetch_start_uptime, fetch_start_wall,
      reserved_event, events, refused_events, snooze)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
}

extension HandsetStore {
  func writeRecord(
    before: HandsetRecord, after: HandsetRecord, _ counts: EventCounts, of handset: HandsetID
  ) throws(StoreError) {
    try put(
      .handset, .integer(handset.number), .bits(after.nextNotification), .bits(after.nextEvent),
      .bits(after.nextAlert),
      .integer(after.fetchStart.uptime.inMicroseconds), .integer(after.fetchStart.wall.microseconds),
      .bits(counts.reserved), .integer(counts.events), .integer(counts.refusals),
      try optionalJSON(after.snooze, "the snooze"))
    if before.conditions != after.conditions {
      try writeConditions(before: before.conditions, after: after.conditions, of: handset)
    }
    guard before.settings != after.settings else { return }
    for key in HandsetSettings.Key.allCases where before.settings[key] != after.settings[key] {
      try database.run(
        "REPLACE INTO handset_setting (handset, key, value) VALUES (?, ?, ?)", .integer(handset.number),
        .text(key.rawValue), .text(after.settings[key]))
    }
  }
}
