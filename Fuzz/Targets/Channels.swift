// A request about channels or a broadcast: method and path, header fields, one per line, an empty line, the body.

import HTTP
import HandsetCore

@testable import PushPort

func runChannel(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  var requestHead = RequestHead()
  while let line = nextLine(&rest), !line.isEmpty {
    let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
    line[..<colon].withUnsafeBytes { name in value.withUnsafeBytes { requestHead.add(name, $0) } }
  }
  let limits = PortLimits.standard
  let provider = try anyProvider()
  let head = ChannelHead(requestHead)
  var inUse = HandsetInUse.begin()
  var broadcast: (push: Push, channel: ChannelID)?
  do throws(APNsRefusal) {
    let (app, call) = try head.check(
      limits: limits, publishes: true, authenticate: { _ throws(APNsRefusal) -> Provider in provider })
    switch call {
    case .create: _ = try StoragePolicy(ofChannel: Array(rest), limits: limits)
    case .publish(let channel, let priority, let expiration):
      let accepted = APNsPushHead(
        id: head.id ?? .random(), token: nil, topic: app, type: .liveactivity, priority: priority,
        expiration: expiration, collapseID: nil, payloadLimit: limits.channelBodyBytes)
      guard rest.count <= limits.channelBodyBytes else { throw .payloadTooLarge(limits.channelBodyBytes) }
      broadcast = (
        try Push(broadcast: accepted, Array(rest), hasProviderID: head.hasID, limits: limits, provider: nil), channel
      )
    case .list, .read, .delete: break
    }
  } catch {
    let record = head.record(of: error)
    try hold((400...599).contains(record.status), "refused with \(record.status)")
    try hold(record.detail.allSatisfy { !$0.isNewline }, "a reason of several lines: \(record.detail)")
    try inUse.take(.refused(record))
  }
  if let broadcast { try inUse.follow(.broadcast(broadcast.push, channel: broadcast.channel)) }
}
