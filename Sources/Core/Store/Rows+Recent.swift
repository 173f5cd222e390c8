// Recent pushes are remembered until they are an hour old: a narrow row each, in the order in which they came, so that
// a new row is appended at the end and an old one removed at the beginning.

import HandsetCore

extension HandsetStore {
  func writeRecent(before: RecentPush?, after: RecentPush?, of handset: HandsetID) throws(StoreError) {
    if let before, before.number != after?.number {
      try database.run(
        "DELETE FROM recent_push WHERE handset = ? AND number = ?", .integer(handset.number), .count(before.number))
    }
    guard let after else { return }
    try database.run(
      """
      REPLACE INTO recent_push (handset, number, id_high, id_low, digest, uptime, wall, app)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(handset.number), .count(after.number), .bits(after.id.high), .bits(after.id.low), .bits(after.digest),
      .integer(after.moment.uptime.inMicroseconds), .integer(after.moment.wall.microseconds),
      after.app.map { .integer(Int64($0)) } ?? .null)
  }
}

extension HandsetLoading {
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
          app: try row.optionalInteger(6).map { UInt32(truncatingIfNeeded: $0) }))
    }
  }
}
