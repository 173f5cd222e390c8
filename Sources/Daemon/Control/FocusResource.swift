// Focus modes (rule Q3). The one that is on is the handset's setting `focus`.

import HTTP
import HandsetCore

public struct FocusReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The Focus modes, and the one that is on."

  public var mode: String?
  public var untilWallMicroseconds: Int64?
  public var modes: [FocusModeReport]

  static let meanings: [String: Meaning] = [
    "mode": "The mode that is on; absent if none is.",
    "untilWallMicroseconds": "The end of its hours; absent if the person turned it on.",
    "modes": "All modes, by name.",
  ]
}

public struct FocusModeReport: RequestBody, Sendable, Equatable {
  static let meaning = "A Focus mode."

  public var name: String?
  public var allow: [String]?
  public var timeSensitive: Bool?
  public var filters: [String: [String]]?
  public var schedule: String?

  public init(
    name: String? = nil, allow: [String]? = nil, timeSensitive: Bool? = nil, filters: [String: [String]]? = nil,
    schedule: String? = nil
  ) {
    (self.name, self.allow, self.timeSensitive) = (name, allow, timeSensitive)
    (self.filters, self.schedule) = (filters, schedule)
  }

  static let meanings: [String: Meaning] = [
    "name": "1 to 32 letters, digits, dots, dashes and underscores, and not off. A request has it in its path.",
    "allow": "The apps whose notifications pass; at most 64.",
    "timeSensitive": "True if time-sensitive notifications of all apps pass; absent is true.",
    "filters": "By app: the filter-criteria that pass; at most 16 for each app.",
    "schedule": "The hours at which it turns on and off: 22:00-07:00; absent for none.",
  ]

  /// - Throws: `ControlError` 400 with the value that is wrong.
  func mode(named name: String) throws(ControlError) -> FocusMode {
    var mode = FocusMode(name: name)
    for text in allow ?? [] {
      guard let app = AppID(text) else { throw ControlError(400, "'\(shown(text))' is no app's bundle identifier") }
      mode.allow.append(app)
    }
    mode.timeSensitive = timeSensitive ?? true
    mode.filters = filters ?? [:]
    if let schedule {
      guard let hours = DailyHours(schedule) else {
        throw ControlError(400, "the schedule is '\(shown(schedule))'", hint: "two times that differ: 22:00-07:00")
      }
      mode.schedule = hours
    }
    return mode
  }
}

extension FocusModeReport {
  init(_ mode: FocusMode) {
    self.init(
      name: mode.name, allow: mode.allow.map(\.text), timeSensitive: mode.timeSensitive, filters: mode.filters,
      schedule: mode.schedule?.description)
  }
}

enum FocusResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute("GET", "/focus", "focus", in: .settings, "List the Focus modes (Q3)", answer: "The modes.") {
      handset, _ in try await report(handset)
    },
    HandsetRoute(
      "PUT", "/focus/{name}", "setFocusMode", in: .settings, "Create or change a Focus mode (Q3)",
      body: FocusModeReport(allow: ["com.example.mailroom"], timeSensitive: true, schedule: "22:00-07:00"),
      answer: "The modes after the change.", refusals: [409: ""]
    ) { handset, request in
      let name = try request.parameter("name")
      let mode = try request.body(FocusModeReport.self).mode(named: name)
      try await handset.access.apply(.setFocusMode(name, mode))
      return try await report(handset)
    },
    HandsetRoute(
      "DELETE", "/focus/{name}", "removeFocusMode", in: .settings, "Remove a Focus mode", refusals: [409: ""]
    ) { handset, request in try await handset.access.apply(.setFocusMode(request.parameter("name"), nil)) },
  ]

  private static func report(_ handset: HandsetParts) async throws -> FocusReport {
    try await handset.access.read { handset, _, _, now in
      FocusReport(
        mode: handset.record.settings.focus, untilWallMicroseconds: handset.focusEnd(at: now)?.microseconds,
        modes: handset.focusModes.values.sorted { $0.name < $1.name }.map { FocusModeReport($0) })
    }
  }
}

extension ControlClient {
  public func focus() async throws -> FocusReport { try await get(path("focus")) }

  public func setFocusMode(_ name: String, _ mode: FocusModeReport) async throws -> FocusReport {
    try await send("PUT", path("focus", name), mode)
  }

  public func removeFocusMode(_ name: String) async throws { try await send("DELETE", path("focus", name)) }
}
