// Broadcast channels. They belong to the installation, not to one handset: they outlive the app, as with Apple, where
// they belong to the app's developer.

import HandsetCore

/// A broadcast channel as it is stored.
public struct StoredChannel: Hashable, Sendable {
  public var app: AppID
  public var id: ChannelID
  /// 0 or 1 [APNs, `message-storage-policy`].
  public var policy: Int
  public var made: WallTime

  public init(app: AppID, id: ChannelID, policy: Int, made: WallTime) {
    (self.app, self.id, self.policy, self.made) = (app, id, policy, made)
  }
}

extension HandsetStore {
  /// Adds a channel. It is on disk when this returns.
  /// - Parameter environment: `development` or `production`: each has channels of its own.
  public func addChannel(_ channel: StoredChannel, environment: String) throws(StoreError) {
    try database.run(
      "INSERT INTO channel (environment, app, channel, policy, made) VALUES (?, ?, ?, ?, ?)", .text(environment),
      .text(channel.app.text), .text(channel.id.text), .integer(Int64(channel.policy)),
      .integer(channel.made.microseconds))
  }

  /// Removes a channel. That is on disk when this returns.
  public func removeChannel(_ id: ChannelID, of app: AppID, environment: String) throws(StoreError) {
    try database.run(
      "DELETE FROM channel WHERE environment = ? AND app = ? AND channel = ?", .text(environment), .text(app.text),
      .text(id.text))
  }

  /// Removes all channels of an environment.
  public func removeChannels(environment: String) throws(StoreError) {
    try database.run("DELETE FROM channel WHERE environment = ?", .text(environment))
  }

  /// Returns the channels of an environment, and the rows that cannot be read.
  public func channels(
    environment: String
  ) throws(StoreError) -> (channels: [StoredChannel], damage: [StoreDamage]) {
    let statement = try database.query(
      "SELECT app, channel, policy, made FROM channel WHERE environment = ? ORDER BY app, channel",
      [.text(environment)])
    defer { statement.reset() }
    var channels: [StoredChannel] = []
    var damage: [StoreDamage] = []
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "channel")
      do throws(StoreDamage) {
        guard let app = AppID(try row.text(0)) else { throw row.damage(0, "it is no bundle identifier") }
        guard let id = ChannelID(try row.text(1)) else { throw row.damage(1, "it is no channel's identifier") }
        let policy = try row.flag(2) ? 1 : 0
        channels.append(
          StoredChannel(app: app, id: id, policy: policy, made: WallTime(microseconds: try row.integer(3))))
      } catch {
        damage.append(error)
      }
    }
    return (channels, damage)
  }
}
