// A request of the provider API: header fields, one per line, an empty line, the payload.

import HTTP
import HandsetCore

@testable import PushPort

func runPush(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  var requestHead = RequestHead()
  while let line = nextLine(&rest), !line.isEmpty {
    // The name of a pseudo header begins with a colon; in other lines the colon separates name and value.
    let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
    line[..<colon].withUnsafeBytes { name in value.withUnsafeBytes { requestHead.add(name, $0) } }
  }
  let limits = PortLimits.standard
  let provider = try anyProvider()
  let made = PushID(high: 0, low: 1)
  let request = APNsRequest(requestHead, madeID: made)
  var inUse = HandsetInUse.begin()
  var push: Push?
  do throws(APNsRefusal) {
    let head = try APNsPushHead(
      request, now: HandsetInUse.now.wall, limits: limits,
      authenticate: { _ throws(APNsRefusal) -> Provider in provider })
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

/// Returns the body as the network may deliver it; nil if it is too large.
private func bodyInTwoPieces(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
  var machine = HTTP2Stream.StateMachine(discardLimit: 0)
  _ = machine.accept(bodyLimit: limit, needsAuthorization: false, continues: false)
  let half = bytes.startIndex + bytes.count / 2
  for piece in [bytes[..<half], bytes[half...]] {
    if case .refuse = machine.receiveBody(piece) { return nil }
  }
  guard case .submit(let body) = machine.receiveEnd() else { return nil }
  return body
}

func anyProvider() throws(FuzzTarget.Finding) -> Provider {
  do {
    return try Provider(
      name: "fuzz", topics: [HandsetInUse.mail].compactMap(\.self),
      credential: .token(
        teamID: "TEAM567890", keyID: "KEY4567890", publicKey: ProviderKey(pem: publicKeyPEM), environment: .both))
  } catch {
    throw FuzzTarget.Finding(description: "the provider cannot be made: \(error)")
  }
}

/// Removes and returns the next line, without its end; nil if nothing is left.
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
