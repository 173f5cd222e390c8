import ProviderClient

enum SetupWords {
  static func next(_ report: SetupReport) -> String {
    let card = report.provider
    let broken = report.devices.filter { $0.problem != nil }.map(\.name)
    var lines = [""]
    if !broken.isEmpty {
      lines.append("Not working yet: \(broken.joined(separator: ", ")). 'deskbell doctor' looks again.")
    }
    if !report.isRunning { lines += ["Start it:", "  deskbell serve --config \(CurlLine.quoted(report.config))"] }
    lines += [
      "Ring it from here:",
      "  deskbell push \(card.topic) --title Hello --badge 1",
      "From anywhere, with any APNs client library: \(report.providerFolder)/ has the key and the rest:",
      table([
        ["  server", "\(card.host):\(card.port)", card.certificateAuthority.map { "trust \($0)" } ?? ""],
        ["  key", card.key, "team \(card.teamID), key \(card.keyID)"],
        ["  topic", card.topic], ["  device", card.deviceToken],
      ]),
    ]
    return lines.joined(separator: "\n")
  }
}
