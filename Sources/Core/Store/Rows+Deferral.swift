// The rows of deferred pushes, each in full so that it can go on as if it had just arrived, and of the Focus modes.

import HandsetCore

extension HandsetStore {
  func writeDeferred(before: DeferredPush?, after: DeferredPush?, of handset: HandsetID) throws(StoreError) {
    guard let after else {
      guard let before else { return }
      return try database.run(
        "DELETE FROM deferred WHERE handset = ? AND number = ?", .integer(handset.number), .bits(before.number))
    }
    // A payload is smaller as bytes than as JSON.
    var push = after.push
    push.payload = []
    try database.run(
      """
      REPLACE INTO deferred (handset, number, app, reason, arrived, expires, request, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(handset.number), .bits(after.number), .text(push.topic.text), .text(after.reason.rawValue),
      .integer(after.arrived.microseconds), .integer(after.expires.microseconds),
      .text(try json(push, "the deferred push \(after.number)")), .blob(after.push.payload))
  }

  func writeFocusMode(_ name: String, _ mode: FocusMode?, of handset: HandsetID) throws(StoreError) {
    guard let mode else {
      return try database.run(
        "DELETE FROM focus_mode WHERE handset = ? AND name = ?", .integer(handset.number), .text(name))
    }
    try database.run(
      "REPLACE INTO focus_mode (handset, name, mode) VALUES (?, ?, ?)", .integer(handset.number), .text(name),
      .text(try json(mode, "the Focus mode '\(name)'")))
  }
}

extension HandsetLoading {
  mutating func readDeferred() throws(StoreError) {
    try read(
      "deferred",
      """
      SELECT number, app, reason, arrived, expires, request, payload FROM deferred WHERE handset = ? ORDER BY number
      """
    ) { loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 1)
      var push = try row.request(5, "a push") { loading.decode(Push.self, $0) }
      guard push.topic == app else { throw row.damage(5, "it is for another app") }
      push.payload = try row.bytes(6)
      let deferred = DeferredPush(
        push: push, number: try row.count(0, below: loading.contents.record.nextEvent),
        reason: try row.value(2, "a reason") { Event.Deferred(rawValue: $0) },
        arrived: WallTime(microseconds: try row.integer(3)), expires: WallTime(microseconds: try row.integer(4)))
      if loading.isInstalled(app, "deferred") { loading.contents.deferred.append(deferred) }
    }
  }

  mutating func readFocusModes() throws(StoreError) {
    try read("focus_mode", "SELECT name, mode FROM focus_mode WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let mode = try row.request(1, "a Focus mode") { loading.decode(FocusMode.self, $0) }
      guard try row.text(0) == mode.name, mode.isValid, FocusMode.isName(mode.name) else {
        throw row.damage(1, "it is no Focus mode of that name")
      }
      loading.contents.focusModes.append(mode)
    }
  }
}
