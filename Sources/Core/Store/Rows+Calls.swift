// Calls that wait to be made, a row each, and the keys by which receivers recognise them. A key belongs to the app and
// ends with it; it is not among the recorded inputs, because the handset does not have it.

import HandsetCore

extension HandsetStore {
  func writeCall(before: QueuedCall?, after: QueuedCall?, of handset: HandsetID) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM call WHERE handset = ? AND number = ?", .integer(handset.number), .count(before.number))
    }
    try database.run(
      "REPLACE INTO call (handset, number, call) VALUES (?, ?, ?)", .integer(handset.number), .count(after.number),
      .text(try json(after, "call \(after.number)")))
  }

  /// Returns the app's key; nil if it has none yet.
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
