// A publication of the 2008 service: the bytes of its property list.

import HandsetCore

@testable import PushPort

func runPropertyList(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let limits = PortLimits.standard
  guard let mail = HandsetInUse.mail, let node = NodeID(app: mail, name: "Inbox") else { return }
  var inUse = HandsetInUse.begin()
  try inUse.take(.createNode(node))
  let push: Push
  do {
    push = try Push(
      propertyList: bytes, app: mail, id: PushID(high: 0, low: 1), now: HandsetInUse.now.wall,
      depth: limits.propertyListDepth)
  } catch {
    try hold([400, 415].contains(error.status), "refused with \(error.status)")
    // The error is one line, and does not contain the whole input.
    try hold(error.detail.allSatisfy { !$0.isNewline }, "a reason of several lines: \(error.detail)")
    try hold(error.detail.utf8.count <= 512, "a reason of \(error.detail.utf8.count) bytes")
    return
  }
  // Longer ones are refused before they are read.
  guard bytes.count <= limits.propertyListBytes else { return }
  // The app gets the payload that a present provider would send, so it must be one that such a provider may send.
  guard let today = try? APNsPayload(push.payload, limits: limits) else {
    throw FuzzTarget.Finding(description: "the app's payload is none: \(String(decoding: push.payload, as: UTF8.self))")
  }
  try hold(today.badge == push.badge, "a badge of \(push.badge) became \(today.badge)")
  try inUse.follow(.publish(push, through: node, propertyList: bytes))
}
