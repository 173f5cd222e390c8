/// One step of the schema, applied in a transaction of its own. A step that has been released is never edited: a change
/// of the tables is a new step.
struct Migration: Sendable {
  let name: String
  let script: String
}

enum Schema {
  /// "Dbel", by which `file` and SQLite's own tools recognise the database.
  static let applicationID: Int64 = 0x4462_656C

  /// The number of the first step. It makes the tables of 0.7, which reached them in 19 steps: so a database of 0.7 and
  /// one of this version have the same number.
  static let firstStep = 19

  /// The steps in order; the database's `user_version` is the number of the last one that it has, and
  /// `PageChecksums.version`. Each has a row in `migration`, and the first has the name that 0.7 gave it there.
  static let migrations = [
    Migration(name: "stream positions", script: tables), Migration(name: "late commits", script: lateCommits),
    Migration(name: "packed notifications", script: packedNotifications),
    Migration(name: "the handset of 2026", script: handsetOf2026),
  ]

  /// Returns the number of the last step that a database has.
  /// - Throws: `StoreError.older` or `.newer` if this version does not read it.
  static func step(_ userVersion: Int64, newest: Int, path: String) throws(StoreError) -> Int {
    let step = Int(userVersion) - PageChecksums.version
    guard step >= firstStep else { throw .older(path: path, version: Int(userVersion)) }
    guard step <= newest else { throw .newer(path: path, version: step, known: newest) }
    return step
  }

