// What scripts do to the handset's surroundings: take it offline, lock it, turn it silent, run its battery down.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func conditions(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.conditions())
  }

  @Sendable func setCondition(_ request: HTTPRequest) async throws -> HTTPResponse {
    let word = try request.parameter("name")
    guard let condition = Condition(rawValue: word) else {
      throw ControlError(
        404, "there is no condition '\(shown(word))'", hint: hint(for: word, among: Condition.allCases.map(\.rawValue)))
    }
    let value = try request.json(SettingRequest.self).value
    guard value == "on" || value == "off" else {
      throw ControlError(400, "a condition is on or off, not '\(shown(value))'")
    }
    try await submit(.setCondition(condition, value == "on"))
    return try .json(SettingReport(key: word, value: value))
  }
}
