// Local notifications: what apps have the handset present later, without any provider (rules L1 to L3).

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func scheduled(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.requireQuery("app")
    return try .json(await backend.scheduled(of: queriedApp(request)))
  }

  @Sendable func schedule(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    let identifier = try request.parameter("identifier")
    let wanted: LocalNotificationRequest = try request.json()
    let notification = try wanted.notification(of: id, named: identifier, push: backend.freshPush())
    try await submit(.schedule(notification))
    let all = try await backend.scheduled(of: id)
    if let report = all.first(where: { $0.push == notification.push.description }) { return try .json(report) }
    guard all.count < Policy.localPendingLimit else {
      throw ControlError(
        409, "the app has \(Policy.localPendingLimit) scheduled that are due sooner, which is the most that are kept",
        hint: "cancel one first")
    }
    // It was due before anybody could look.
    return try .json(
      LocalNotificationReport(
        app: id.text, identifier: identifier, push: notification.push.description, dueWallMicroseconds: nil,
        request: wanted))
  }

  @Sendable func cancel(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    let identifier = try request.parameter("identifier")
    do throws(ControlError) {
      try await submit(.cancel(id, identifier: identifier))
    } catch {
      guard error.status == 404, let all = try? await backend.scheduled(of: id) else { throw error }
      let hint = all.isEmpty ? "it has none scheduled" : hint(for: identifier, among: all.map(\.identifier))
      throw ControlError(404, error.message, hint: error.hint ?? hint)
    }
    return .noContent
  }

  @Sendable func cancelAll(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await submit(.cancel(appID(request), identifier: nil))
    return .noContent
  }
}
