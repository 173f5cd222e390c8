// Background updates on their way to their apps: held and offered ones, and the budgets that they use. Each row has its
// payload, since there are few; an offered update takes over the payload of the row that held it.

import HandsetCore

extension HandsetStore {
  /// - Parameter payload: nil keeps the stored one.
  func writeHeld(_ app: AppID, _ update: HeldUpdate?, payload: [UInt8]?, of handset: HandsetID) throws(StoreError) {
    guard let update else {
      return try database.run(
        "DELETE FROM held WHERE handset = ? AND app = ?", .integer(handset.number), .text(app.text))
    }
    let due = SQLiteValue.optional(update.due?.inMicroseconds)
    guard let payload else {
      return try database.run(
        "UPDATE held SET push = ?, expires = ?, due_uptime = ? WHERE handset = ? AND app = ?",
        .text(update.push.description), .integer(update.expires.microseconds), due, .integer(handset.number),
        .text(app.text))
    }
    try database.run(
      """
      REPLACE INTO held (handset, app, push, expires, due_uptime, payload, type) VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(handset.number), .text(app.text), .text(update.push.description), .integer(update.expires.microseconds),
      due, .blob(payload), .optional(update.type?.rawValue))
  }

  func writeOffer(
    _ app: AppID, before: Offer?, after: Offer?, payload: OfferedPayload, of handset: HandsetID
  ) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM offered WHERE handset = ? AND app = ? AND push = ?",
        .integer(handset.number), .text(app.text), .text(before.push.description))
    }
    let key = (
      SQLiteValue.integer(handset.number), SQLiteValue.text(app.text), SQLiteValue.text(after.push.description)
    )
    switch payload {
    case .bytes(let bytes):
      try database.run(
        """
        REPLACE INTO offered (handset, app, push, number, attempt, expires, is_charged, waits, payload)
        VALUES (?, ?, ?, 0, 0, 0, 0, 0, ?)
        """, key.0, key.1, key.2, .blob(bytes))
    case .held:
      try database.run(
        """
        REPLACE INTO offered (handset, app, push, number, attempt, expires, is_charged, waits, payload)
        SELECT handset, app, ?3, 0, 0, 0, 0, 0, payload FROM held WHERE handset = ?1 AND app = ?2
        """, key.0, key.1, key.2)
    case .notification(let id):
      try database.run(
        """
        REPLACE INTO offered (handset, app, push, number, attempt, expires, is_charged, waits, payload)
        SELECT ?1, ?2, ?3, 0, 0, 0, 0, 0, payload FROM notification WHERE key = ?4
        """, key.0, key.1, key.2, .integer(StoredNotifications.key(id, of: handset)))
    case .unchanged: break
    }
    let occasion = try optionalJSON(after.occasion, "the occasion of a push for '\(app)'")
    try database.run(
      """
      UPDATE offered SET number = ?4, attempt = ?5, expires = ?6, deadline_uptime = ?7, is_charged = ?8, waits = ?9,
        occasion = ?10
      WHERE handset = ?1 AND app = ?2 AND push = ?3
      """,
      key.0, key.1, key.2, .bits(after.number), .integer(Int64(after.attempt)),
      .integer(after.expires.microseconds), .optional(after.deadline?.inMicroseconds), .flag(after.isCharged),
      .flag(after.waits), occasion)
  }

  func writeBudget(_ app: AppID, _ budget: DeliveryBudget, of handset: HandsetID) throws(StoreError) {
    try database.run("DELETE FROM delivery WHERE handset = ? AND app = ?", .integer(handset.number), .text(app.text))
    for (place, moment) in budget.deliveries.enumerated() {
      try database.run(
        "INSERT INTO delivery (handset, app, place, uptime, wall) VALUES (?, ?, ?, ?, ?)",
        .integer(handset.number), .text(app.text), .integer(Int64(place)), .integer(moment.uptime.inMicroseconds),
        .integer(moment.wall.microseconds))
    }
  }

  func writeConditions(before: Set<Condition>, after: Set<Condition>, of handset: HandsetID) throws(StoreError) {
    for condition in before.subtracting(after) {
      try database.run(
        "DELETE FROM handset_condition WHERE handset = ? AND condition = ?",
        .integer(handset.number), .text(condition.rawValue))
    }
    for condition in after.subtracting(before) {
      try database.run(
        "INSERT OR IGNORE INTO handset_condition (handset, condition) VALUES (?, ?)",
        .integer(handset.number), .text(condition.rawValue))
    }
  }

  /// Returns the payload of a push that was given to its app; nil if the app has completed it, or it ended otherwise.
  public func offeredPayload(of app: AppID, push: PushID, handset: HandsetID) throws(StoreError) -> [UInt8]? {
    try database.first(
      "SELECT payload FROM offered WHERE handset = ? AND app = ? AND push = ?",
      [.integer(handset.number), .text(app.text), .text(push.description)]
    ) { $0.bytes(0) }
  }
}

extension HandsetLoading {
  mutating func readHeld() throws(StoreError) {
    try read("held", "SELECT app, push, expires, due_uptime, type FROM held WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      var update = HeldUpdate(
        push: try row.value(1, "a push's identifier") { PushID($0) },
        expires: WallTime(microseconds: try row.integer(2)),
        due: try row.optional(3, row.integer).map { .microseconds($0) })
      update.type = try row.optionalValue(4, "a push type") { PushType(rawValue: $0) }
      if let owner = loading.appsByText[app.text] {
        guard owner.manifest.receivesBackgroundUpdates else {
          throw row.damage(0, "the app does not receive background updates: none is held for it")
        }
        guard owner.state.lifecycle != .forceQuit else {
          throw row.damage(0, "the app was force-quit, which discards what is held for it")
        }
      }
      if loading.isInstalled(app, "held") { loading.contents.held[app] = update }
    }
  }

  mutating func readOffers() throws(StoreError) {
    try read(
      "offered", keyColumns: 2,
      """
      SELECT app, push, number, attempt, expires, deadline_uptime, is_charged, waits, occasion
      FROM offered WHERE handset = ? ORDER BY number
      """
    ) { loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      if let owner = loading.appsByText[app.text], owner.isScripted {
        throw row.damage(0, "the app has no hooks and never listened: it cannot complete anything")
      }
      let attempt = try row.integer(3)
      // An offer that waits for its app may not have been given yet.
      let least: Int64 = try row.flag(7) ? 0 : 1
      guard (least...Int64(Policy.offerAttempts)).contains(attempt) else {
        throw row.damage(3, "it is \(attempt), and there are \(Policy.offerAttempts)")
      }
      var offer = Offer(
        push: try row.value(1, "a push's identifier") { PushID($0) },
        number: try row.count(2, below: loading.contents.record.nextEvent),
        attempt: Int(attempt), expires: WallTime(microseconds: try row.integer(4)),
        deadline: try row.optional(5, row.integer).map { .microseconds($0) }, isCharged: try row.flag(6),
        waits: try row.flag(7))
      offer.occasion = try row.optionalRequest(8, "what it is given for") { loading.decode(OfferOccasion.self, $0) }
      if offer.waits && offer.deadline != nil {
        throw row.damage(5, "it waits for its app, and has a deadline all the same")
      }
      if loading.isInstalled(app, "offered") { loading.contents.offers[app, default: []].append(offer) }
    }
  }

  mutating func readBudgets() throws(StoreError) {
    var deliveries: [AppID: [Moment]] = [:]
    try read(
      "delivery", keyColumns: 2,
      "SELECT app, place, uptime, wall FROM delivery WHERE handset = ? ORDER BY app, place"
    ) { loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      let moment = Moment(uptime: .microseconds(try row.integer(2)), wall: WallTime(microseconds: try row.integer(3)))
      if loading.isInstalled(app, "delivery") { deliveries[app, default: []].append(moment) }
    }
    contents.budgets = deliveries.mapValues { DeliveryBudget(deliveries: $0) }
  }

  mutating func readConditions() throws(StoreError) {
    try read("handset_condition", "SELECT condition FROM handset_condition WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      loading.contents.record.conditions.insert(try row.value(0, "a condition") { Condition(rawValue: $0) })
    }
  }
}
