// A push that the service keeps while the handset is unreachable is stored in full, so that it can arrive as if just
// sent. The values that the rules look for are in columns; the rest is one text of JSON, in the push's own form.

import HandsetCore

extension HandsetStore {
  func writeKept(_ app: AppID, _ kept: KeptPush?, of handset: HandsetID) throws(StoreError) {
    guard let kept else {
      return try database.run(
        "DELETE FROM kept WHERE handset = ? AND app = ?", .integer(handset.number), .text(app.text))
    }
    // A payload is smaller as bytes than as JSON.
    var push = kept.push
    push.payload = []
    try database.run(
      "INSERT OR REPLACE INTO kept (handset, app, number, expires, request, payload) VALUES (?, ?, ?, ?, ?, ?)",
      .integer(handset.number), .text(app.text), .count(kept.number), .integer(kept.expires.microseconds),
      .text(try json(push, "the push kept for '\(app)'")), .blob(kept.push.payload))
  }
}

extension HandsetLoading {
  mutating func readKept() throws(StoreError) {
    try read("kept", "SELECT app, number, expires, request, payload FROM kept WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      var push = try row.request(3, "a push") { loading.decode(Push.self, $0) }
      guard push.topic == app else { throw row.damage(3, "it is for another app") }
      push.payload = try row.bytes(4)
      let kept = KeptPush(
        push: push, number: try row.count(1, below: loading.contents.record.nextEvent),
        expires: WallTime(microseconds: try row.integer(2)))
      if loading.isInstalled(app, "kept") { loading.contents.kept[app] = kept }
    }
  }
}
