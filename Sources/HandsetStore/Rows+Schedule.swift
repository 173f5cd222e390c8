// What apps have scheduled. A request is one JSON text: nothing ever asks for a part of it.

import FoundationEssentials
import HandsetCore

extension HandsetStore {
  func writePending(
    before: PendingNotification?, after: PendingNotification?, of handset: HandsetID
  ) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM local_notification WHERE handset = ? AND app = ? AND identifier = ?", .integer(handset.number),
        .text(before.request.app.text), .text(before.request.identifier))
    }
    let request = after.request
    let what = "what '\(request.app)' has scheduled as '\(request.identifier)'"
    var uptime: Int64?
    var from: Int64?
    var presented: ClosedRange<WallTime>?
    switch after.due {
    case .uptime(let time, _): uptime = time.inMicroseconds
    case .wall(_, let since, let span): (from, presented) = (since.microseconds, span)
    }
    try database.run(
      """
      INSERT INTO local_notification (handset, app, identifier, push, request, payload, due_uptime, due_wall,
        counted_from, presented_from, presented_to)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (handset, app, identifier) DO UPDATE SET push = excluded.push, request = excluded.request,
        payload = excluded.payload, due_uptime = excluded.due_uptime, due_wall = excluded.due_wall,
        counted_from = excluded.counted_from, presented_from = excluded.presented_from,
        presented_to = excluded.presented_to
      """,
      .integer(handset.number), .text(request.app.text), .text(request.identifier), .text(request.push.description),
      .text(try json(StoredRequest(request), what)), .blob(request.payload), .optional(uptime),
      .integer(after.dueWall.microseconds), .optional(from), .optional(presented?.lowerBound.microseconds),
      .optional(presented?.upperBound.microseconds))
  }
}

extension HandsetLoading {
  mutating func readPending() throws(StoreError) {
    let statement = try database.query(
      """
      SELECT app, identifier, push, request, payload, due_uptime, due_wall, counted_from, presented_from, presented_to
      FROM local_notification WHERE handset = ?
      """, .integer(handset.number))
    defer { statement.reset() }
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "local_notification", keyColumns: 2)
      do throws(StoreDamage) {
        let app = try readAppID(row, 0)
        guard isInstalled(app, "local_notification") else { continue }
        contents.pending.append(try readPending(row, of: app))
      } catch {
        damage.append(error)
      }
    }
  }

  private func readPending(_ row: StoredRow, of app: AppID) throws(StoreDamage) -> PendingNotification {
    let identifier = try row.text(1)
    let push = try row.value(2, "a push's identifier") { PushID($0) }
    let payload = try row.bytes(4)
    let request = try row.value(3, "a scheduled notification in JSON") {
      decode(StoredRequest.self, $0)?.request(app: app, identifier: identifier, push: push, payload: payload)
    }
    let wall = WallTime(microseconds: try row.integer(6))
    switch request.trigger {
    case .interval:
      let uptime = Duration.microseconds(try row.integer(5))
      return PendingNotification(request: request, due: .uptime(uptime, wall: wall))
    case .calendar:
      let from = WallTime(microseconds: try row.integer(7))
      var presented: ClosedRange<WallTime>?
      if let first = try row.optionalInteger(8) {
        let last = try row.integer(9)
        guard first <= last else { throw row.damage(9, "it is before presented_from") }
        presented = WallTime(microseconds: first)...WallTime(microseconds: last)
      }
      return PendingNotification(request: request, due: .wall(wall, from: from, presented: presented))
    }
  }
}

/// A request as it is stored: flat, every case a word of its own.
private struct StoredRequest: Codable {
  struct Text: Codable {
    var literal: String?
    var key: String?
    var arguments: [String]?
  }

  var intervalMicroseconds: Int64?
  var calendar: [String: Int]?
  var repeats: Bool
  var title: Text?
  var subtitle: Text?
  var body: Text?
  /// `standard`, `none`, or `key` with `actionKey`; absent where there is no message.
  var action: String?
  var actionKey: String?
  var badge: Int?
  /// `default`, `named` or `critical`; absent where there is no sound.
  var sound: String?
  var soundName: String?
  var soundVolume: Double?
  var level: String
  var threadID: String?

  init(_ request: LocalNotification) {
    switch request.trigger {
    case .interval(let interval, let repeats):
      intervalMicroseconds = interval.inMicroseconds
      self.repeats = repeats
    case .calendar(let time, let repeats):
      var parts = ["hour": time.hour, "minute": time.minute, "second": time.second]
      parts["year"] = time.year
      parts["month"] = time.month
      parts["day"] = time.day
      parts["weekday"] = time.weekday
      calendar = parts
      self.repeats = repeats
    }
    if let message = request.message {
      title = message.title.map(StoredRequest.text)
      subtitle = message.subtitle.map(StoredRequest.text)
      body = message.body.map(StoredRequest.text)
      switch message.actionTitle {
      case .standard: action = "standard"
      case .none: action = "none"
      case .localized(let key): (action, actionKey) = ("key", key)
      }
    }
    if case .number(let number) = request.badge { badge = number }
    switch request.sound {
    case .none: break
    case .system: sound = "default"
    case .named(let name): (sound, soundName) = ("named", name)
    case .critical(let name, let volume): (sound, soundName, soundVolume) = ("critical", name, volume)
    }
    level = request.level.rawValue
    threadID = request.threadID
  }

  /// Nil where a word in it is none that there is.
  func request(app: AppID, identifier: String, push: PushID, payload: [UInt8]) -> LocalNotification? {
    guard let trigger, let level = InterruptionLevel(rawValue: level) else { return nil }
    var request = LocalNotification(
      app: app, identifier: identifier, push: push, trigger: trigger, level: level, threadID: threadID,
      payload: payload)
    if let badge { request.badge = .number(badge) }
    switch (sound, soundName, soundVolume) {
    case (nil, _, _): break
    case ("default", _, _): request.sound = .system
    case ("named", let name?, _): request.sound = .named(name)
    case ("critical", let name, let volume?): request.sound = .critical(name: name, volume: volume)
    default: return nil
    }
    guard let action else { return request }
    var message = Message(title: title?.text, subtitle: subtitle?.text, body: body?.text)
    switch (action, actionKey) {
    case ("standard", _): message.actionTitle = .standard
    case ("none", _): message.actionTitle = .none
    case ("key", let key?): message.actionTitle = .localized(key: key)
    default: return nil
    }
    request.message = message
    return request
  }

  private var trigger: LocalNotification.Trigger? {
    if let intervalMicroseconds { return .interval(.microseconds(intervalMicroseconds), repeats: repeats) }
    guard let calendar, let hour = calendar["hour"], let minute = calendar["minute"], let second = calendar["second"]
    else { return nil }
    let time = CalendarTime(
      year: calendar["year"], month: calendar["month"], day: calendar["day"], weekday: calendar["weekday"], hour: hour,
      minute: minute, second: second)
    return time.isValid ? .calendar(time, repeats: repeats) : nil
  }

  private static func text(_ text: MessageText) -> Text {
    switch text {
    case .literal(let literal): Text(literal: literal)
    case .localized(let key, let arguments): Text(key: key, arguments: arguments)
    }
  }
}

extension StoredRequest.Text {
  fileprivate var text: MessageText? {
    if let literal { return .literal(literal) }
    return key.map { .localized(key: $0, arguments: arguments ?? []) }
  }
}
