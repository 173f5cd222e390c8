// Lines of an app on its socket, while pushes are delivered to it.

import HandsetCore

@testable import AppLink

func runAppLines(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let limits = AppLinkLimits()
  var machine = AppSocket.StateMachine(handsets: .one, limits: limits)
  let mail = HandsetInUse.mail.map { AppAddress($0, on: .first) }
  var open: Set<AppSocket.ConnectionID> = [1, 2]
  var actions = machine.opened(1, at: .zero) + machine.opened(2, at: .zero)
  // Two connections of one app, alternating; the pieces have any size.
  var rest = bytes[...]
  var turn: AppSocket.ConnectionID = 1
  while !rest.isEmpty, !open.isEmpty {
    let piece = rest.prefix(1 + Int(rest[rest.startIndex]) * 4)
    rest = rest.dropFirst(piece.count)
    if open.contains(turn) { actions += machine.received(piece, from: turn) { $0 == mail } }
    if let mail, machine.isListening(mail) {
      actions += machine.deliver(PushID(high: 0, low: UInt64(rest.count % 4)), Array("{}\n".utf8), to: mail)
    }
    for case .close(let id) in actions { open.remove(id) }
    for case .send(let id, let line) in actions {
      try hold(line.count <= limits.unreadBytes, "a line of \(line.count) bytes")
      machine.taken(line.count, by: id)
    }
    actions = []
    turn = 3 - turn
  }
  _ = machine.timePassed(at: .seconds(60))
  for id in open { _ = machine.closed(id) }
}
