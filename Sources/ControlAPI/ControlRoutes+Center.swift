// Notification Center, and the buttons of the alert on top.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func center(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.requireQuery("app", "limit")
    var limit = ControlLimits.defaultNotifications
    if let text = request.target.queryValue("limit") {
      guard let number = Int(text), (1...ControlLimits.notifications).contains(number) else {
        throw ControlError(400, "limit is 1 to \(ControlLimits.notifications), not '\(shown(text))'")
      }
      limit = number
    }
    return try .json(await backend.center(of: queriedApp(request), limit: limit))
  }

  @Sendable func clearCenter(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await submit(.clearCenter)
    return .noContent
  }

  @Sendable func clearNotification(_ request: HTTPRequest) async throws -> HTTPResponse {
    let text = try request.parameter("number")
    guard let number = UInt64(text) else {
      throw ControlError(
        404, "there is no notification '\(shown(text))'", hint: "Run 'deskbell center' to list notification numbers.")
    }
    try await submit(.clearNotification(NotificationID(number: number)))
    return .noContent
  }

  @Sendable func clearSection(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await submit(.clearSection(appID(request)))
    return .noContent
  }

  /// Answers with what can be seen then: the alert below, if there is one.
  @Sendable func press(_ request: HTTPRequest) async throws -> HTTPResponse {
    let press = try request.json(PressRequest.self)
    let word = press.button
    guard let button = AlertButton(rawValue: word) else {
      throw ControlError(
        400, "there is no button '\(shown(word))'",
        hint: hint(for: word, among: AlertButton.allCases.map(\.rawValue)))
    }
    let lengths = PressLength.allCases.map(\.rawValue)
    guard let length = PressLength(rawValue: press.length ?? PressLength.short.rawValue) else {
      throw ControlError(
        400, "a press is short or long, not '\(shown(press.length ?? ""))'",
        hint: hint(for: press.length ?? "", among: lengths))
    }
    try await submit(.press(button, length))
    return try .json(await backend.state().presentation)
  }
}
