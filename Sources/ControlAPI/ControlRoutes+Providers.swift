// Who may push.

import HTTPRoutes

extension ControlRoutes {
  @Sendable func providers(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.providers())
  }

  @Sendable func setProvider(_ request: HTTPRequest) async throws -> HTTPResponse {
    let name = try request.parameter("name")
    guard isProviderName(name) else {
      throw ControlError(
        400, "'\(shown(name))' is no name for a provider",
        hint: "expected 1 to \(ControlLimits.providerNameBytes) letters, digits, dots, dashes and underscores")
    }
    try PanelProvider.refuse(name)
    return try .json(await backend.setProvider(name, request.json()))
  }

  @Sendable func removeProvider(_ request: HTTPRequest) async throws -> HTTPResponse {
    let name = try request.parameter("name")
    do throws(ControlError) {
      try await backend.removeProvider(name)
    } catch {
      guard error.status == 404 else { throw error }
      let names = (try? await backend.providers().map(\.name)) ?? []
      throw ControlError(
        404, "there is no provider '\(shown(name))'",
        hint: names.isEmpty ? "no provider has been added" : hint(for: name, among: names))
    }
    return .noContent
  }
}

private func isProviderName(_ name: String) -> Bool {
  (1...ControlLimits.providerNameBytes).contains(name.utf8.count)
    && name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
}
