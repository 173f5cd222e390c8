// A message from a fleet's servers to a desk or a gateway: the subject, header fields, an empty line, the body. The
// first word is the address for the acknowledgement, if there is one.

import HandsetCore
import Logging
import NATSClient

@testable import FleetDesk
@testable import FleetGateway
@testable import FleetLink
@testable import FleetMember

func runFleetMessage(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  let words = (nextLine(&rest) ?? []).split(separator: UInt8(ascii: " "), maxSplits: 1)
    .map { String(decoding: $0, as: UTF8.self) }
  guard let subject = words.first else { return }
  var message = NATSMessage(subject: subject, reply: words.count > 1 ? words[1] : nil)
  while let line = nextLine(&rest), !line.isEmpty {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
    message.fields[String(decoding: line[..<colon], as: UTF8.self)] = String(decoding: value, as: UTF8.self)
  }
  message.payload = Array(rest)
  try readAtDesk(message)
  try readAtGateway(message)
  let _: JetStream.ConsumerInfo? = try? JetStream.read(message)
  _ = try? JetStream.stored(message)
}

/// Reads a push, a request with an access key, or a notification cleared in a group.
private func readAtDesk(_ message: NATSMessage) throws(FuzzTarget.Finding) {
  if let content = try? FleetMessage(message, for: "kitchen") {
    var inUse = HandsetInUse.begin()
    // Handled as a message that waited while the desk was away, and as one that arrives while it is present.
    if case .push(let push) = content.input {
      try inUse.take(.keep(push))
      try inUse.follow(.forward)
    }
    try inUse.follow(content.input)
  }
  if let clearing = FleetDesk.clearing(message, of: "doors") {
    var inUse = HandsetInUse.begin()
    try inUse.follow(clearing.input)
  }
  if let delivered = StreamMessage(message) {
    var place = StreamPlace(sequence: 6, backlog: 2)
    if let arrival = try? place.take(delivered) {
      try hold(place.sequence == delivered.sequence, "the place is \(place.sequence), not \(delivered.sequence)")
      try hold(arrival.isBacklog || !arrival.endsBacklog, "what ends the backlog is not in it")
    }
  }
}

/// Reads an entry of the registry, or of the desks' providers.
private func readAtGateway(_ message: NATSMessage) throws(FuzzTarget.Finding) {
  let registry = FleetRegistry(environment: "production")
  let problem = registry.take(message)
  try hold(problem == nil || registry.count == 0, "what is refused is known")
  _ = FleetChannels(environment: "production").take(message)
  guard let delivered = StreamMessage(message),
    let providers = try? FleetProviders(
      environment: .production, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
  else { return }
  providers.take(delivered)
  providers.complete()
}
