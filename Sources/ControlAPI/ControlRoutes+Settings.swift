// The person's choices, by the keys that HandsetCore's tables name.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func handsetSettings(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.handsetSettings())
  }

  @Sendable func setHandsetSetting(_ request: HTTPRequest) async throws -> HTTPResponse {
    let key: HandsetSettings.Key = try settingKey(request, of: "the handset")
    let value = try request.json(SettingRequest.self).value
    try await submit(.setHandsetSetting(key, value))
    return try .json(SettingReport(key: key.rawValue, value: value))
  }

  @Sendable func appSettings(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await report(of: appID(request)).settings)
  }

  @Sendable func setAppSetting(_ request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await appID(request)
    let key: AppSettings.Key = try settingKey(request, of: "an app")
    let value = try request.json(SettingRequest.self).value
    try await submit(.setAppSetting(id, key, value))
    return try .json(SettingReport(key: key.rawValue, value: value))
  }

  private func settingKey<Key: RawRepresentable & CaseIterable>(
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
