import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

/// A path where nothing exists yet; everything there is removed with this.
final class Place: Sendable {
  let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/deskbell-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs `body` with a path where nothing exists yet, or an empty folder, and then removes everything there.
func withDirectory<Result>(made: Bool = false, _ body: (String) throws -> Result) throws -> Result {
  let place = Place()
  if made { try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false) }
  return try withExtendedLifetime(place) { try body(place.path) }
}

/// Runs `body` with another directory, which has copies of the database's files.
/// - Parameter log: true copies the write-ahead log too.
func withCopy<Result>(of directory: String, log: Bool, _ body: (String) throws -> Result) throws -> Result {
  try withDirectory(made: true) { copy in
    for file in ["deskbell.sqlite"] + (log ? ["deskbell.sqlite-wal"] : []) {
      try FileManager.default.copyItem(atPath: "\(directory)/\(file)", toPath: "\(copy)/\(file)")
    }
    return try body(copy)
  }
}

func fileBytes(_ directory: String) throws -> [UInt8] {
  try Array(Data(contentsOf: URL(fileURLWithPath: directory + "/deskbell.sqlite")))
}

/// Replaces the database's file, as a failing disk or another program does.
func replaceFile(_ directory: String, with bytes: [UInt8]) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: directory + "/deskbell.sqlite"))
}

/// Overwrites the first page of a table.
/// - Returns: its number.
@discardableResult
func damage(_ table: String, in directory: String) throws -> Int {
  try sql(directory, "PRAGMA wal_checkpoint(TRUNCATE)")
  let page = try #require(
    try sql(directory, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'").flatMap { Int($0) })
  let size = Int(PageChecksums.pageSize)
  var bytes = try fileBytes(directory)
  bytes.replaceSubrange(((page - 1) * size)..<(page * size), with: repeatElement(0xAA, count: size))
  try replaceFile(directory, with: bytes)
  return page
}

/// Returns the size of the database's file, or of one beside it.
func size(_ directory: String, _ suffix: String = "") throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/deskbell.sqlite" + suffix)
  return try #require(attributes[.size] as? Int)
}

/// Makes the database of a closed store one of an older version: with the tables of the first steps, and the rows that
/// fit them.
func downgrade(_ directory: String, to steps: Int) throws {
  try withDirectory { older in
    do {
      let state = try StateDirectory(older)
      let database = try SQLiteConnection(path: try state.privateFile(HandsetStore.fileName), in: state)
      try database.prepareSchema(Array(Schema.migrations.prefix(steps)))
    }
    let copies = try #require(
      try sql(
        older,
        """
        SELECT group_concat(format('INSERT INTO main.%s (%s) SELECT %s FROM newer.%s', name, columns, columns, name), ';')
        FROM (
          SELECT t.name, group_concat(c.name) AS columns FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
          WHERE t.type = 'table' AND t.name != 'migration' GROUP BY t.name
        )
        """))
    try sql(older, "ATTACH '\(directory)/deskbell.sqlite' AS newer; BEGIN; \(copies); COMMIT")
    try replaceFile(directory, with: try fileBytes(older))
  }
}

