// Rule P1: the pushes of the last hour are kept whole, and searched each time.

@testable import HandsetCore

/// A push that was accepted.
struct ModelRecent {
  var id: PushID
  /// The bytes of its device token, or of a broadcast's channel.
  var address: [UInt8]
  var payload: [UInt8]
  var moment: Moment
}

extension HandsetModel {
  /// The pushes whose hour is not over.
  var recentsThatCount: [ModelRecent] { recents.filter { now.uptime < $0.moment.uptime + .seconds(3600) } }

  func hasCome(_ push: Push, on channel: ChannelID? = nil) -> Bool {
    guard push.hasProviderID, let address = address(of: push, channel) else { return false }
    return recentsThatCount.contains { $0.id == push.id && $0.address == address && $0.payload == push.payload }
  }

  private func address(of push: Push, _ channel: ChannelID?) -> [UInt8]? {
    channel.map { Array($0.text.utf8) } ?? push.token.map { Array($0.bytes) }
  }

  mutating func note(_ push: Push, on channel: ChannelID? = nil, of app: AppID) {
    guard push.hasProviderID, let address = address(of: push, channel) else { return }
    recents = recentsThatCount
    if recents.contains(where: { $0.id == push.id }) { emit(.reusedID, app, push.id) }
    recents.append(ModelRecent(id: push.id, address: address, payload: push.payload, moment: now))
    if recents.count(where: { $0.id == push.id }) > 32, let oldest = recents.firstIndex(where: { $0.id == push.id }) {
      recents.remove(at: oldest)
    }
    if recents.count > 10_000 { recents.removeFirst() }
  }
}
