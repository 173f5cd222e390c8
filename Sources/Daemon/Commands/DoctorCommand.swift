import ArgumentParser
import CommandSupport
import DeskbellDaemon
import Glibc
import HTTP
import Installation
import ProviderClient

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Diagnose this installation and suggest fixes.",
    discussion: """
      Checks the settings file, the clock, the state directory, the daemon, its devices, its push port, its apps and \
      providers, and settings that silence the handset. Changes nothing. Exits with 1 if something is broken, with 3 \
      if no daemon is running.

      Examples:
        deskbell doctor
        deskbell doctor --config desk.yaml --json
      """)

  @Option(
    help: ArgumentHelp(
      "The settings file. Default: the daemon's; if none runs, this user's, as for 'deskbell serve', else the machine's.",
      valueName: "file"))
  var config: String?
  @OptionGroup var options: HandsetQuery

  func run() async throws {
    // A running daemon has its settings file and state folder.
    let daemon = try? await options.client().state()
    let file = config ?? (daemon == nil ? SettingsFile.installed(Environment.ofProcess) : daemon?.settingsFile)
    var findings = file.map { Machine.configuration(at: $0) } ?? [Machine.noConfiguration(isRunning: daemon != nil)]
    findings += Machine.broker(config: file)
    findings.append(Machine.clock)
    findings.append(daemon?.stateDirectory.map(Machine.state(in:)) ?? Machine.state(config: file))
    findings += Machine.devices
    var failure: Failure?
    do {
      findings += try await self.findings(of: options.client())
    } catch let error as Failure where error.code == Program.Exit.noDaemon {
      failure = error
    } catch let error as HTTPClientError {
      failure = Failure(error)
    }
    let daemonIsThere = failure?.code != Program.Exit.noDaemon
    if let failure {
      let isStopped = !daemonIsThere && SystemService.isInstalled
      let advice = isStopped ? "sudo systemctl start \(SystemService.unit)" : failure.hint
      findings.append(Finding("daemon", .broken, failure.message, advice: advice))
    }
    if !daemonIsThere { findings += await SystemService.lastWords() }
    try options.json.print(findings, DoctorCommand.text)
    if !daemonIsThere { throw ExitCode(Program.Exit.noDaemon) }
    if findings.contains(where: { $0.grade == .broken }) { throw ExitCode(Program.Exit.failed) }
  }

  static func text(_ findings: [Finding]) -> String {
    let rows = findings.flatMap { finding -> [[String]] in
      let mark =
        switch finding.grade {
        case .fine: "ok  "
        case .notable: "note"
        case .broken: "FAIL"
        }
      let row = [mark, finding.subject, oneLine(finding.text)]
      return [row] + (finding.advice.map { [["", "", $0]] } ?? [])
    }
    let broken = findings.count { $0.grade == .broken }
    let end = broken == 0 ? "Nothing is broken." : counted(broken, "thing is broken.", plural: "things are broken.")
    return table(rows) + "\n" + end
  }

  /// Examines a running daemon.
  /// - Throws: `HTTPClientError` if it does not answer.
  private func findings(of client: ControlClient) async throws -> [Finding] {
    let state = try await client.state()
    var findings = [
      state.version == Daemon.version
        ? Finding("daemon", .fine, "Deskbell \(state.version) answers")
        : Finding(
          "daemon", .notable, "Deskbell \(state.version) runs, and this command is \(Daemon.version)",
          advice: "restart the daemon")
    ]
    findings += state.devices.map { device in
      device.works
        ? Finding(device.name, .fine, "works")
        : Finding(device.name, .broken, device.problem ?? "does not work", advice: nil)
    }
    if let address = state.pushAddress {
      findings.append(try await port(address, client))
      let notices = try? await client.certificate().notices
      findings += (notices ?? []).map { Finding("certificate authority", .notable, $0) }
    }
    if let address = state.channelsAddress {
      findings.append(Finding("port for channels", .fine, "\(address): the management of channels, with TLS"))
    }
    if let address = state.httpAddress {
      findings.append(
        Finding(
          "port without TLS", .notable,
          "\(address): anyone on the network can read messages and access keys there, and ring the bell with them",
          advice: "take http: out of the settings file as soon as every client can speak TLS"))
    }
    if let faults = try? await client.faults() { findings.append(DoctorCommand.bench(faults)) }
    findings += try await people(client)
    findings += try await quiet(client)
    return findings
  }

  /// Examines a test bench; a desk's daemon has no faults.
  static func bench(_ list: FaultList) -> Finding {
    let armed = list.faults.filter(\.armed)
    guard !armed.isEmpty else {
      return Finding("test bench", .notable, "this daemon is a test bench, and no fault is armed")
    }
    let names = armed.map(\.name).joined(separator: ", ")
    return Finding(
      "test bench", .notable,
      "this daemon is a test bench with \(counted(armed.count, "fault")) armed, so pushes may fail on purpose: \(names)",
      advice: "deskbell fault remove --all")
  }

  /// Connects as a provider does: TLS, the certificate's name and authority, HTTP/2.
  private func port(_ address: String, _ client: ControlClient) async throws -> Finding {
    guard let endpoint = Endpoint(reaching: address) else {
      return Finding("push port", .broken, "'\(address)' is no address")
    }
    let identity = try await PortIdentity(of: client)
    do {
      let connection = try await ProviderConnection.connect(to: endpoint, trust: identity.trust)
      await connection.close()
      guard let own = identity.ownCertificate else {
        return Finding("push port", .fine, "\(address) answers, and its certificate is good")
      }
      let names = own.names.isEmpty ? "which names no server" : "for \(own.names.joined(separator: ", "))"
      return Finding("push port", .fine, "\(address) answers, with a certificate of your own, \(names)")
    } catch {
      return Finding("push port", .broken, "\(error)", advice: "journalctl --unit \(SystemService.unit)")
    }
  }

  private func people(_ client: ControlClient) async throws -> [Finding] {
    let (apps, providers) = (try await client.apps(), try await client.providers())
    if apps.isEmpty {
      return [Finding("apps", .notable, "no app is installed", advice: "deskbell app install mailroom")]
    }
    let unregistered = apps.filter { $0.registration != "registered" }.map { app in
      Finding(
        "apps", .notable, "\(app.id) is not registered, so its pushes are ignored",
        advice: "deskbell app register \(app.id)")
    }
    let unprovided = apps.filter { app in !providers.contains { $0.apps.contains(app.id) } }.map { app in
      Finding(
        "providers", .notable, "no provider may push to \(app.id)",
        advice: "deskbell push \(app.id) --title Hello adds a provider of your own; see also deskbell provider add")
    }
    let counts = "\(counted(apps.count, "app")), \(counted(providers.count, "provider"))"
    let findings = unregistered + unprovided
    return findings.isEmpty ? [Finding("apps", .fine, counts)] : findings
  }

  private func quiet(_ client: ControlClient) async throws -> [Finding] {
    let names = ["silent": "no sound is played", "offline": "pushes are stored, and shown when it is online again"]
    let conditions = try await client.conditions().filter { $0.value == "on" }.compactMap { condition in
      names[condition.key].map { effect in
        Finding(
          "handset", .notable, "it is \(condition.key): \(effect)", advice: "deskbell conditions \(condition.key) off")
      }
    }
    let settings = try await client.settings(of: nil).filter { $0.key == "quiet-hours" && $0.value != "off" }
    return conditions
      + settings.map { setting in
        Finding(
          "handset", .notable, "it has quiet hours, \(setting.value): no sound is played then",
          advice: "deskbell settings quiet-hours off")
      }
  }
}
