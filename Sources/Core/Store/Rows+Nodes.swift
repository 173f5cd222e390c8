// Publishing nodes, each with the property list that was published through it last, and the handset's identifier there.

import HandsetCore

extension HandsetStore {
  func writeNode(
    _ id: NodeID, _ node: PublishingNode?, published: PublishedBytes, of handset: HandsetID
  ) throws(StoreError) {
    let key = (SQLiteValue.integer(handset.number), SQLiteValue.text(id.app.text), SQLiteValue.text(id.name))
    guard let node else {
      return try database.run(
        "DELETE FROM node WHERE handset = ? AND app = ? AND name = ?", key.0, key.1, key.2)
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
  mutating func readNodes() throws(StoreError) {
    try read("node", keyColumns: 2, "SELECT app, name, push, gone_since FROM node WHERE handset = ?") {
      loading, row throws(StoreDamage) in
      let app = try loading.readAppID(row, 0)
      let id = try row.value(1, "a node's name") { NodeID(app: app, name: $0) }
      var node = PublishingNode(goneSince: try row.optionalInteger(3).map(WallTime.init(microseconds:)))
      node.lastPush = try row.optionalValue(2, "a push's identifier") { PushID($0) }
      if node.goneSince != nil || loading.isInstalled(app, "node") { loading.contents.nodes[id] = node }
    }
  }
}
