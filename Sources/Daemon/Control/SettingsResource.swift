// The user's settings, and the conditions that scripts set.

import HTTP
import HandsetCore

public struct SettingReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A setting, of the handset or of an app; or a condition."

  public var key: String
  public var value: String

  static let meanings: [String: Meaning] = [
    "key": "The name."
  ]
}

struct SettingRequest: RequestBody, Sendable {
  static let meaning = "A setting's new value."

  var value: String
}

enum SettingsResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/conditions", "conditions", in: .settings,
      "The conditions: \(Condition.allCases.map(\.rawValue).joined(separator: ", ")), each on or off",
      answer: "In the order to list them."
    ) { handset, _ -> [SettingReport] in
      let set = try await handset.access.read { handset, _, _, _ in handset.record.conditions }
      return Condition.allCases.map { SettingReport(key: $0.rawValue, value: set.contains($0) ? "on" : "off") }
    },
    HandsetRoute(
      "PUT", "/conditions/{name}", "setCondition", in: .settings, "Change a condition",
      parameters: ["name": "A condition's name."], body: SettingRequest(value: "on"), answer: "Changed."
    ) { handset, request -> SettingReport in
      let name = try request.parameter("name")
      let condition: Condition = try known(name, of: "condition", status: 404)
      let value = try request.body(SettingRequest.self).value
      guard value == "on" || value == "off" else {
        throw ControlError(400, "a condition is on or off, not '\(shown(value))'")
      }
      try await handset.access.apply(.setCondition(condition, value == "on"))
      return SettingReport(key: name, value: value)
    },
    HandsetRoute(
      "GET", "/settings", "handsetSettings", in: .settings, "The settings of the handset",
      answer: "In the order to list them."
    ) { handset, _ -> [SettingReport] in
      let settings = try await handset.access.read { handset, _, _, _ in handset.record.settings }
      return HandsetSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: settings[$0]) }
    },
    HandsetRoute(
      "PUT", "/settings/{key}", "setHandsetSetting", in: .settings, "Change a setting of the handset",
      body: SettingRequest(value: "22:00-07:00"), answer: "Changed."
    ) { handset, request -> SettingReport in
      let key: HandsetSettings.Key = try known(request.parameter("key"), of: "setting", in: "the handset")
      let value = try request.body(SettingRequest.self).value
      try await handset.access.apply(.setHandsetSetting(key, value))
      return SettingReport(key: key.rawValue, value: value)
    },
    HandsetRoute(
      "GET", "/apps/{id}/settings", "appSettings", in: .settings, "The settings of an app",
      answer: "In the order to list them."
    ) { handset, request in try await handset.access.app(handset.access.appID(request)).settings },
    HandsetRoute(
      "PUT", "/apps/{id}/settings/{key}", "setAppSetting", in: .settings, "Change a setting of an app",
      body: SettingRequest(value: "alert"), answer: "Changed."
    ) { handset, request -> SettingReport in
      let id = try await handset.access.appID(request)
      let key: AppSettings.Key = try known(request.parameter("key"), of: "setting", in: "an app")
      let value = try request.body(SettingRequest.self).value
      try await handset.access.apply(.setAppSetting(id, key, value))
      return SettingReport(key: key.rawValue, value: value)
    },
  ]
}

extension ControlClient {
  public func conditions() async throws -> [SettingReport] { try await get(path("conditions")) }

  /// - Parameter value: `on` or `off`.
  public func setCondition(_ name: String, to value: String) async throws -> SettingReport {
    try await send("PUT", path("conditions", name), SettingRequest(value: value))
  }

  /// - Parameter app: nil for the settings of the handset.
  public func settings(of app: String?) async throws -> [SettingReport] {
    try await get(app.map { path("apps", $0, "settings") } ?? path("settings"))
  }

  public func set(_ key: String, to value: String, of app: String?) async throws -> SettingReport {
    let target = app.map { path("apps", $0, "settings", key) } ?? path("settings", key)
    return try await send("PUT", target, SettingRequest(value: value))
  }
}
