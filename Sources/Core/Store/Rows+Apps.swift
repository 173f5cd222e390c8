// Apps, the person's settings for them, and their tokens. Bundle and state are separate rows: a push that sets a badge
// rewrites a hundred bytes, however large the app's strings are.

import FoundationEssentials
import HandsetCore

extension RowStatement {
  static let appState = RowStatement(
    4,
    """
    REPLACE INTO app_state (handset, app, token, registration, kinds, unregistered_since, lifecycle, badge, listens,
      foreground_presentation, snooze)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  /// The same, of an app with what few have. The statement without these columns empties them.
  static let wholeAppState = RowStatement(
    11,
    """
    REPLACE INTO app_state (handset, app, token, registration, kinds, unregistered_since, lifecycle, badge, listens,
      foreground_presentation, snooze, local, push_type_counts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
}

extension HandsetStore {
  func writeApp(_ id: AppID, before: App?, after: App?, of handset: HandsetID) throws(StoreError) {
    guard let after else {
      for table in ["app", "app_state", "app_setting", "app_key"] {
        try deleteAll(of: id, from: table, of: handset)
      }
      return
    }
    let manifest = after.manifest
    if before?.manifest != manifest {
      let categories = try optionalJSON(manifest.categories, "the categories of '\(id)'")
      try database.run(
        """
        REPLACE INTO app (handset, app, name, receives_background_updates, action_title, lamp_pattern,
          foreground_presentation, sounds, strings, has_hooks, acknowledge, categories, has_notification_hook,
          live_activity, broadcast, push_types, has_service_extension)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .integer(handset.number), .text(id.text), .text(manifest.name), .flag(manifest.receivesBackgroundUpdates),
        .optional(manifest.actionTitle), .optional(manifest.lampPattern?.name),
        .text(manifest.foregroundPresentation.storedText),
        .text(try json(manifest.sounds.sorted(), "the sounds of '\(id)'")),
        .text(try json(manifest.strings, "the strings of '\(id)'")), .flag(manifest.hasPrograms),
        .optional(manifest.acknowledge), categories, .flag(manifest.hasNotificationProgram),
        try optionalJSON(manifest.liveActivity, "the Live Activities of '\(id)'"), .flag(manifest.hasBroadcasts),
        try optionalJSON(manifest.pushTypes, "the push types of '\(id)'"), .flag(manifest.hasServiceExtension))
    }
    try writeState(id, before: before?.state, after: after.state, of: handset)
  }

  func writeState(_ id: AppID, before: AppState?, after: AppState, of handset: HandsetID) throws(StoreError) {
    let (registration, kinds, since): (String, SQLiteValue, SQLiteValue) =
      switch after.registration {
      case .pending: ("pending", .null, .null)
      case .registered(let kinds): ("registered", .text(kinds.storedText), .null)
      case .unregistered(let since): ("unregistered", .null, .integer(since.microseconds))
      }
    let local: Int64 = (after.hasScheduled ? 1 : 0) + (after.hasLocalBadge ? 2 : 0)
    let snooze = try optionalJSON(after.snooze, "the snooze of '\(id)'")
    let counts = try optionalJSON(after.pushTypeCounts, "what is counted of '\(id)'")
    let isWhole = local != 0 || after.pushTypeCounts != nil
    try put(isWhole ? .wholeAppState : .appState) { row in
      row.add([
        .integer(handset.number), .text(id.text), .blob(after.token.bytes), .text(registration), kinds, since,
        .text(after.lifecycle.rawValue), .integer(Int64(after.badge)), .flag(after.listens),
        .optional(after.foregroundPresentation?.storedText), snooze,
      ])
      if isWhole { row.add([.integer(local), counts]) }
    }
    let old = before?.settings ?? AppSettings()
    guard old != after.settings else { return }
    for key in AppSettings.Key.allCases where old[key] != after.settings[key] {
      try database.run(
        "REPLACE INTO app_setting (handset, app, key, value) VALUES (?, ?, ?, ?)", .integer(handset.number),
        .text(id.text), .text(key.rawValue), .text(after.settings[key]))
    }
  }

  func writeToken(_ token: DeviceToken, _ record: TokenRecord?, of handset: HandsetID) throws(StoreError) {
    guard let record else {
      return try database.run(
        "DELETE FROM token WHERE handset = ? AND token = ?", .integer(handset.number), .blob(token.bytes))
    }
    try database.run(
      "REPLACE INTO token (handset, token, app, gone_since, purpose) VALUES (?, ?, ?, ?, ?)",
      .integer(handset.number), .blob(token.bytes), .text(record.app.text), .optional(record.goneSince?.microseconds),
      .optional(record.purpose?.coded))
  }

  /// Removes the rows of an app that could not be read when the handset was loaded, and the rows that depend on them.
  /// It reads whole tables, which only a damaged database makes necessary.
  func purge(_ id: AppID, of handset: HandsetID) throws(StoreError) {
    let tables = [
      "app", "app_state", "app_setting", "held", "offered", "delivery", "kept", "extending", "deferred",
      "local_notification", "node", "activity",
    ]
    for table in tables { try deleteAll(of: id, from: table, of: handset) }
    try unpackAll(of: handset)
    let keys = StoredNotifications.keys(of: handset)
    try database.delete(
      from: "notification", where: "key BETWEEN ? AND ? AND app = ?", .integer(keys.lowerBound),
      .integer(keys.upperBound), .text(id.text))
    try database.delete(
      from: "token", where: "handset = ? AND app = ? AND gone_since IS NULL", .integer(handset.number), .text(id.text))
  }

  private func deleteAll(of id: AppID, from table: String, of handset: HandsetID) throws(StoreError) {
    try database.delete(from: table, where: "handset = ? AND app = ?", .integer(handset.number), .text(id.text))
  }

  /// - Parameter what: names the value in an error.
  func optionalJSON(_ value: (some Encodable)?, _ what: @autoclosure () -> String) throws(StoreError) -> SQLiteValue {
    guard let value else { return .null }
    return .text(try json(value, what()))
  }

  func json(_ value: some Encodable, _ what: @autoclosure () -> String) throws(StoreError) -> String {
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .unwritable(what(), problem: "\(error)")
    }
  }
}

extension HandsetLoading {
  mutating func readApps() throws(StoreError) {
    var settings = try readAppSettings()
    try read(
      "app",
      """
      SELECT app, name, receives_background_updates, action_title, lamp_pattern, app.foreground_presentation, sounds,
        strings, token, registration, kinds, unregistered_since, lifecycle, badge, has_hooks, listens,
        app_state.foreground_presentation, snooze, acknowledge, categories, has_notification_hook, live_activity,
        broadcast, push_types, has_service_extension, push_type_counts, local
      FROM app LEFT JOIN app_state USING (handset, app) WHERE handset = ?
      """
    ) { loading, row throws(StoreDamage) in
      do throws(StoreDamage) {
        let id = try loading.readAppID(row, 0)
        var app = try loading.readApp(row, id)
        if let other = loading.tokenOwners.updateValue(id, forKey: app.state.token) {
          loading.tokenOwners[app.state.token] = other
          throw row.damage(8, "it is the token of '\(other)'")
        }
        app.state.settings = settings.removeValue(forKey: id.text) ?? AppSettings()
        loading.contents.apps.append(app)
        loading.appsByText[id.text] = app
        loading.appsByHash[try row.utf8(0).hash] = id
      } catch {
        if let id = row.statement.text(0).flatMap({ AppID($0) }) { loading.unreadableApps.insert(id) }
        throw error
      }
    }
  }

  private func readApp(_ row: StoredRow, _ id: AppID) throws(StoreDamage) -> App {
    var manifest = AppManifest(id: id, name: try row.text(1), receivesBackgroundUpdates: try row.flag(2))
    manifest.actionTitle = try row.optional(3, row.text)
    manifest.lampPattern = try row.optionalValue(4, "a lamp pattern") { LampPattern(named: $0) }
    manifest.foregroundPresentation = try row.value(5, "a list of kinds", NotificationKinds.init(storedText:))
    manifest.sounds = Set(try row.value(6, "a list of names in JSON") { decode([String].self, $0) })
    manifest.strings = try row.value(7, "strings in JSON") { decode([String: String].self, $0) }
    manifest.hasPrograms = try row.flag(14)
    manifest.acknowledge = try row.optional(18, row.text)
    manifest.categories = try row.optionalValue(19, "categories in JSON") { decode([NotificationCategory].self, $0) }
    manifest.hasNotificationProgram = try row.flag(20)
    manifest.liveActivity = try row.optionalValue(21, "a manifest of Live Activities in JSON") {
      decode(LiveActivityManifest.self, $0)
    }
    manifest.hasBroadcasts = try row.flag(22)
    manifest.pushTypes = try row.optionalValue(23, "push types in JSON") { decode([PushType].self, $0) }
    manifest.hasServiceExtension = try row.flag(24)

    guard let token = DeviceToken(bytes: try row.bytes(8)) else { throw row.damage(8, "it is no device token") }
    var state = AppState(token: token)
    switch try row.text(9) {
    case "pending": state.registration = .pending
    case "registered":
      state.registration = .registered(try row.value(10, "a list of kinds", NotificationKinds.init(storedText:)))
    case "unregistered":
      state.registration = .unregistered(since: WallTime(microseconds: try row.integer(11)))
    case let other: throw row.damage(9, "'\(other)' is not a registration")
    }
    state.lifecycle = try row.value(12, "a lifecycle") { Lifecycle(rawValue: $0) }
    guard let badge = Int(exactly: try row.count(13)) else { throw row.damage(13, "it is no badge") }
    state.badge = badge
    state.listens = try row.flag(15)
    state.foregroundPresentation = try row.optionalValue(16, "a list of kinds", NotificationKinds.init(storedText:))
    state.snooze = try snooze(row, 17)
    state.pushTypeCounts = try row.optionalRequest(25, "counts of pushes") { decode([PushTypeCount].self, $0) }
    let local = try row.count(26)
    guard local <= 3 else { throw row.damage(26, "it is \(local), not 0 to 3") }
    (state.hasScheduled, state.hasLocalBadge) = (local & 1 != 0, local & 2 != 0)
    return App(manifest: manifest, state: state)
  }

  func snooze(_ row: StoredRow, _ column: Int32) throws(StoreDamage) -> Snooze? {
    try row.optionalRequest(column, "a snooze") {
      decode(Snooze.self, $0).flatMap { Policy.snoozeTimes.contains($0.length) ? $0 : nil }
    }
  }

  /// Reads the settings, by the app's identifier as stored.
  private mutating func readAppSettings() throws(StoreError) -> [String: AppSettings] {
    var settings: [String: AppSettings] = [:]
    try read("app_setting", keyColumns: 2, "SELECT app, key, value FROM app_setting WHERE handset = ?") {
      _, row throws(StoreDamage) in
      let app = try row.text(0)
      let key = try row.value(1, "a setting") { AppSettings.Key(rawValue: $0) }
      let value = try row.text(2)
      do throws(SettingError) {
        try settings[app, default: AppSettings()].set(key, to: value)
      } catch {
        throw row.damage(2, error.description)
      }
    }
    return settings
  }

  mutating func readTokens() throws(StoreError) {
    try read("token", "SELECT token, app, gone_since, purpose FROM token WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      guard let token = DeviceToken(bytes: try row.bytes(0)) else { throw row.damage(0, "it is no device token") }
      let id = try loading.readAppID(row, 1)
      let since = try row.optional(2, row.integer).map(WallTime.init(microseconds:))
      let purpose = try row.optionalValue(3, "a token's purpose") { TokenPurpose(coded: $0) }
      if let owner = loading.tokenOwners[token], let app = loading.appsByText[owner.text] {
        guard owner == id else { throw row.damage(1, "it is the token of '\(owner)'") }
        guard since == app.state.goneSince else {
          throw row.damage(2, "it is not since when '\(id)' is unregistered")
        }
      } else if since == nil {
        guard loading.appsByText[id.text] != nil else {
          // Reported once for all rows that depend on the app.
          loading.orphans[id, default: [:]]["token", default: 0] += 1
          return
        }
        guard purpose != nil else { throw row.damage(0, "it is not the token of '\(id)'") }
      }
      loading.contents.tokens[token] = TokenRecord(app: id, goneSince: since, purpose: purpose)
    }
    reviveTokens()
  }

  /// Restores tokens from the apps' states, which contain everything that is in a token's row. Without its token's row
  /// an app would receive no pushes, or its token would be unknown instead of gone.
  private mutating func reviveTokens() {
    for app in contents.apps where contents.tokens[app.state.token] == nil {
      contents.tokens[app.state.token] = TokenRecord(app: app.id, goneSince: app.state.goneSince)
      damage.append(
        StoreDamage(
          table: "token", key: app.id.text, column: "token", problem: "the row is lost; made again from the app's"))
    }
  }

  /// Returns the app's own copy of its identifier, which 50,000 notifications share; nil if it is not installed.
  func installedApp(_ row: StoredRow, _ column: Int32) throws(StoreDamage) -> AppID? {
    let name = try row.utf8(column)
    guard let app = appsByHash[name.hash], name.isText(app.text) else { return nil }
    return app
  }

  func readAppID(_ row: StoredRow, _ column: Int32) throws(StoreDamage) -> AppID {
    if let app = try installedApp(row, column) { return app }
    let text = try row.text(column)
    guard let id = AppID(text) else { throw row.damage(column, "'\(text)' is not an app's identifier") }
    return id
  }

  func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? decoder.decode(type, from: Data(text.utf8))
  }
}

extension AppState {
  /// The time since when its token is gone; nil while it is good.
  fileprivate var goneSince: WallTime? {
    if case .unregistered(let since) = registration { since } else { nil }
  }
}

extension NotificationKinds {
  fileprivate var storedText: String { names.joined(separator: " ") }

  fileprivate init?(storedText: String) {
    self.init(names: storedText.split(separator: " ").map(String.init))
  }
}
