import DeskbellDaemon

enum ProviderWords {
  static func list(_ providers: [ProviderReport]) -> String {
    if providers.isEmpty { return "no provider has been added; deskbell provider add --help shows how" }
    let rows = providers.map { provider in
      [provider.name, credential(of: provider), provider.environment ?? "", provider.apps.joined(separator: ", ")]
    }
    return table([["NAME", "CREDENTIAL", "ENVIRONMENT", "APPS"]] + rows)
  }

  private static func credential(of provider: ProviderReport) -> String {
    if let certificate = provider.certificate { return "certificate \(certificate.fingerprint.prefix(16))…" }
    return [provider.credential, provider.teamID, provider.keyID].compactMap(\.self).joined(separator: " ")
  }

  static func added(_ provider: ProviderReport) -> String {
    "\(provider.name) may push to \(provider.apps.joined(separator: ", "))"
  }
}
