// Local notifications: notifications that apps schedule on the handset, without any provider (rules L1 to L3).

import HTTP
import HandsetCore

public struct LocalNotificationRequest: RequestBody, Sendable, Equatable {
  static let meaning = "A notification and its time: it has afterSeconds or calendar."

  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var actionTitle: String?
  public var badge: Int?
  public var sound: String?
  public var level: String?
  public var threadID: String?
  public var afterSeconds: Int64?
  public var calendar: CalendarTime?
  public var repeats: Bool?

  static let meanings: [String: Meaning] = [
    "actionTitle": Meaning(
      "The title of the action button of its alert. Empty gives the alert the single button OK; absent is the app's own "
        + "title, or View."),
    "afterSeconds": .number(1...3660 * 86_400, "The seconds from its scheduling; 60 or more if it repeats."),
    "calendar": "The time in the handset's time zone.",
    "repeats": "True to repeat it each time; absent is once.",
  ]
}

extension LocalNotificationRequest {
  /// Makes a request with its time, which is one of the two; its content is set afterwards.
  public init(afterSeconds: Int64?, calendar: CalendarTime?, repeats: Bool) {
    self.init(title: nil, afterSeconds: afterSeconds, calendar: calendar, repeats: repeats)
  }

  fileprivate init(_ notification: LocalNotification) {
    let content = notification.content
    // This API writes literal texts only.
    func written(_ text: MessageText?) -> String? {
      if case .literal(let text) = text { text } else { nil }
    }
    self.init(
      title: written(content.message?.title), subtitle: written(content.message?.subtitle),
      body: written(content.message?.body), level: content.level.rawValue, threadID: content.threadID)
    switch content.message?.actionTitle {
    case .localized(let title)?: actionTitle = title
    case .some(.none): actionTitle = ""
    case .standard?, nil: break
    }
    if case .number(let number) = content.badge { badge = number }
    switch content.sound {
    case .none: break
    case .system, .critical(name: nil, _): sound = "default"
    case .named(let name), .critical(let name?, _): sound = name
    }
    switch notification.trigger {
    case .interval(let interval, let repeats):
      (afterSeconds, self.repeats) = (interval.components.seconds, repeats)
    case .calendar(let time, let repeats): (calendar, self.repeats) = (time, repeats)
    }
  }

  /// - Throws: `ControlError` 400 if it is not a valid request; the handset reports other errors.
  func notification(of app: AppID, named identifier: String, push: PushID) throws(ControlError) -> LocalNotification {
    let trigger: LocalNotification.Trigger
    switch (afterSeconds, calendar) {
    case (let seconds?, nil): trigger = .interval(.seconds(seconds), repeats: repeats ?? false)
    case (nil, let time?): trigger = .calendar(time, repeats: repeats ?? false)
    default: throw ControlError(400, "when is it due?", hint: "give afterSeconds or calendar, one of them")
    }
    return LocalNotification(
      app: app, identifier: identifier, push: push, trigger: trigger,
      message: hasMessage
        ? Message(
          title: title.map(MessageText.literal), subtitle: subtitle.map(MessageText.literal),
          body: body.map(MessageText.literal), actionTitle: action) : nil,
      badge: badge.map(BadgeRequest.number) ?? .absent,
      sound: sound.map { $0 == "default" ? .system : .named($0) } ?? .none,
      level: try level.map { level throws(ControlError) in try known(level, of: "interruption level") } ?? .active,
      threadID: threadID, payload: payload(named: identifier))
  }

  private var action: ActionTitle {
    // The app's strings may have it as a key; otherwise it is the title itself.
    actionTitle.map { $0.isEmpty ? .none : .localized(key: $0) } ?? .standard
  }

  private var hasMessage: Bool { title != nil || subtitle != nil || body != nil }

  /// Returns the app's payload in the foreground, in the form of a provider's pushes (rule N2).
  private func payload(named identifier: String) -> [UInt8] {
    var aps: [String: JSONValue] = [:]
    if hasMessage {
      let alert = ["title": title, "subtitle": subtitle, "body": body]
      var members = alert.compactMapValues { $0.map(JSONValue.string) }
      members["action-loc-key"] = actionTitle.map { $0.isEmpty ? .null : .string($0) }
      aps["alert"] = .object(members)
    }
    aps["badge"] = badge.map { .integer(Int64($0)) }
    aps["sound"] = sound.map(JSONValue.string)
    aps["interruption-level"] = level.map(JSONValue.string)
    aps["thread-id"] = threadID.map(JSONValue.string)
    let payload: JSONValue = ["aps": .object(aps), "local-notification": .string(identifier)]
    // Strings and a whole number always encode.
    return (try? payload.encoded()) ?? []
  }
}

extension CalendarTime: RequestBody {
  static var schemaName: String { "CalendarRequest" }
  static let meaning =
    "A time of the day in the handset's time zone, and the days to which it applies: those that match all "
    + "given fields."

