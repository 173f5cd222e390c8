// The rows of the services before the handset: pushes that wait in it, recent pushes, and
// publishing nodes, each with the property list that was published through it last.

import HandsetCore

extension RowStatement {
  static let recentPush = RowStatement(
    5,
    """
    REPLACE INTO recent_push (handset, number, id_high, id_low, digest, uptime, wall, app)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let recentPushRemoval = RowStatement(6, "DELETE FROM recent_push WHERE handset = ? AND number = ?")
}

extension HandsetStore {
  /// Writes a kept push in full, so that it can arrive as if just sent. The values that the rules look for are in
  /// columns; the rest is one text of JSON, in the push's own form.
  func writeKept(in slot: SlotKey, _ kept: KeptPush?, of handset: HandsetID) throws(StoreError) {
    guard let kept else {
      return try database.run(
        "DELETE FROM kept WHERE handset = ? AND slot = ?", .integer(handset.number), .text(slot.coded))
    }
    // A payload is smaller as bytes than as JSON.
    var push = kept.push
    push.payload = []
    try database.run(
      """
      INSERT OR REPLACE INTO kept (handset, slot, app, number, expires, since, request, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(handset.number), .text(slot.coded), .text(slot.app.text), .bits(kept.number),
      .integer(kept.expires.microseconds), .optional(kept.since?.microseconds),
      .text(try json(push, "the push kept for '\(slot.coded)'")), .blob(kept.push.payload))
  }

  /// Writes a push that waits for its app's service extension, in full as a kept one.
  func writeExtending(
    _ app: AppID, before: ExtendingPush?, after: ExtendingPush?, of handset: HandsetID
  ) throws(StoreError) {
    guard let after else {
      return try database.run(
        "DELETE FROM extending WHERE handset = ? AND app = ? AND number = ?", .integer(handset.number),
        .text(app.text), .bits(before?.number ?? 0))
    }
    var push = after.push
    push.payload = []
    try database.run(
      "REPLACE INTO extending (handset, app, number, attempt, request, payload) VALUES (?, ?, ?, ?, ?, ?)",
      .integer(handset.number), .text(app.text), .bits(after.number), .integer(Int64(after.attempt)),
      .text(try json(push, "the push that '\(app)' extends")), .blob(after.push.payload))
  }

  /// Writes a narrow row, in the order in which the pushes came: a new one is appended at the end, and an old one is
  /// removed at the beginning.
  func writeRecent(before: RecentPush?, after: RecentPush?, of handset: HandsetID) throws(StoreError) {
    if let before, before.number != after?.number {
      try put(.recentPushRemoval, .integer(handset.number), .bits(before.number))
    }
    guard let after else { return }
    try put(
      .recentPush, .integer(handset.number), .bits(after.number), .bits(after.id.high), .bits(after.id.low),
      .bits(after.digest),
      .integer(after.moment.uptime.inMicroseconds), .integer(after.moment.wall.microseconds),
      after.app.map { .integer(Int64($0)) } ?? .null)
  }

  func writeNode(
    _ id: NodeID, _ node: PublishingNode?, published: PublishedBytes, of handset: HandsetID
  ) throws(StoreError) {
    let key = (SQLiteValue.integer(handset.number), SQLiteValue.text(id.app.text), SQLiteValue.text(id.name))
    guard let node else {
      return try database.run("DELETE FROM node WHERE handset = ? AND app = ? AND name = ?", key.0, key.1, key.2)
    }
    try database.run(
      """
      INSERT INTO node (handset, app, name, push, gone_since) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (handset, app, name) DO UPDATE SET push = excluded.push, gone_since = excluded.gone_since
      """,
      key.0, key.1, key.2, .optional(node.lastPush?.description), .optional(node.goneSince?.microseconds))
    let bytes: SQLiteValue
    switch published {
    case .unchanged: return
    case .bytes(let propertyList): bytes = .blob(propertyList)
    case .none: bytes = .null
    }
    try database.run(
      "UPDATE node SET published = ?4 WHERE handset = ?1 AND app = ?2 AND name = ?3", key.0, key.1, key.2, bytes)
  }

  /// Returns the property list that was last published through the node (rule F2); nil if there is none.
  public func published(through node: NodeID, handset: HandsetID) throws(StoreError) -> [UInt8]? {
    try database.first(
      "SELECT published FROM node WHERE handset = ? AND app = ? AND name = ? AND published IS NOT NULL",
      [.integer(handset.number), .text(node.app.text), .text(node.name)]
    ) { $0.bytes(0) }
  }
}

extension HandsetLoading {
  mutating func readExtending() throws(StoreError) {
    try read(
      "extending", keyColumns: 2,
      "SELECT app, number, attempt, request, payload FROM extending WHERE handset = ? ORDER BY number"
    ) { loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      var push = try row.request(3, "a push") { loading.decode(Push.self, $0) }
      guard push.topic == app else { throw row.damage(3, "it is for another app") }
      push.payload = try row.bytes(4)
      let attempt = try row.integer(2)
      guard (1...Int64(Policy.offerAttempts)).contains(attempt) else {
        throw row.damage(2, "it is \(attempt), and there are \(Policy.offerAttempts)")
      }
      let waiting = ExtendingPush(
        push: push, number: try row.count(1, below: loading.contents.record.nextEvent), attempt: Int(attempt))
      if loading.isInstalled(app, "extending") { loading.contents.extending[app, default: []].append(waiting) }
    }
  }

  mutating func readKept() throws(StoreError) {
    try read("kept", "SELECT app, number, expires, request, payload, slot, since FROM kept WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      let slot = try row.value(5, "a slot") { SlotKey(coded: $0) }
      guard slot.app == app else { throw row.damage(5, "it is another app's") }
      var push = try row.request(3, "a push") { loading.decode(Push.self, $0) }
      guard push.topic == app else { throw row.damage(3, "it is for another app") }
      push.payload = try row.bytes(4)
      let kept = KeptPush(
        push: push, number: try row.count(1, below: loading.contents.record.nextEvent),
        expires: WallTime(microseconds: try row.integer(2)),
        since: try row.optional(6, row.integer).map(WallTime.init(microseconds:)))
      if loading.isInstalled(app, "kept") { loading.contents.kept[slot] = kept }
    }
  }

  mutating func readRecent() throws(StoreError) {
    try read(
      "recent_push",
      "SELECT number, id_high, id_low, digest, uptime, wall, app FROM recent_push WHERE handset = ? ORDER BY number"
    ) { loading, row throws(StoreDamage) in
      loading.contents.recentPushes.append(
        RecentPush(
          id: PushID(high: try row.bits(1), low: try row.bits(2)), digest: try row.bits(3),
          number: try row.count(0, below: loading.contents.record.nextEvent),
          moment: Moment(uptime: .microseconds(try row.integer(4)), wall: WallTime(microseconds: try row.integer(5))),
          app: try row.optional(6, row.integer).map { UInt32(truncatingIfNeeded: $0) }))
    }
  }

  mutating func readNodes() throws(StoreError) {
    try read("node", keyColumns: 2, "SELECT app, name, push, gone_since FROM node WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      let id = try row.value(1, "a node's name") { NodeID(app: app, name: $0) }
      var node = PublishingNode(goneSince: try row.optional(3, row.integer).map(WallTime.init(microseconds:)))
      node.lastPush = try row.optionalValue(2, "a push's identifier") { PushID($0) }
      if node.goneSince != nil || loading.isInstalled(app, "node") { loading.contents.nodes[id] = node }
    }
  }
}
