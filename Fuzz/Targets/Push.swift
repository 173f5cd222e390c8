// A request of the provider API: header fields, one a line, an empty line, the payload.

import HandsetCore
import NIOHPACK

@testable import PushGateway

func runPush(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  var headers = HPACKHeaders()
  while let line = nextLine(&rest), !line.isEmpty {
    // A pseudo header's name begins with the colon that separates the others' names from their values.
    let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
    // HPACKHeaders takes no other names, from whoever makes them by hand.
    guard line[..<colon].allSatisfy({ $0 < 0x80 }) else { continue }
    headers.add(name: String(decoding: line[..<colon], as: UTF8.self), value: String(decoding: value, as: UTF8.self))
  }
  let limits = GatewayLimits.standard
  let provider = try anyProvider()
  let made = PushID(high: 0, low: 1)
  var request = APNsRequest(RequestHead(headers), madeID: made)
  var inUse = HandsetInUse.begin()
  var push: Push?
  do throws(APNsRefusal) {
    let head = try request.accept(
      now: HandsetInUse.now.wall, limits: limits, authenticate: { _ throws(APNsRefusal) -> Provider in provider })
    guard let body = bodyInTwoPieces(rest, limit: head.payloadLimit) else {
      throw .payloadTooLarge(head.payloadLimit)
    }
    push = try request.push(head, body, limits)
  } catch {
    let record = request.record(of: error)
    try hold((400...599).contains(record.status), "refused with \(record.status)")
    try hold(record.detail.allSatisfy { !$0.isNewline }, "a reason of several lines: \(record.detail)")
    try inUse.take(.refused(record))
  }
  if let push { try inUse.follow(.push(push)) }
  if let payload = try? APNsPayload(Array(rest), limits: limits) {
    try hold(payload.faults.count <= limits.payloadFaults + 1, "\(payload.faults.count) faults")
    for fault in payload.faults {
      try hold(!(fault.path + fault.problem).contains(where: \.isNewline), "a fault of several lines: \(fault)")
    }
  }
}

/// The body as the network may deliver it; nil where it is too large.
private func bodyInTwoPieces(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
  var machine = RequestHandler.StateMachine(discardLimit: 0)
  _ = machine.accept(bodyLimit: limit, needsAuthorization: false, continues: false, endOfStream: false)
  let half = bytes.startIndex + bytes.count / 2
  for (piece, isLast) in [(bytes[..<half], false), (bytes[half...], true)] {
    switch machine.receiveBody(piece, endOfStream: isLast) {
    case .submit(let body): return body
    case .refuse: return nil
    case .nothing, .sendContinue, .reset: break
    }
  }
  return nil
}

func anyProvider() throws(FuzzTarget.Finding) -> Provider {
  do {
    return try Provider(
      name: "fuzz", topics: [HandsetInUse.mail].compactMap(\.self), teamID: "TEAM567890", keyID: "KEY4567890",
      publicKey: ProviderKey(pem: publicKeyPEM))
  } catch {
    throw FuzzTarget.Finding(description: "the provider cannot be made: \(error)")
  }
}

/// Takes the next line off, without its end; nil where nothing is left.
func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
  guard !rest.isEmpty else { return nil }
  let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
  var line = rest[..<end]
  rest = rest[end...].dropFirst()
  if line.last == UInt8(ascii: "\r") { line.removeLast() }
  return line
}

private let publicKeyPEM = """
  -----BEGIN PUBLIC KEY-----
  MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB8TcI8kIiO8uV9D3WhCbkOGZbKNR
  EGivjC5r4XZ+4q3zUg7WG3EeWEL9GYwHHSkAcLejtwMajiZgZpUIkMbdnw==
  -----END PUBLIC KEY-----
  """
