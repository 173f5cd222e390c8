import HandsetCore

/// One of the handsets of this installation: the settings name it, and the database numbers it. A number is never given
/// to another handset, so the rows of one that is no longer listed wait for its name to come back.
public struct StoredHandset: Hashable, Sendable {
  public var id: HandsetID
  /// The name in the settings.
  public var name: String
  /// The identifier by which the 2008 service knows it.
  public var device: DeviceID
}

extension HandsetStore {
  /// Returns the handsets with those names. A name that is not stored renames the lowest-numbered stored handset that
  /// is named by its number and is not in the list; if there is none, a new handset is made.
  /// - Parameter names: each once.
  /// - Returns: the handsets in the order of their names, and those that are stored and not in the list.
  /// - Throws: `StoreError.damaged` if a device ID cannot be read.
  public func handsets(
    named names: [String], makeDevice: () -> DeviceID
  ) throws(StoreError) -> (listed: [StoredHandset], others: [StoredHandset]) {
    var others = try storedHandsets()
    var nextNumber = (others.last?.id.number ?? 0) + 1
    let named = Set(names)
    var listed: [StoredHandset] = []
    var changed: [StoredHandset] = []
    for name in names {
      if let place = others.firstIndex(where: { $0.name == name }) {
        listed.append(others.remove(at: place))
        continue
      }
      var handset: StoredHandset
      if let place = others.firstIndex(where: { $0.name == $0.id.description && !named.contains($0.name) }) {
        handset = others.remove(at: place)
        handset.name = name
      } else {
        handset = StoredHandset(id: HandsetID(nextNumber), name: name, device: makeDevice())
        nextNumber += 1
      }
      listed.append(handset)
      changed.append(handset)
    }
    if !changed.isEmpty {
      try database.transaction { () throws(StoreError) in
        for handset in changed {
          try database.run(
            """
            INSERT INTO device (handset, device_id, name) VALUES (?, ?, ?)
            ON CONFLICT (handset) DO UPDATE SET name = excluded.name
            """, .integer(handset.id.number), .blob(handset.device.bytes), .text(handset.name))
        }
      }
    }
    return (listed, others)
  }

  /// Returns all stored handsets, listed or not, in ascending order of their numbers.
  public func storedHandsets() throws(StoreError) -> [StoredHandset] {
    let statement = try database.query("SELECT handset, name, device_id FROM device ORDER BY handset")
    defer { statement.reset() }
    var handsets: [StoredHandset] = []
    while try statement.step() {
      let number = statement.integer(0)
      guard StoreLimits.handsetNumbers.contains(number) else {
        throw .damaged(
          StoreDamage(table: "device", key: "\(number)", column: "handset", problem: "it is no handset's number"))
      }
      guard let device = DeviceID(bytes: statement.bytes(2)) else {
        throw .damaged(
          StoreDamage(table: "device", key: "\(number)", column: "device_id", problem: "it is no device identifier"))
      }
      handsets.append(StoredHandset(id: HandsetID(number), name: statement.text(1) ?? "\(number)", device: device))
    }
    return handsets
  }
}
