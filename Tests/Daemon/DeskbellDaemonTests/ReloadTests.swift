// Changes of the configuration after it was read: sockets from the service manager, and another version of the file.

import DaemonTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import DeskbellDaemon
@testable import ServiceManager

@Suite struct ReloadTests {
  @Test func handedSocketsGoBeforeTheConfiguration() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "deskbell-\(UUID().uuidString).sock").path
    try Data().write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    var configuration = try Configuration(
      text: "{ listen: '*:2200', control: /run/other.sock }", file: "deskbell.yaml")
    #expect(configuration.appsSocketMode == 0o600)
    #expect(chmod(path, 0o660) == 0)
    let log = LogLines()
    let sockets = ActivatedSockets(push: 3, control: .init(descriptor: 4, path: path))
    configuration.use(sockets, logger: log.logger)
    #expect(configuration.controlSocket == path)
    #expect(configuration.appsSocketMode == 0o660)
    #expect(
      log.all == [
        "listen: *:2200 is not used, the service manager's socket is; change it with: systemctl edit deskbell.socket",
        "control: /run/other.sock is not used, the service manager's socket is: \(path)",
      ])
  }

  // MARK: Reading the configuration again

  @Test func whatARestartWouldChangeIsNamedByItsKey() throws {
    let changes = [
      "listen": "listen: '*:2200'", "tls-names": "tls-names: [bell.local]",
      "certificate": "certificate: { chain: a, key: b }", "environment": "environment: development",
      "board": "board: simulated", "speaker": "speaker: { pcm: other }", "limits": "limits: { connections: 7 }",
      "state": "state: /srv", "control": "control: /run/c.sock", "language": "language: de",
      "default-sound": "default-sound: chime",
    ]
    for (key, text) in changes {
      let changed = try Configuration(text: text, file: "deskbell.yaml")
      #expect(changed.keys(differingFrom: Configuration()) == [key])
      #expect(changed.keys(differingFrom: changed) == [])
    }
    let first = try Configuration(text: "certificate: { chain: a, key: b }", file: "deskbell.yaml")
    let second = try Configuration(text: "certificate: { chain: c, key: d }", file: "deskbell.yaml")
    #expect(second.keys(differingFrom: first) == [], "another file is put into service at once")
  }
}