  /// The key of every handset's table begins with the handset's number: one daemon holds many. Providers, the daemon's
  /// own notes and the positions of streams belong to the installation.
  ///
  /// Values that change with each push are in narrow tables without a rowid; long ones are in tables with a rowid,
  /// whose inner pages do not hold whole rows. Settings are stored if they differ from the default. Cases are stored as
  /// texts, not as numbers, so that adding or moving a case changes no row's meaning. Values that no query asks for in
  /// part are one text of JSON, in their own form.
  ///
  /// Uptimes are microseconds since the board booted; the start after a boot counts them anew. A push is identified by
  /// its UUID, however that is spelt. The counts of events are in the handset's row, which is written with each event
  /// anyway, so that a commit need not count them. In a row of `notification` the facts precede the words: every start
  /// reads those only. An empty sound is the default one.
  private static let tables = """
    CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE provider (name TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
    CREATE TABLE stream_position (
      consumer TEXT PRIMARY KEY, stream TEXT NOT NULL, sequence INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE device (handset INTEGER PRIMARY KEY, device_id BLOB NOT NULL UNIQUE, name TEXT) STRICT;
    CREATE UNIQUE INDEX device_name ON device (name);
    CREATE TABLE handset (
      handset INTEGER PRIMARY KEY, next_notification INTEGER NOT NULL, next_event INTEGER NOT NULL,
      next_alert INTEGER NOT NULL, fetch_start_uptime INTEGER NOT NULL DEFAULT 0,
      fetch_start_wall INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0,
      refused_events INTEGER NOT NULL DEFAULT 0, reserved_event INTEGER NOT NULL DEFAULT 0, snooze TEXT
    ) STRICT;
    CREATE TABLE handset_setting (
      handset INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (handset, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE handset_condition (
      handset INTEGER NOT NULL, condition TEXT NOT NULL,
      PRIMARY KEY (handset, condition)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE app (
      handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, receives_background_updates INTEGER NOT NULL,
      action_title TEXT, lamp_pattern TEXT, foreground_presentation TEXT NOT NULL, sounds TEXT NOT NULL,
      strings TEXT NOT NULL, has_hooks INTEGER NOT NULL DEFAULT 0, acknowledge TEXT, categories TEXT,
      has_notification_hook INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (handset, app)
    ) STRICT;
    CREATE TABLE app_state (
      handset INTEGER NOT NULL, app TEXT NOT NULL, token BLOB NOT NULL, registration TEXT NOT NULL, kinds TEXT,
      unregistered_since INTEGER, lifecycle TEXT NOT NULL, badge INTEGER NOT NULL, listens INTEGER NOT NULL DEFAULT 0,
      foreground_presentation TEXT, snooze TEXT,
      PRIMARY KEY (handset, app)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE app_setting (
      handset INTEGER NOT NULL, app TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (handset, app, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE app_key (
      handset INTEGER NOT NULL, app TEXT NOT NULL, key BLOB NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT;
    CREATE TABLE token (
      handset INTEGER NOT NULL, token BLOB NOT NULL, app TEXT NOT NULL, gone_since INTEGER,
      PRIMARY KEY (handset, token)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE node (
      handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, push TEXT, gone_since INTEGER, published BLOB,
      PRIMARY KEY (handset, app, name)
    ) STRICT;

    CREATE TABLE notification (
      key INTEGER PRIMARY KEY, app TEXT NOT NULL, push ANY NOT NULL, level TEXT NOT NULL, collapse_id TEXT,
      is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER, has_action INTEGER NOT NULL,
      size INTEGER NOT NULL, sound TEXT, critical_volume REAL, repetition TEXT, options TEXT, arrived INTEGER NOT NULL,
      app_name TEXT NOT NULL, title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE local_notification (
      handset INTEGER NOT NULL, app TEXT NOT NULL, identifier TEXT NOT NULL, pending TEXT NOT NULL,
      payload BLOB NOT NULL,
      PRIMARY KEY (handset, app, identifier)
    ) STRICT;
    CREATE TABLE held (
      handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, expires INTEGER NOT NULL, payload BLOB NOT NULL,
      due_uptime INTEGER,
      PRIMARY KEY (handset, app)
    ) STRICT;
    CREATE TABLE offered (
      handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL,
      attempt INTEGER NOT NULL, expires INTEGER NOT NULL, deadline_uptime INTEGER, is_charged INTEGER NOT NULL,
      waits INTEGER NOT NULL, payload BLOB NOT NULL, occasion TEXT,
      PRIMARY KEY (handset, app, push)
    ) STRICT;
    CREATE TABLE delivery (
      handset INTEGER NOT NULL, app TEXT NOT NULL, place INTEGER NOT NULL, uptime INTEGER NOT NULL,
      wall INTEGER NOT NULL,
      PRIMARY KEY (handset, app, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE kept (
      handset INTEGER NOT NULL, app TEXT NOT NULL, number INTEGER NOT NULL, expires INTEGER NOT NULL,
      request TEXT NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT;
    CREATE TABLE recent_push (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, id_high INTEGER NOT NULL, id_low INTEGER NOT NULL,
      digest INTEGER NOT NULL, uptime INTEGER NOT NULL, wall INTEGER NOT NULL, app INTEGER,
      PRIMARY KEY (handset, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE call (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, call TEXT NOT NULL,
      PRIMARY KEY (handset, number)
    ) STRICT;

    CREATE TABLE event (
      handset INTEGER NOT NULL, sequence INTEGER NOT NULL, events INTEGER NOT NULL, record BLOB NOT NULL,
      PRIMARY KEY (handset, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE refused_event (
      handset INTEGER NOT NULL, sequence INTEGER NOT NULL, events INTEGER NOT NULL, record BLOB NOT NULL,
      PRIMARY KEY (handset, sequence)
    ) STRICT, WITHOUT ROWID;
    """

  /// The rows are those of `LateCommits`; each fills a page.
  private static let lateCommits = """
    CREATE TABLE late (number INTEGER PRIMARY KEY, round INTEGER NOT NULL, statements BLOB NOT NULL) STRICT
    """

  /// The rows are those of `PackedNotifications.swift`, and repeat those of `notification`.
  private static let packedNotifications = """
    CREATE TABLE notification_pack (pack INTEGER PRIMARY KEY, facts BLOB NOT NULL) STRICT
    """

