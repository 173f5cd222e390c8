// What came of one push, and by which rules; and pushes of the daemon's own, for somebody who wants to see one arrive.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func explanation(_ request: HTTPRequest) async throws -> HTTPResponse {
    let text = try request.parameter("id")
    guard let push = PushID(text) else {
      throw ControlError(
        400, "'\(shown(text))' is no identifier of a push",
        hint: "it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B")
    }
    guard let report = try await backend.explanation(of: push) else {
      throw ControlError(
        404, "the journal has nothing of push \(push)",
        hint: "it keeps the newest \(Policy.eventLimit) events, and \(Policy.refusedEventLimit) refusals; "
          + "deskbell events lists them with their pushes")
    }
    return try .json(report)
  }

  /// Over the network, as a provider's. A push that is refused is answered 200 here: the report says how.
  @Sendable func sendTestPush(_ request: HTTPRequest) async throws -> HTTPResponse {
    let push: TestPushRequest = try request.json()
    _ = try await report(of: appID(push.app))
    guard TestPushRequest.protocols.contains(push.via) else {
      throw ControlError(
        400, "there is no protocol '\(shown(push.via))'", hint: hint(for: push.via, among: TestPushRequest.protocols))
    }
    if let fault = push.fault { throw fault }
    return try .json(await backend.sendTestPush(push))
  }
}