func names(in folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

/// Returns the error with which the store refuses to open; nil if it opens.
func refusal(_ directory: String, migrations: [Migration] = Schema.migrations) -> StoreError? {
  do throws(StoreError) {
    _ = try HandsetStore(directory: directory, eventLimit: 1, migrations: migrations)
    return nil
  } catch {
    return error
  }
}

let lampReport = Input.report(DriverReport(.lamp(lit: true), uptime: .zero))

func refused(_ push: PushID? = nil, _ detail: String = "b") -> Input {
  .refused(RefusedPush(id: push, topic: nil, status: 400, reason: "a", detail: detail))
}

extension HandsetID: ExpressibleByIntegerLiteral {
  public init(integerLiteral number: Int64) {
    self.init(number)
  }
}

extension HandsetStore {
  /// Returns the payload of the update held for the app; nil if none is held.
  func heldPayload(of app: AppID, handset: HandsetID) throws(StoreError) -> [UInt8]? {
    try database.first(
      "SELECT payload FROM held WHERE handset = ? AND app = ?", [.integer(handset.number), .text(app.text)]
    ) { $0.bytes(0) }
  }

  func commit(_ turns: [Turn], of handset: HandsetID, durable: Bool) throws(StoreError) {
    try commit(turns.map { HandsetTurn(handset: handset, turn: $0) }, durable: durable)
  }
}

/// A live handset, and the store that follows it.
struct Rig {
  var handset = Handset()
  var uptime: Duration = .seconds(100)
  var store: HandsetStore { opened! }
  let number: HandsetID
  /// The store's folder, if it ends with the rig.
  private var place: Place?
  private var opened: HandsetStore?
  private let open: (_ databaseBytes: Int) throws -> HandsetStore

  static let mail = AppID("org.example.mail")!
  static let chat = AppID("org.example.chat")!

  /// - Parameter latePages: 0 if each commit writes its rows at once, so that tests can read and change them by SQL.
  init(
    _ directory: String, handset number: HandsetID = 1, eventLimit: Int = Policy.eventLimit,
    refusedEventLimit: Int = Policy.refusedEventLimit, databaseBytes: Int = StoreLimits.databaseBytes,
    latePages: Int64 = 0
  ) throws {
    let open: (Int) throws -> HandsetStore = { bytes in
      try HandsetStore(
        directory: directory, eventLimit: eventLimit, refusedEventLimit: refusedEventLimit, databaseBytes: bytes,
        latePages: latePages)
    }
    self.open = open
    opened = try open(databaseBytes)
    self.number = number
  }

  /// Returns a rig whose store is in a folder that is removed with it.
  static func inNewFolder(
    eventLimit: Int = Policy.eventLimit, refusedEventLimit: Int = Policy.refusedEventLimit,
    databaseBytes: Int = StoreLimits.databaseBytes, latePages: Int64 = 0
  ) throws -> Rig {
    let place = Place()
    var rig = try Rig(
      place.path, eventLimit: eventLimit, refusedEventLimit: refusedEventLimit, databaseBytes: databaseBytes,
      latePages: latePages)
    rig.place = place
    return rig
  }

  /// A rig of another handset in that store.
  init(_ store: HandsetStore, handset number: HandsetID = 1) {
    open = { _ in store }
    opened = store
    self.number = number
  }

  /// Closes the store and opens it again, as an end and a start of the daemon do.
  /// - Parameter meanwhile: runs in between.
  mutating func restart(databaseBytes: Int = StoreLimits.databaseBytes, _ meanwhile: () throws -> Void = {}) throws {
    opened = nil
    try meanwhile()
    opened = try open(databaseBytes)
  }

  var now: Moment { Moment(uptime: uptime, wall: WallTime(seconds: 1_800_000_000).advanced(by: uptime)) }

  /// Takes the turn without storing it.
  mutating func take(_ input: Input) -> Turn {
    uptime += .milliseconds(10)
    return handset.handle(input, at: now)
  }

  /// Takes and stores one turn for each input, all in one batch.
  mutating func commit(_ inputs: Input..., durable: Bool = false) throws { try commit(all: inputs, durable: durable) }

  /// Takes and stores the inputs in one batch, and checks that the handset is loaded as it is.
  /// - Returns: the loaded one.
  @discardableResult
  mutating func commitAndReload(
    _ inputs: Input..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Handset {
    try commit(all: inputs, durable: false)
    let loaded = try reloaded()
    #expect(loaded == handset.stored, sourceLocation: sourceLocation)
    return loaded
  }

  private mutating func commit(all inputs: [Input], durable: Bool) throws {
    try store.commit(takeAll(inputs), of: number, durable: durable)
  }

  private mutating func takeAll(_ inputs: [Input]) -> [Turn] {
    var turns: [Turn] = []
    for input in inputs { turns.append(take(input)) }
    return turns
  }

  /// Takes inputs in one batch that cannot be stored, and checks that handset and store are as before once the batch is
  /// undone.
  /// - Returns: the error of the commit.
  @discardableResult
  mutating func failToCommit(_ inputs: [Input], positions: [StreamPosition] = []) throws -> StoreError? {
    let before = handset
    let turns = takeAll(inputs)
    let batch = turns.map { HandsetTurn(handset: number, turn: $0) }
    let store = store
    let error = #expect(throws: StoreError.self) { try store.commit(batch, durable: true, positions: positions) }
    handset.undo(turns.flatMap(\.changes))
    #expect(handset == before)
    #expect(try reloaded() == before.stored)
    return error
  }

  mutating func installMail() throws {
    try commit(
      .install(manifest(Rig.mail), token: token(1)), .register(Rig.mail, .all, token: token(2)))
  }

  /// Returns the numbers of the events that are kept.
  func kept() throws -> [UInt64] {
    try store.events(of: number, after: 0, limit: 1_000_000).map(\.sequence)
  }

  func reloaded() throws -> Handset {
    let (contents, damage) = try store.load(handset: number)
    #expect(damage == [])
    return Handset(contents)
  }

  /// Returns the handset that a daemon would load that starts after this one was killed.
  func reloadedFromCopy() throws -> Handset {
    try withCopy(of: store.directory, log: true) { try Rig($0, handset: number).reloaded() }
  }

  /// Changes the database by SQL and loads the handset.
  func load(after script: String) throws -> (contents: Handset.Contents, damage: [String]) {
    try sql(store.directory, script)
    let (contents, damage) = try store.load(handset: number)
    return (contents, damage.map(\.description))
  }
}

/// A suite on a rig with an app, in a folder of its own.
class MailTests {
  var rig: Rig
  var directory: String { rig.store.directory }

  init(latePages: Int64 = 0) throws {
    rig = try Rig.inNewFolder(latePages: latePages)
    try rig.installMail()
  }
}

extension Handset {
  /// The stored part of it: all but the time zone, the clock's lead, connections, banner, lamp and chosen action.
  var stored: Handset {
    var contents = self.contents
    contents.timeZone = .utc
    contents.listeners = []
    (contents.clockSkew, contents.banner, contents.soundedAgain, contents.selection) = (nil, nil, nil, nil)
    return Handset(contents)
  }
}

func manifest(_ id: AppID) -> AppManifest {
  var manifest = AppManifest(
    id: id, name: "Møil \"quoted\" 📬", receivesBackgroundUpdates: true, actionTitle: "Read", lampPattern: .heartbeat,
    foregroundPresentation: [.badge, .alert], sounds: ["chime", "ding dong"],
    strings: ["NEW": "%@ sent \"%2$@\"\n", "/path": "a/b", "": "e\u{301}\u{0}"], hasPrograms: true)
  manifest.acknowledge = "https://mail.example/seen"
  var reply = NotificationAction(id: "REPLY", title: "R\u{e9}ply", textInput: .init(button: "Send", placeholder: "…"))
  reply.needsUnlock = true
  manifest.categories = [
    NotificationCategory(id: "ASK", actions: [reply, NotificationAction(id: "OPEN", title: "Open", opensApp: true)])
  ]
  return manifest
}

func token(_ number: UInt64) -> DeviceToken {
  DeviceToken(bytes: withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0xA5, count: 24))!
}

func pushID(_ number: UInt64) -> PushID { PushID(high: 0xABCD_EF00_1234_5678, low: number) }

func push(
  _ number: UInt64, to app: AppID = Rig.mail, token address: UInt64 = 1, body: String? = "Hello", badge: Int? = nil,
  collapseID: String? = nil, payload: [UInt8] = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
) -> Push {
  Push(
    id: pushID(number), token: token(address), topic: app, message: body.map { Message(body: .literal($0)) },
    badge: badge.map(BadgeRequest.number) ?? .absent, collapseID: collapseID, payload: payload)
}

/// Returns the push with an identifier that its provider chose.
func named(_ push: Push) -> Push {
  var push = push
  push.hasProviderID = true
  return push
}

/// Returns the push with an expiration, so that it is kept while the handset is offline.
func lasting(_ push: Push) -> Push {
  var push = push
  push.expiration = .at(WallTime(seconds: 1_900_000_000))
  return push
}

func update(_ number: UInt64, to app: AppID = Rig.mail, token address: UInt64 = 1, payload: [UInt8]) -> Push {
  Push(
    id: pushID(number), token: token(address), topic: app, type: .background, contentAvailable: true, priority: 5,
    payload: payload)
}

/// Runs SQL through a connection of its own. Returns the first column of the first row, as text.
/// - Parameter isForeign: true to act as another program, which does not know about checksums.
@discardableResult
func sql(_ directory: String, _ script: String, isForeign: Bool = false) throws -> String? {
  var handle: OpaquePointer?
  defer { sqlite3_close(handle) }
  let fileSystem = isForeign ? nil : PageChecksums.fileSystem
  let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
  try #require(sqlite3_open_v2(directory + "/deskbell.sqlite", &handle, flags, fileSystem) == SQLITE_OK)
  sqlite3_busy_timeout(handle, 5_000)
  // Several statements return nothing: a trigger's body has semicolons too, so SQLite finds the end of the first one.
  var statement: OpaquePointer?
  defer { sqlite3_finalize(statement) }
  let isAlone = try script.withCString { text in
    var tail: UnsafePointer<CChar>?
    try #require(sqlite3_prepare_v2(handle, text, -1, &statement, &tail) == SQLITE_OK, "\(script)")
    return tail?.pointee == 0
  }
  if !isAlone {
    try #require(sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK, "\(script)")
    return nil
  }
  switch sqlite3_step(statement) {
  case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  case SQLITE_DONE: return nil
  case let code:
    Issue.record("\(script): \(code)")
    return nil
  }
}
