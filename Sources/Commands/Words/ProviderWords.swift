// Providers, as a list and one at a time.

import ControlAPI

enum ProviderWords {
  static func list(_ providers: [ProviderReport]) -> String {
    if providers.isEmpty { return "no provider has been added; deskbell provider add --help shows how" }
    let rows = providers.map {
      [$0.name, $0.credential, $0.teamID ?? "", $0.keyID ?? "", $0.apps.joined(separator: ", ")]
    }
    return table([["NAME", "CREDENTIAL", "TEAM", "KEY", "APPS"]] + rows)
  }

  static func added(_ provider: ProviderReport) -> String {
    "\(provider.name) may push to \(provider.apps.joined(separator: ", "))"
  }
}
