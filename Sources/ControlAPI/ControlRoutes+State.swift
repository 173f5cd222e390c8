// What is there to look at: the state, the certificate authority, and everything that happens, as it happens.

import HTTPRoutes

extension ControlRoutes {
  @Sendable func state(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.state())
  }

  @Sendable func certificateAuthority(_ request: HTTPRequest) async throws -> HTTPResponse {
    let pem = try await backend.certificateAuthority()
    return HTTPResponse(contentType: "application/x-pem-file", bytes: Array(pem.utf8))
  }

  @Sendable func renewCertificateAuthority(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.renewCertificateAuthority())
  }

  @Sendable func certificate(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.certificate())
  }

  /// JSON lines: without `follow` those that are there, with it until the reader goes away or the daemon stops.
  @Sendable func events(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.requireQuery("after", "follow")
    var after: UInt64 = 0
    if let text = request.target.queryValue("after") {
      guard let number = UInt64(text) else {
        throw ControlError(400, "after is an event's sequence number, 0 or more, not '\(shown(text))'")
      }
      after = number
    }
    let follow: Bool
    switch request.target.queryValue("follow") {
    case nil, "false": follow = false
    case "true": follow = true
    case let text?: throw ControlError(400, "follow is true or false, not '\(shown(text))'")
    }
    let lines = try await backend.events(after: after, follow: follow)
    return HTTPResponse(
      contentType: "application/x-ndjson", chunks: lines.map { Array($0.utf8) + [UInt8(ascii: "\n")] })
  }
}
