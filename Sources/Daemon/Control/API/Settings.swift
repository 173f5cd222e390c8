// The user's settings, and the conditions that scripts set: offline, low-power, locked, silent.

import HTTP
import HandsetCore

/// The settings and conditions of one handset.
public protocol SettingsBackend: Sendable {
  /// Returns each condition, `on` or `off`.
  func conditions() async throws(ControlError) -> [SettingReport]
  func settings() async throws(ControlError) -> [SettingReport]
}

/// One setting, of the handset or of an app; or one condition.
public struct SettingReport: Codable, Sendable, Equatable {
  public var key: String
  public var value: String
}

extension [SettingReport] {
  public init(conditionsOf handset: Handset) {
    let conditions = handset.record.conditions
    self = Condition.allCases.map { SettingReport(key: $0.rawValue, value: conditions.contains($0) ? "on" : "off") }
  }

  public init(settingsOf handset: Handset) {
    self = HandsetSettings.Key.allCases.map {
      SettingReport(key: $0.rawValue, value: handset.record.settings[$0])
    }
  }
}

struct SettingRequest: RequestBody, Sendable {
  var value: String

  enum CodingKeys: CodingKey, CaseIterable { case value }
}

enum SettingsResource {
  static let routes = [
    HandsetRoute("GET", "/conditions") { handset, _ in try .json(await handset.settings.conditions()) },
    HandsetRoute("PUT", "/conditions/{name}") { handset, request in
      let name = try request.parameter("name")
      let condition: Condition = try known(name, of: "condition", status: 404)
      let value = try request.body(SettingRequest.self).value
      guard value == "on" || value == "off" else {
        throw ControlError(400, "a condition is on or off, not '\(shown(value))'")
      }
      try await handset.submit(.setCondition(condition, value == "on"))
      return try .json(SettingReport(key: name, value: value))
    },
    HandsetRoute("GET", "/settings") { handset, _ in try .json(await handset.settings.settings()) },
    HandsetRoute("PUT", "/settings/{key}") { handset, request in
      let key: HandsetSettings.Key = try key(request, of: "the handset")
      let value = try request.body(SettingRequest.self).value
      try await handset.submit(.setHandsetSetting(key, value))
      return try .json(SettingReport(key: key.rawValue, value: value))
    },
    HandsetRoute("GET", "/apps/{id}/settings") { handset, request in
      try .json(await handset.report(of: handset.appID(request)).settings)
    },
    HandsetRoute("PUT", "/apps/{id}/settings/{key}") { handset, request in
      let id = try await handset.appID(request)
      let key: AppSettings.Key = try key(request, of: "an app")
      let value = try request.body(SettingRequest.self).value
      try await handset.submit(.setAppSetting(id, key, value))
      return try .json(SettingReport(key: key.rawValue, value: value))
    },
  ]

  private static func key<Key: RawRepresentable & CaseIterable>(
    _ request: HTTPRequest, of owner: String
  ) throws -> Key where Key.RawValue == String {
    let word = try request.parameter("key")
    guard let key = Key(rawValue: word) else {
      throw ControlError(
        400, "there is no setting '\(shown(word))' of \(owner)",
        hint: hint(for: word, among: Key.allCases.map(\.rawValue)))
    }
    return key
  }
}
