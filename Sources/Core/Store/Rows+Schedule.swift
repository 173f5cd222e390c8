// The notifications that apps have scheduled. Each is one JSON text, in its own form: no query asks for a part of it.

import HandsetCore

extension HandsetStore {
  func writePending(
    before: PendingNotification?, after: PendingNotification?, of handset: HandsetID
  ) throws(StoreError) {
    guard var after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM local_notification WHERE handset = ? AND app = ? AND identifier = ?", .integer(handset.number),
        .text(before.request.app.text), .text(before.request.identifier))
    }
    let request = after.request
    // A payload is smaller as bytes than as JSON.
    after.request.content.payload = []
    try database.run(
      "REPLACE INTO local_notification (handset, app, identifier, pending, payload) VALUES (?, ?, ?, ?, ?)",
      .integer(handset.number), .text(request.app.text), .text(request.identifier),
      .text(try json(after, "what '\(request.app)' has scheduled as '\(request.identifier)'")), .blob(request.payload))
  }
}

extension HandsetLoading {
  mutating func readPending() throws(StoreError) {
    try read(
      "local_notification", keyColumns: 2,
      "SELECT app, identifier, pending, payload FROM local_notification WHERE handset = ?"
    ) { loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      guard loading.isInstalled(app, "local_notification") else { return }
      var pending = try row.request(2, "a scheduled notification") { loading.decode(PendingNotification.self, $0) }
      guard pending.request.app == app, pending.request.identifier == (try row.text(1)) else {
        throw row.damage(2, "it is another's")
      }
      pending.request.content.payload = try row.bytes(3)
      loading.contents.pending.append(pending)
    }
  }
}
