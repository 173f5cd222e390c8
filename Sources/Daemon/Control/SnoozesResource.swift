// Silence for a time, for one app or for all (rule N12).

import HTTP
import HandsetCore

public struct SnoozeReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A snooze and its end."

  public var app: String?
  public var untilUptimeMicroseconds: Int64
  public var untilWallMicroseconds: Int64

  static let meanings: [String: Meaning] = [
    "app": "The app; absent for all apps.",
    "untilUptimeMicroseconds": "The end by the handset's clock.",
    "untilWallMicroseconds": "The end on the current wall clock, in microseconds since 1970-01-01T00:00:00Z.",
  ]
}

extension SnoozeReport {
  init(_ app: AppID?, _ snooze: Snooze, at now: Moment) {
    let end = snooze.end(at: now)
    self.init(
      app: app?.text, untilUptimeMicroseconds: end.uptime.inMicroseconds,
      untilWallMicroseconds: end.wall.microseconds)
  }
}

extension [SnoozeReport] {
  /// The snooze of all apps first, then the apps in the order in which their snoozes end.
  init(of handset: Handset, at now: Moment) {
    let apps = handset.snoozedApps.compactMap { id in
      handset.apps[id]?.state.snooze.map { SnoozeReport(id, $0, at: now) }
    }
    self = (handset.record.snooze.map { [SnoozeReport(nil, $0, at: now)] } ?? []) + apps
  }
}

struct SnoozeRequest: RequestBody, Sendable {
  static let meaning = "The length of a snooze."

  var seconds: Int64?

  static let meanings: [String: Meaning] = [
    "seconds": .number(60...86_400, "Absent is the handset's setting snooze.")
  ]
}

enum SnoozesResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/snoozes", "snoozes", in: .settings, "List what is snoozed",
      answer: "The snooze of all apps first, then the apps in the order in which their snoozes end."
    ) { handset, _ in try await handset.state().snoozes },
    HandsetRoute(
      "PUT", "/snoozes", "snoozeAll", in: .settings, "Silence all apps for a time (N12)",
      body: SnoozeRequest(seconds: 1_800), answer: "All snoozes after the change."
    ) { handset, request in try await snooze(nil, on: handset, request) },
    HandsetRoute(
      "DELETE", "/snoozes", "endSnoozes", in: .settings, "End every snooze; unseen notifications sound again, once"
    ) { handset, _ in try await handset.access.apply(.endSnooze(nil)) },
    HandsetRoute(
      "PUT", "/apps/{id}/snooze", "snoozeApp", in: .settings, "Silence an app for a time (N12)",
      body: SnoozeRequest(seconds: 1_800), answer: "All snoozes after the change."
    ) { handset, request in try await snooze(handset.access.appID(request), on: handset, request) },
    HandsetRoute(
      "DELETE", "/apps/{id}/snooze", "endSnooze", in: .settings,
      "End an app's snooze; its unseen notifications sound again, once", refusals: [409: ""]
    ) { handset, request in try await handset.access.apply(.endSnooze(handset.access.appID(request))) },
  ]

  private static func snooze(
    _ app: AppID?, on handset: HandsetParts, _ request: HTTPRequest
  ) async throws -> [SnoozeReport] {
    let seconds = try request.body(SnoozeRequest.self).seconds
    try await handset.access.apply(.snooze(app, for: seconds.map { .seconds($0) }))
    return try await handset.state().snoozes
  }
}

extension ControlClient {
  public func snoozes() async throws -> [SnoozeReport] { try await get(path("snoozes")) }

  /// - Parameters:
  ///   - app: nil for all.
  ///   - seconds: nil for the handset's setting.
  public func snooze(_ app: String?, forSeconds seconds: Int64?) async throws -> [SnoozeReport] {
    let target = app.map { path("apps", $0, "snooze") } ?? path("snoozes")
    return try await send("PUT", target, SnoozeRequest(seconds: seconds))
  }

  /// - Parameter app: nil for all snoozes.
  public func endSnooze(_ app: String?) async throws {
    try await send("DELETE", app.map { path("apps", $0, "snooze") } ?? path("snoozes"))
  }
}
