// The tables, as the steps that made them. A step that has been released is never edited: a change is a new step.

import CSQLite

/// One step of the schema, applied in a transaction of its own.
struct Migration: Sendable {
  let name: String
  let script: String
}

enum Schema {
  /// "Dbel", by which `file` and SQLite's own tools recognise the database.
  static let applicationID: Int64 = 0x4462_656C

  /// The steps in order; the database's `user_version` is the number of them that it has, and `PageChecksums.version`.
  static let migrations = [
    Migration(name: "handset", script: handset), Migration(name: "background updates", script: backgroundUpdates),
    Migration(name: "schedule", script: schedule), Migration(name: "rulings", script: rulings),
    Migration(name: "publishing nodes", script: publishingNodes),
    Migration(name: "provider certificates", script: certificates),
    Migration(name: "recent pushes", script: recentPushes), Migration(name: "sizes", script: sizes),
    Migration(name: "refused events", script: refusedEvents),
    Migration(name: "reason codes", script: reasonCodes), Migration(name: "requests", script: requests),
    Migration(name: "providers", script: providers), Migration(name: "many handsets", script: manyHandsets),
    Migration(name: "compact rows", script: compactRows),
    Migration(name: "apps of recent pushes", script: appsOfRecentPushes),
    Migration(name: "until seen", script: untilSeen), Migration(name: "calls", script: calls),
    Migration(name: "options", script: options), Migration(name: "stream positions", script: streamPositions),
  ]

  /// The key of every handset's table begins with the handset's number: one daemon holds many. Providers and the
  /// daemon's own notes belong to the installation.
  ///
  /// Values that change with each push are in narrow tables without a rowid; long ones are in tables with a rowid,
  /// whose inner pages do not hold whole rows. Settings are stored if they differ from the default. Cases are stored as
  /// texts, not as numbers, so that adding or moving a case changes no row's meaning.
  private static let handset = """
    CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE provider (
      name TEXT PRIMARY KEY, kind TEXT NOT NULL, team_id TEXT, key_id TEXT, public_key_pem TEXT, apps TEXT NOT NULL
    ) STRICT;

    CREATE TABLE handset (
      handset INTEGER PRIMARY KEY,
      next_notification INTEGER NOT NULL, next_event INTEGER NOT NULL, next_alert INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE handset_setting (
      handset INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (handset, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE app (
      handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, receives_background_updates INTEGER NOT NULL,
      action_title TEXT, lamp_pattern TEXT, foreground_presentation TEXT NOT NULL,
      sounds TEXT NOT NULL, strings TEXT NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT;
    CREATE TABLE app_state (
      handset INTEGER NOT NULL, app TEXT NOT NULL, token BLOB NOT NULL, registration TEXT NOT NULL,
      kinds TEXT, unregistered_since INTEGER, lifecycle TEXT NOT NULL, badge INTEGER NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE app_setting (
      handset INTEGER NOT NULL, app TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (handset, app, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE token (
      handset INTEGER NOT NULL, token BLOB NOT NULL, app TEXT NOT NULL, gone_since INTEGER,
      PRIMARY KEY (handset, token)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE notification (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, level TEXT NOT NULL,
      collapse_id TEXT, is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER,
      has_action INTEGER NOT NULL,
      PRIMARY KEY (handset, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notification_content (
      handset INTEGER NOT NULL, number INTEGER NOT NULL, arrived INTEGER NOT NULL, app_name TEXT NOT NULL,
      title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT, payload BLOB NOT NULL,
      PRIMARY KEY (handset, number)
    ) STRICT;
    CREATE TABLE held (
      handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, expires INTEGER NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT;

    CREATE TABLE event (
      handset INTEGER NOT NULL, sequence INTEGER NOT NULL, line TEXT NOT NULL,
      PRIMARY KEY (handset, sequence)
    ) STRICT, WITHOUT ROWID;
    """

  /// Uptimes are microseconds since the board booted; the start after a boot counts them anew. A push is identified by
  /// its UUID, however that is spelt.
  private static let backgroundUpdates = """
    ALTER TABLE handset ADD COLUMN fetch_start_uptime INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE handset ADD COLUMN fetch_start_wall INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE app ADD COLUMN has_hooks INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE app_state ADD COLUMN listens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE held ADD COLUMN due_uptime INTEGER;
    CREATE TABLE handset_condition (
      handset INTEGER NOT NULL, condition TEXT NOT NULL,
      PRIMARY KEY (handset, condition)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE offered (
      handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL,
      attempt INTEGER NOT NULL, expires INTEGER NOT NULL, deadline_uptime INTEGER, is_charged INTEGER NOT NULL,
      waits INTEGER NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, app, push)
    ) STRICT;
    CREATE TABLE delivery (
      handset INTEGER NOT NULL, app TEXT NOT NULL, place INTEGER NOT NULL, uptime INTEGER NOT NULL,
      wall INTEGER NOT NULL,
      PRIMARY KEY (handset, app, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE kept (
      handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, number INTEGER NOT NULL,
      expires INTEGER NOT NULL, token BLOB NOT NULL, request TEXT NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY (handset, app)
    ) STRICT;
    """
}

extension Schema {
  /// The rulings are beside the line of an event, not in it, so that readers of the stream continue to work.
  private static let rulings = "ALTER TABLE event ADD COLUMN rulings TEXT;"

  private static let certificates = """
    ALTER TABLE provider ADD COLUMN environment TEXT NOT NULL DEFAULT 'both';
    ALTER TABLE provider ADD COLUMN certificate_pem TEXT;
    """
}

extension SQLiteConnection {
  /// Makes the file a Deskbell database at the newest schema, and sets up the connection.
  /// - Throws: `StoreError.foreign` or `.newer` if the file must not be changed; nothing in it has changed then.
  func prepareSchema(_ migrations: [Migration], _ report: (StoreRewrite) -> Void) throws(StoreError) {
    var (version, hasChecksums) = try readVersion()
    let isEmpty = try integer("SELECT count(*) FROM sqlite_schema") == 0
    let applicationID = try integer("PRAGMA application_id")
    guard isEmpty || applicationID == Schema.applicationID, version >= 0 else { throw .foreign(path: path) }
    guard version <= migrations.count else {
      throw .newer(path: path, version: version, known: migrations.count)
    }
    for (index, migration) in migrations.prefix(version).enumerated() {
      let known = try integer(
        "SELECT 1 FROM migration WHERE number = ? AND name = ?", .integer(Int64(index + 1)), .text(migration.name))
      guard known != nil else { throw .foreign(path: path) }
    }
    if try integer("PRAGMA page_count") == 0 {
      try layOutPages()
      hasChecksums = true
    }
    try execute("PRAGMA journal_size_limit = \(StoreLimits.journalSizeLimit); PRAGMA synchronous = 2")
    guard try first("PRAGMA journal_mode = WAL", [], read: { $0.text(0) }) == "wal" else {
      throw .directory(
        path: path, problem: "its file system cannot share memory, which the write-ahead log needs: use a local disk")
    }
    for (index, migration) in migrations.enumerated().dropFirst(version) {
      version = index + 1
      try transaction { () throws(StoreError) in
        try execute(migration.script)
        try run("INSERT INTO migration VALUES (?, ?)", .integer(Int64(version)), .text(migration.name))
        try execute("PRAGMA application_id = \(Schema.applicationID)")
        try write(version: version, hasChecksums: hasChecksums)
      }
    }
    if try needsRewrite(hasChecksums: hasChecksums) { hasChecksums = try rewrite(report) }
    if hasChecksums { try write(version: version, hasChecksums: true) }
  }
}
