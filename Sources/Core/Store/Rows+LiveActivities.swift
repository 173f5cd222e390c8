// Live Activities, each one JSON text in its own form: no query asks for a part of it.

import HandsetCore

extension HandsetStore {
  func writeActivity(before: LiveActivity?, after: LiveActivity?, of handset: HandsetID) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM activity WHERE handset = ? AND number = ?", .integer(handset.number), .bits(before.id.number))
    }
    try database.run(
      "REPLACE INTO activity (handset, number, app, activity) VALUES (?, ?, ?, ?)", .integer(handset.number),
      .bits(after.id.number), .text(after.app.text), .text(try json(after, "Live Activity \(after.id)")))
  }
}

extension HandsetLoading {
  mutating func readActivities() throws(StoreError) {
    try read("activity", "SELECT number, activity FROM activity WHERE handset = ? ORDER BY number") {
      loading, row throws(StoreDamage) in
      let activity = try row.request(1, "a Live Activity") { loading.decode(LiveActivity.self, $0) }
      let number = try row.count(0, below: loading.contents.record.nextEvent)
      guard activity.id.number == number else { throw row.damage(1, "it is another's") }
      if loading.isInstalled(activity.app, "activity") { loading.contents.activities.append(activity) }
    }
  }
}
