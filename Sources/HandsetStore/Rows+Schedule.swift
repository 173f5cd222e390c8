// What apps have scheduled. A notification that waits is one JSON text, in its own form: nothing ever asks for a part
// of it.

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
    after.request.payload = []
    try database.run(
      "INSERT OR REPLACE INTO local_notification (handset, app, identifier, pending, payload) VALUES (?, ?, ?, ?, ?)",
      .integer(handset.number), .text(request.app.text), .text(request.identifier),
      .text(try json(after, "what '\(request.app)' has scheduled as '\(request.identifier)'")), .blob(request.payload))
  }
}

extension HandsetLoading {
  mutating func readPending() throws(StoreError) {
    let statement = try database.query(
      "SELECT app, identifier, pending, payload FROM local_notification WHERE handset = ?", .integer(handset.number))
    defer { statement.reset() }
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "local_notification", keyColumns: 2)
      do throws(StoreDamage) {
        let app = try readAppID(row, 0)
        guard isInstalled(app, "local_notification") else { continue }
        var pending = try row.request(2, "a scheduled notification") { decode(PendingNotification.self, $0) }
        guard pending.request.app == app, pending.request.identifier == (try row.text(1)) else {
          throw row.damage(2, "it is another's")
        }
        pending.request.payload = try row.bytes(3)
        contents.pending.append(pending)
      } catch {
        damage.append(error)
      }
    }
  }
}
