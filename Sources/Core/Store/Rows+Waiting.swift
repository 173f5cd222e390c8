// The notifications that apps have scheduled, and the calls that wait to be made. Each is one JSON text, in its own
// form: no query asks for a part of it.

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

  func writeCall(before: QueuedCall?, after: QueuedCall?, of handset: HandsetID) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM call WHERE handset = ? AND number = ?", .integer(handset.number), .bits(before.number))
    }
    try database.run(
      "REPLACE INTO call (handset, number, call) VALUES (?, ?, ?)", .integer(handset.number), .bits(after.number),
      .text(try json(after, "call \(after.number)")))
  }

  /// Returns the key by which receivers recognise the app's calls; nil if it has none yet. It ends with the app, and is
  /// not among the recorded inputs, because the handset does not have it.
  public func key(of app: AppAddress) throws(StoreError) -> [UInt8]? {
    try database.first(
      "SELECT key FROM app_key WHERE handset = ? AND app = ?", [.integer(app.handset.number), .text(app.app.text)]
    ) { $0.bytes(0) }
  }

  /// Gives the app another key. It is on disk when this returns.
  public func setKey(_ key: [UInt8], of app: AppAddress) throws(StoreError) {
    try database.run(
      "REPLACE INTO app_key (handset, app, key) VALUES (?, ?, ?)", .integer(app.handset.number), .text(app.app.text),
      .blob(key))
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

  mutating func readCalls() throws(StoreError) {
    try read("call", "SELECT number, call FROM call WHERE handset = ? ORDER BY number") {
      loading, row throws(StoreDamage) in
      let call = try row.request(1, "a call") { loading.decode(QueuedCall.self, $0) }
      let number = try row.count(0, below: loading.contents.record.nextEvent)
      guard call.number == number else { throw row.damage(1, "it is another's") }
      if loading.isInstalled(call.app, "call") { loading.contents.calls.append(call) }
    }
  }
}
