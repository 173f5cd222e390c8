import CommandSupport
import ProviderClient

enum SetupWords {
  static func next(_ report: SetupReport) -> String {
    let card = report.provider
    let broken = report.devices.filter { $0.problem != nil }.map(\.name)
    var lines = [""]
    if !broken.isEmpty {
      lines.append("Not working yet: \(broken.joined(separator: ", ")). 'deskbell doctor' looks again.")
    }
    if let user = report.joined {
      lines.append("\(user) joined the group \(SystemService.group): log in again, and commands need no sudo.")
    }
    if !report.isRunning { lines += ["Start it:", "  deskbell serve --config \(CurlLine.quoted(report.config))"] }
    lines += ["Ring it from here:", "  deskbell push \(card.topic) --title Hello --badge 1"]
    if let line = KeyWords.line(report.topic) {
      lines += ["From any machine on the network, with curl:", "  \(line)"]
    } else {
      lines += ["From any machine on the network: its line of curl was printed before; for a new one:"]
      lines += ["  deskbell topic key \(report.topic.name)"]
    }
    let folder = report.providerFolder.withoutTrailingSlash
    lines += [
      "From a program, with any APNs client library (docs/clients.md): \(folder)/ has what it reads:",
      table([
        ["  server", "\(card.host):\(card.port)", card.certificateAuthority.map { "trust \($0)" } ?? ""],
        ["  key", card.key, "team \(card.teamID), key \(card.keyID)"],
        ["  topic", card.topic],
        ["  device", ProviderFolder.tokenName, card.deviceToken],
      ]),
    ]
    return lines.joined(separator: "\n")
  }
}