  /// A token's purpose is the text of a `TokenPurpose`; it is null for an app's ordinary one. Channels belong to the
  /// installation; `made` is in microseconds since 1970. A row of `kept` has the slot in which it waits as its key: that
  /// of an app, or of a publishing node. `local` is 1 if the app has scheduled, 2 more if a local notification set its
  /// badge (rule L4); apps with a schedule had one before.
  private static let handsetOf2026 = """
    ALTER TABLE token ADD COLUMN purpose TEXT;
    ALTER TABLE held ADD COLUMN type TEXT;
    ALTER TABLE app ADD COLUMN live_activity TEXT;
    ALTER TABLE app ADD COLUMN broadcast INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE app ADD COLUMN push_types TEXT;
    ALTER TABLE app ADD COLUMN has_service_extension INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE app_state ADD COLUMN push_type_counts TEXT;
    ALTER TABLE app_state ADD COLUMN local INTEGER NOT NULL DEFAULT 0;
    UPDATE app_state SET local = 1 WHERE EXISTS (SELECT 1 FROM local_notification AS pending
      WHERE pending.handset = app_state.handset AND pending.app = app_state.app);
    CREATE TABLE activity (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, app TEXT NOT NULL, activity TEXT NOT NULL,
      PRIMARY KEY (handset, number)
    ) STRICT;
    CREATE TABLE extending (
      handset INTEGER NOT NULL, app TEXT NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,
      request TEXT NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, app, number)
    ) STRICT;
    CREATE TABLE kept_by_slot (
      handset INTEGER NOT NULL, slot TEXT NOT NULL, app TEXT NOT NULL, number INTEGER NOT NULL,
      expires INTEGER NOT NULL, since INTEGER, request TEXT NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, slot)
    ) STRICT;
    INSERT INTO kept_by_slot SELECT handset, app, app, number, expires, NULL, request, payload FROM kept;
    DROP TABLE kept;
    ALTER TABLE kept_by_slot RENAME TO kept;
    CREATE TABLE deferred (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, app TEXT NOT NULL, reason TEXT NOT NULL,
      arrived INTEGER NOT NULL, expires INTEGER NOT NULL, request TEXT NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, number)
    ) STRICT;
    CREATE TABLE focus_mode (
      handset INTEGER NOT NULL, name TEXT NOT NULL, mode TEXT NOT NULL,
      PRIMARY KEY (handset, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE channel (
      environment TEXT NOT NULL, app TEXT NOT NULL, channel TEXT NOT NULL, policy INTEGER NOT NULL,
      made INTEGER NOT NULL,
      PRIMARY KEY (environment, app, channel)
    ) STRICT, WITHOUT ROWID;
    """

  /// "Dbak": a backup is not taken for the database itself.
  static let backupApplicationID: Int64 = 0x4462_616B
}

extension SQLiteConnection {
  /// Makes the file a Deskbell database at the newest schema, and sets up the connection.
  /// - Throws: `StoreError.foreign`, `.older` or `.newer` if the file must not be changed; nothing in it has changed
  ///   then.
  func prepareSchema(_ migrations: [Migration]) throws(StoreError) {
    let steps = Array(zip(Schema.firstStep..., migrations))
    let last = try lastStep(newest: Schema.firstStep + migrations.count - 1)
    for (number, migration) in steps where number <= last {
      let known = try integer(
        "SELECT 1 FROM migration WHERE number = ? AND name = ?", .integer(Int64(number)), .text(migration.name))
      guard known != nil else { throw .foreign(path: path) }
    }
    if try integer("PRAGMA page_count") == 0 { try layOutPages() }
    try execute("PRAGMA journal_size_limit = \(StoreLimits.journalSizeLimit); PRAGMA synchronous = 2")
    guard try first("PRAGMA journal_mode = WAL", [], read: { $0.text(0) }) == "wal" else {
      throw .directory(
        path: path, problem: "its file system cannot share memory, which the write-ahead log needs: use a local disk")
    }
    for (number, migration) in steps where number > last {
      try transaction { () throws(StoreError) in
        try execute(migration.script)
        try run("INSERT INTO migration VALUES (?, ?)", .integer(Int64(number)), .text(migration.name))
        try execute("PRAGMA application_id = \(Schema.applicationID)")
        try execute("PRAGMA user_version = \(PageChecksums.version + number)")
      }
    }
  }

  /// Returns the number of the last step that the database has; 0 if it has no tables yet.
  private func lastStep(newest: Int) throws(StoreError) -> Int {
    let version = try integer("PRAGMA user_version") ?? 0
    let isOurs = try integer("PRAGMA application_id") == Schema.applicationID
    // Another program's database may have any number.
    if isOurs && version >= PageChecksums.version { try requireChecksums() }
    let isEmpty = try integer("SELECT count(*) FROM sqlite_schema") == 0
    let isLaidOut = try hasChecksums()
    let hasPages = try integer("PRAGMA page_count") != 0
    if isEmpty && version == 0 && (isLaidOut || !hasPages) { return 0 }
    guard isOurs, version >= 0 else { throw .foreign(path: path) }
    return try Schema.step(version, newest: newest, path: path)
  }
}
