// The errors with which a start refuses settings are those of `check` for their file.

import Foundation
import HandsetStore
import TestSupport
import Testing

@testable import DeskbellDaemon
@testable import UnixSockets

extension Folder {
  /// Returns the errors of `check`, without the path of the file.
  fileprivate func errors(_ text: String) throws -> [String] {
    let file = "\(path)/desk.yaml"
    try Data((text + "\nstate: \(path)/state\n").utf8).write(to: URL(filePath: file))
    return DeskbellDaemon.check(path: file).errors.map { $0.replacing("\(file):", with: "") }
  }
}

@Suite struct ExaminationTests {
  @Test(
    "A setting that ends the daemon at its start is an error where it stands",
    arguments: [
      "board: raspbery-pi-4": "1:8: error: board 'raspbery-pi-4': no such file and no shipped board, did you mean",
      "board: raspberry-pi-4.yaml":
        "1:8: error: board 'raspberry-pi-4.yaml': no such file and no shipped board, did you mean 'raspberry-pi-4'?",
      "language: en\npanel: \"*:2198\"": "2:8: error: panel *:2198: other machines can reach it there",
      "default-sound: gong": "1:16: error: default-sound: there is no ",
      "default-sound: bell.wav": "1:16: error: default-sound: there is no ",
      "tls-names: [\"https://bell.example\"]":
        "1:12: error: tls-names: 'https://bell.example' is neither a host name nor an address; expected bell.example",
      "tls-names: [\"bell.example:2197\"]":
        "1:12: error: tls-names: 'bell.example:2197' is neither a host name nor an address; expected bell.example",
      "tls-names: [\"[fd00::7]:2197\"]":
        "1:12: error: tls-names: '[fd00::7]:2197' is neither a host name nor an address; expected fd00::7",
      "tls-names: [\"bell example\"]":
        "1:12: error: tls-names: 'bell example' is neither a host name nor an address; expected for example",
      "certificate: { chain: /none.pem, key: /none.key }":
        "1:14: error: certificate: /none.pem: cannot be read: No such file",
      "http: { listen: \"127.0.0.1:2197\", for: [ntfy] }":
        "1:7: error: http: listen: 127.0.0.1:2197 is the port of listen: *:2197",
      "channels: \"*:2197\"":
        "1:11: error: channels: *:2197 is the port of listen: *:2197; choose another, such as *:2196",
      "board: simulated\ndisplay: max7219.yaml":
        "2:10: error: display 'max7219.yaml': no such file and no shipped display, did you mean 'max7219'?",
      "board: simulated\ndisplay: lcd1602":
        "2:10: error: display 'lcd1602': no such file and no shipped display. Shipped displays:",
      "control: /none/such/control.sock":
        "1:10: error: control: the folder /none/such of the control socket cannot be used",
      "control: /tmp/\(String(repeating: "x", count: 95))":
        "1:10: error: control: the apps' socket's path has 110 bytes",
      "fleet: { servers: [\"tls://127.0.0.1:1\"], desks: [], ca: /none.pem }":
        "1:8: error: fleet: ca: /none.pem cannot be read: No such file",
      "control: /tmp/\(String(repeating: "x", count: 116))":
        "1:10: error: control: the control socket's path has 121 bytes",
      "fleet: { servers: [\"nats://127.0.0.1:1\"], desk: a, seed: /none.nk }":
        "1:8: error: fleet: seed: /none.nk cannot be read",
    ])
  func refused(text: String, error: String) throws {
    let folder = try Folder()
    let errors = try folder.errors(text)
    #expect(errors.count == 1 && errors.first?.hasPrefix(error) == true, "\(errors)")
    // The start has the same errors.
    let file = "\(folder.path)/desk.yaml"
    let configuration = try Configuration(DaemonOptions(config: file))
    let refusal = #expect(throws: DaemonError.self) { try configuration.refuseProblems(hasPanelPassword: false) }
    #expect(refusal.map { errors.first?.hasSuffix($0.description) } == true)
  }

  @Test("The words of a refusal name the one that was meant")
  func meant() throws {
    let folder = try Folder()
    #expect(try folder.errors("default-sound: bell.wav")[0].contains(", did you mean 'bell'? choose one of "))
    #expect(try folder.errors("default-sound: chim")[0].contains(", did you mean 'chime'? choose one of "))
    #expect(try folder.errors("board: raspberry-pi-4.yml")[0].contains("did you mean 'raspberry-pi-4'?"))
  }

  @Test("A state directory below a file is refused")
  func stateBelowAFile() throws {
    let folder = try Folder()
    let file = "\(folder.path)/file"
    try Data().write(to: URL(filePath: file))
    for state in [file, "\(file)/state"] {
      var configuration = Configuration()
      configuration.state = state
      #expect(
        configuration.problems(hasPanelPassword: nil).map(\.text) == [
          "state: \(state) cannot be a directory, because \(file) is a file; name another"
        ])
    }
  }

  @Test("All that is wrong is said at once, and what is fine is fine")
  func several() throws {
    let folder = try Folder()
    #expect(try folder.errors("board: none-such\ndefault-sound: gong").count == 2)
    #expect(try folder.errors("board: simulated\ntls-names: [bell.local, 10.0.0.7]\ndefault-sound: chime") == [])
  }

  @Test("A panel on the network is fine once its password is stored, also while a daemon has the database")
  func password() throws {
    let folder = try Folder()
    let text = "panel: \"*:2198\""
    #expect(try folder.errors(text).count == 1)
    let store = try HandsetStore(directory: "\(folder.path)/state")
    #expect(try folder.errors(text).count == 1)
    try store.setMeta(.panelPassword, "a hash")
    #expect(try folder.errors(text) == [])
  }

  @Test("A port that is taken names its holder, the command that frees it, and a free one")
  func takenPort() {
    let address = Configuration.Address(host: "*", port: 2197)
    let service = SocketHolder(unit: "deskbell.service", program: "deskbell", process: 812, user: "deskbell")
    #expect(
      TakenPort.problem(service, address, "--listen")
        == "deskbell.service (process 812, user deskbell) has that port; stop it with "
        + "'sudo systemctl stop deskbell.socket deskbell.service', or choose another with --listen '*:2297'")
    #expect(
      TakenPort.problem(nil, address, "--listen")
        == "another program has that port; stop it, or choose another with --listen '*:2297'")
  }
}