  static let meanings: [String: Meaning] = [
    "year": .number(1970...9999, "Absent is every year."),
    "month": .number(1...12, "Absent is every month."),
    "day": .number(1...31, "Absent is every day."),
    "weekday": .number(1...7, "1 for Monday to 7 for Sunday; absent is every one."),
    "hour": .number(0...23, "The hour of the day."),
    "minute": .number(0...59, "Absent is 0."),
    "second": .number(0...59, "Absent is 0."),
  ]
}

public struct LocalNotificationReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A local notification that waits for its time."

  public var app: String
  public var identifier: String
  public var push: String
  public var dueWallMicroseconds: Int64?
  public var request: LocalNotificationRequest

  static let meanings: [String: Meaning] = [
    "identifier": "The app's own identifier for it.",
    "dueWallMicroseconds": Meaning(
      "The due time by the current wall clock, in microseconds since 1970-01-01T00:00:00Z; absent if it was due "
        + "at once and no longer waits."),
    "request": "The notification.",
  ]
}

extension LocalNotificationReport {
  init(_ pending: PendingNotification) {
    let notification = pending.request
    self.init(
      app: notification.app.text, identifier: notification.identifier, push: notification.content.id.description,
      dueWallMicroseconds: pending.dueWall.microseconds, request: LocalNotificationRequest(notification))
  }
}

enum LocalNotificationsResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/local", "scheduled", in: .local, "The scheduled local notifications", query: [.app],
      answer: "The soonest first."
    ) { handset, request in try await scheduled(of: handset.access.queriedApp(request), on: handset.access) },
    HandsetRoute(
      "PUT", "/apps/{id}/local/{identifier}", "schedule", in: .local,
      "Schedule a local notification, or replace the one with that name",
      body: LocalNotificationRequest(title: "Tea", sound: "default", afterSeconds: 600),
      answer: "It is scheduled.", refusals: [409: ""]
    ) { handset, request -> LocalNotificationReport in
      let access = handset.access
      let id = try await access.appID(request)
      let identifier = try request.parameter("identifier")
      let wanted: LocalNotificationRequest = try request.body()
      let notification = try wanted.notification(of: id, named: identifier, push: .random())
      try await access.apply(.schedule(notification))
      let all = try await scheduled(of: id, on: access)
      if let report = all.first(where: { $0.push == notification.content.id.description }) { return report }
      guard all.count < Policy.localPendingLimit else {
        throw ControlError(
          409, "the app has \(Policy.localPendingLimit) scheduled that are due sooner, which is the most that are kept",
          hint: "cancel one first")
      }
      // It was due before it could be read.
      return LocalNotificationReport(
        app: id.text, identifier: identifier, push: notification.content.id.description, dueWallMicroseconds: nil,
        request: wanted)
    },
    HandsetRoute(
      "DELETE", "/apps/{id}/local/{identifier}", "cancel", in: .local, "Cancel a local notification"
    ) { handset, request in
      let access = handset.access
      let id = try await access.appID(request)
      let identifier = try request.parameter("identifier")
      do throws(ControlError) {
        try await access.apply(.cancel(id, identifier: identifier))
      } catch {
        guard error.status == 404, let all = try? await scheduled(of: id, on: access) else { throw error }
        let hint = all.isEmpty ? "it has none scheduled" : hint(for: identifier, among: all.map(\.identifier))
        throw ControlError(404, error.message, hint: error.hint ?? hint)
      }
    },
    HandsetRoute(
      "DELETE", "/apps/{id}/local", "cancelAll", in: .local, "Cancel all local notifications of an app"
    ) { handset, request in try await handset.access.apply(.cancel(handset.access.appID(request), identifier: nil)) },
  ]

  /// Returns the scheduled notifications of one app or of all, the soonest first.
  private static func scheduled(
    of app: AppID?, on access: HandsetAccess
  ) async throws(ControlError) -> [LocalNotificationReport] {
    try await access.read { handset, _, _, now in
      let reports = (app.map { [$0] } ?? handset.apps.keys.sorted()).flatMap { handset.pending(of: $0, at: now) }
        .map(LocalNotificationReport.init)
      return app != nil ? reports : reports.sorted { ($0.dueWallMicroseconds ?? 0) < ($1.dueWallMicroseconds ?? 0) }
    }
  }
}

extension ControlClient {
  /// - Parameter app: nil for the notifications of all apps.
  public func scheduled(of app: String?) async throws -> [LocalNotificationReport] {
    try await get(path("local", app: app))
  }

  public func schedule(
    _ identifier: String, of app: String, _ request: LocalNotificationRequest
  ) async throws -> LocalNotificationReport {
    try await send("PUT", path("apps", app, "local", identifier), request)
  }

  /// - Parameter identifier: nil for all notifications of the app.
  public func cancel(_ identifier: String?, of app: String) async throws {
    try await send("DELETE", identifier.map { path("apps", app, "local", $0) } ?? path("apps", app, "local"))
  }
}
