// A notification is one row, its facts first: every start reads those, and the words and the payload behind them are
// only read on request.

import CSQLite
import HandsetCore

/// The columns of a notification that have a form of their own.
enum StoredNotifications {
  /// Returns the row's key: the handset's number above the notification's. New rows follow the handset's others.
  static func key(_ id: NotificationID, of handset: HandsetID) -> Int64 {
    handset.number << StoreLimits.notificationNumberBits | Int64(bitPattern: id.number)
  }

  static func keys(of handset: HandsetID) -> ClosedRange<Int64> {
    let first = key(NotificationID(number: 0), of: handset)
    return first...(first | ((1 << StoreLimits.notificationNumberBits) - 1))
  }
}

extension RowStatement {
  static let notification = RowStatement(
    7,
    """
    REPLACE INTO notification (key, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size,
      sound, critical_volume, repetition, options, arrived, app_name, title, subtitle, body, action_title, thread_id,
      payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let notificationFacts = RowStatement(
    8,
    """
    UPDATE notification SET app = ?2, push = ?3, level = ?4, collapse_id = ?5, is_listed = ?6, is_seen = ?7,
      alert_order = ?8, has_action = ?9, size = ?10, sound = ?11, critical_volume = ?12, repetition = ?13,
      options = ?14
    WHERE key = ?1
    """)
  static let notificationRemoval = RowStatement(9, "DELETE FROM notification WHERE key = ?")
}

extension HandsetStore {
  /// Removes the rows with those keys: of consecutive ones, as a full Notification Center's are, with one statement.
  func removeNotifications(_ keys: [Int64]) throws(StoreError) {
    var rest = keys.sorted()[...]
    while let first = rest.popFirst() {
      var last = first
      while collected == nil, rest.first == last &+ 1 { last = rest.removeFirst() }
      if first == last {
        try put(.notificationRemoval, .integer(first))
      } else {
        try database.run("DELETE FROM notification WHERE key BETWEEN ? AND ?", .integer(first), .integer(last))
      }
    }
  }

  /// Writes a notification that is new or changed. It is read within the change: a copy of it would take as long as
  /// binding three values.
  func writeNotification(_ change: NotificationChange, of handset: HandsetID) throws(StoreError) {
    let id = change.notification.id
    let repetition = try optionalJSON(change.notification.repetition, "the repetition of notification \(id)")
    let options = try optionalJSON(change.notification.options, "the options of notification \(id)")
    try put(change.content == nil ? .notificationFacts : .notification) { row in
      row.add(StoredNotifications.key(id, of: handset))
      row.add(change.notification)
      row.add(repetition)
      row.add(options)
      if let content = change.content { row.add(content) }
    }
  }

  /// Returns the words and payload of a notification; nil if there is none with that number.
  public func content(of notification: NotificationID, handset: HandsetID) throws(StoreError) -> NotificationContent? {
    try reading { () throws(StoreError) in
      let statement = try database.query(
        """
        SELECT ?2 AS number, arrived, app_name, title, subtitle, body, action_title, thread_id, payload
        FROM notification WHERE key = ?1
        """, [.integer(StoredNotifications.key(notification, of: handset)), .bits(notification.number)])
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      let row = StoredRow(statement: statement, table: "notification")
      do throws(StoreDamage) {
        return NotificationContent(
          arrived: WallTime(microseconds: try row.integer(1)), appName: try row.text(2),
          title: try row.optional(3, row.text), subtitle: try row.optional(4, row.text),
          body: try row.optional(5, row.text), actionTitle: try row.optional(6, row.text),
          threadID: try row.optional(7, row.text), payload: try row.bytes(8))
      } catch {
        throw .damaged(error)
      }
    }
  }
}

extension HandsetLoading {
  /// Reads the rows whose keys are above `first` and not above `last`.
  mutating func readNotifications(after first: Int64, through last: Int64) throws(StoreError) {
    try read(
      "notification",
      """
      SELECT key & ?3 AS number, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size,
        sound, critical_volume, repetition, options
      FROM notification WHERE key > ?1 AND key <= ?2 ORDER BY key
      """, .integer(first), .integer(last),
      .integer((1 << StoreLimits.notificationNumberBits) - 1)
    ) { loading, row throws(StoreDamage) in
      let size = Int(clamping: try row.count(9))
      guard Notification.sizes.contains(size) else { throw row.damage(9, "it is \(size), more than all may have") }
      let id = NotificationID(number: try row.count(0, below: loading.contents.record.nextNotification))
      let installed = try loading.installedApp(row, 1)
      let app = if let installed { installed } else { try loading.readAppID(row, 1) }
      var notification = Notification(
        id: id, app: app, push: try row.push(2), level: try row.level(3),
        collapseID: try row.optional(4, row.text), isListed: try row.flag(5), isSeen: try row.flag(6),
        alertOrder: try row.optional(7) { column throws(StoreDamage) in
          try row.count(column, below: loading.contents.record.nextAlert)
        },
        hasAction: try row.flag(8), size: size)
      notification.sound = try row.sound(10, volume: 11, last: &loading.lastSound)
      // Few have these two, which are on the heap.
      let repetition = try row.optionalRequest(12, "a repetition") {
        loading.decode(Repetition.self, $0).flatMap { $0.isValid ? $0 : nil }
      }
      if let repetition { notification.repetition = repetition }
      let options = try row.optionalRequest(13, "the options of a notification") {
        loading.decode(NotificationOptions.self, $0).flatMap { $0.isValid ? $0 : nil }
      }
      if let options { notification.options = options }
      if !notification.isListed && !notification.isSeen {
        throw row.damage(6, "it is unseen, and not listed where it could be seen")
      }
      guard installed != nil || loading.isInstalled(app, "notification") else { return }
      loading.contents.add(notification)
    }
  }

  /// Returns true if the row's app exists, and counts the row as an orphan otherwise.
  mutating func isInstalled(_ app: AppID, _ table: String) -> Bool {
    if appsByText[app.text] != nil { return true }
    orphans[app, default: [:]][table, default: 0] += 1
    return false
  }
}

extension RowValues {
  /// Adds what every commit of the notification writes, but the key and the values in JSON.
  fileprivate mutating func add(_ notification: Notification) {
    add(notification.app.text)
    add(notification.push)
    add(notification.level.rawValue)
    add(notification.collapseID)
    add(notification.isListed)
    add(notification.isSeen)
    add(notification.alertOrder.map { Int64(bitPattern: $0) })
    add(notification.hasAction)
    add(Int64(notification.size))
    add(notification.sound)
  }

  fileprivate mutating func add(_ content: NotificationContent) {
    add(content.arrived.microseconds)
    add(content.appName)
    add(content.title)
    add(content.subtitle)
    add(content.body)
    add(content.actionTitle)
    add(content.threadID)
    content.payload.withUnsafeBytes { add(blob: $0) }
  }

  /// Adds the 16 bytes of the UUID, and four more that mark the upper-case letters if there are any.
  fileprivate mutating func add(_ id: PushID) {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian, id.upperCaseDigits.bigEndian)) { bytes in
      add(blob: UnsafeRawBufferPointer(rebasing: bytes[..<(id.upperCaseDigits == 0 ? 16 : 20)]))
    }
  }

  /// Adds the name, empty for the default sound, and a critical sound's volume.
  fileprivate mutating func add(_ sound: SoundRequest) {
    var volume: Double?
    switch sound {
    case .none: add(nil as String?)
    case .system: add("")
    case .named(let name): add(name)
    case .critical(let name, let own):
      add(name ?? "")
      volume = own
    }
    add(volume)
  }
}

extension StoredRow {
  /// Most are active, for which no text is made.
  fileprivate func level(_ column: Int32) throws(StoreDamage) -> InterruptionLevel {
    if try utf8(column).isText(InterruptionLevel.active.rawValue) { return .active }
    return try value(column, "an interruption level") { InterruptionLevel(rawValue: $0) }
  }

  /// - Parameter last: the last row's that is not critical: notifications with the same sound share its name.
  fileprivate func sound(
    _ column: Int32, volume: Int32, last: inout (name: String, request: SoundRequest)
  ) throws(StoreDamage) -> SoundRequest {
    if self[column].type == SQLITE_NULL { return .none }
    if let volume = try optional(volume, real) {
      let name = try text(column)
      return .critical(name: name.isEmpty ? nil : name, volume: volume)
    }
    if try !utf8(column).isText(last.name) {
      let name = try text(column)
      last = (name, name.isEmpty ? .system : .named(name))
    }
    return last.request
  }

  fileprivate func push(_ column: Int32) throws(StoreDamage) -> PushID {
    let bytes = try blob(column)
    guard bytes.count == 16 || bytes.count == 20 else { throw damage(column, "it is not a push's identifier") }
    return PushID(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      upperCaseDigits: bytes.count == 16
        ? 0 : UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)))
  }
}
