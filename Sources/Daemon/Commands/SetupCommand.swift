import ArgumentParser
import Board
import CommandSupport
import DeskbellDaemon
import Glibc
import HandsetCore
import HeldFolders
import Installation
import ProviderClient

struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up this machine: board, wiring, sound, settings file, certificate authority, first provider.",
    discussion: """
      Asks for the board and display, tests each wire and the sound, writes the settings file, creates the certificate \
      authority, a first provider and a first topic, and prints how to send the first push. If the package is installed, \
      the daemon is restarted with the new settings, and the user who ran sudo joins the group that may use commands. A \
      board or display file in a home folder, which the service cannot read, is copied to /etc/deskbell. If the daemon \
      does not start, the settings before are put back.

      Without a terminal nothing is asked: --board is required, and devices are not tested. An existing settings file \
      with other settings is replaced only with --force, and is kept with ~ added to its name. Setup may run again: a \
      valid provider folder stays, and an invalid one is kept with ~, too.

      Examples:
        sudo deskbell setup
        deskbell setup --board simulated --config desk.yaml --state ./state
        deskbell setup --board raspberry-pi-4 --display max7219 --force --json
      """)

  @Option(help: ArgumentHelp("A shipped board, or the path of a board file.", valueName: "file|name"))
  var board: String?
  @Option(help: ArgumentHelp("A shipped display, the path of a display file, or none.", valueName: "file|name"))
  var display: String?
  @Option(help: ArgumentHelp("The ALSA PCM to play on. Default: default.", valueName: "name"))
  var pcm: String?
  @Option(
    help: ArgumentHelp(
      "The settings file to write. Default: /etc/deskbell/deskbell.yaml for root, else ~/.config/deskbell/deskbell.yaml.",
      valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("The address for pushes. Default: *:2197.", valueName: "host:port"))
  var listen: String?
  @Option(name: .customLong("name"), help: "An additional name for the server's certificate; may be repeated.")
  var names: [String] = []
  @Option(help: ArgumentHelp("The state directory, if not the default.", valueName: "dir"))
  var state: String?
  @Option(help: ArgumentHelp("The control socket, if not the default.", valueName: "socket"))
  var control: String?
  @Option(help: ArgumentHelp("The first provider's name.", valueName: "name"))
  var provider = "first"
  @Option(
    help: ArgumentHelp(
      "The folder for the provider's key and the files its client needs.", valueName: "dir"))
  var providerFolder = "deskbell-provider"
  @Flag(help: "Replace an existing settings file.")
  var force = false
  @OptionGroup var json: JSONOption

  static let exampleApp = "com.example.mailroom"
  static let topicName = "bell"

  func validate() throws {
    // The daemon would refuse it, but only after everything else is done.
    do throws(ControlError) {
      try PanelProvider.refuse(provider)
    } catch {
      throw ValidationError("--provider: \(error.message); \(error.hint ?? "")")
    }
  }

  func run() async throws {
    let environment = Environment.ofProcess
    let asks = Questions.canAsk && !json.isWanted
    guard asks || board != nil else {
      throw ValidationError("Setup needs a terminal, or --board, such as --board raspberry-pi-4.")
    }
    let path = try config ?? SettingsFile.standardPath(environment)
    var questions = Questions()
    if !asks { questions.say = { _ in } }
    if asks && access(path, F_OK) == 0 && !force {
      guard try questions.yes("\(path) already exists; the old file is kept as \(path)~. Replace it?", standard: true)
      else { throw Failure("\(path) already exists", hint: "give another file with --config") }
    }
    // The service uses the lines that are to be tested.
    var mustRestart = false
    do {
      let asked = DeviceQuestions(questions: questions)
      // The settings file may be in another folder.
      var chosen = try board.map { BoardChoice(board: SetupCommand.absolute($0)) } ?? asked.choice()
      if let display { chosen.display = SetupCommand.absolute(display) }
      // Read now, so that an invalid file is reported before any question, and before a service is stopped.
      let description = try ShippedBoard.description(of: chosen.board, display: chosen.display)
      let own = chosen
      var copies: [ServiceCopy] = []
      if usesService { (chosen, copies) = try ServiceCopy.all(for: chosen, beside: path) }
      var (findings, card): ([DeviceFinding], String?) = ([], pcm)
      if asks && !description.isSimulated {
        mustRestart = SystemService.pause()
        (findings, card) = try await tryDevices(of: description, asked)
      }
      let settings = SettingsFile(
        board: chosen.board, display: chosen.display, pcm: card, listen: listen, names: names, state: state,
        control: control)
      guard settings.isWritten(at: path) || asks || force || access(path, F_OK) != 0 else {
        throw Failure("\(path) already exists", hint: "give --force, or another file with --config")
      }
      try apply(settings, at: path, copies, of: own, &mustRestart)
      try questions.say("Wrote \(path)")
      let made = try await makeProvider(config: path)
      if mustRestart && !usesService { try? SystemService.restart() }
      let report = SetupReport(
        config: path, board: chosen.board, display: chosen.display, copies: copies, devices: findings,
        provider: made.card, providerFolder: providerFolder, topic: made.topic, isRunning: usesService,
        joined: try join(environment))
      try json.print(report, SetupCommand.next)
    } catch {
      if mustRestart { try? SystemService.restart() }
      throw error
    }
  }

  /// True if the settings are those of the package's service.
  private var usesService: Bool { SystemService.isInstalled && geteuid() == 0 && config == nil }

  /// Writes the copies and the settings, and starts the service with them. If that fails, the files before are put back.
  /// - Parameters:
  ///   - own: the choice with the user's own paths.
  ///   - mustRestart: becomes true if the service was started with files that are no longer there, and false if it runs
  ///     with the new ones.
  private func apply(
    _ settings: SettingsFile, at path: String, _ copies: [ServiceCopy], of own: BoardChoice, _ mustRestart: inout Bool
  ) throws(Failure) {
    var written: [FileReplacement] = []
    do throws(Failure) {
      for copy in copies {
        let replaced = try copy.make { draft in
          let board = copy.from == own.board ? draft : own.board
          let display = copy.from == own.display ? draft : own.display
          do throws(InstallationError) {
            _ = try ShippedBoard.description(of: board, display: display)
            return []
          } catch {
            return ["\(error)"]
          }
        }
        if let replaced { written.append(replaced) }
      }
      if !settings.isWritten(at: path), let replaced = try settings.write(to: path) { written.append(replaced) }
      guard usesService else { return }
      mustRestart = true
      try SystemService.restart()
      mustRestart = false
    } catch {
      var failure = error
      for file in written.reversed() {
        do throws(HeldFolder.Fault) {
          try file.undo()
        } catch {
          failure.hint = "\(error.path) cannot be put back: \(error.reason)"
          throw failure
        }
      }
      if mustRestart && !written.isEmpty {
        failure.hint = "the settings before are back; " + (failure.hint ?? "")
      }
      throw failure
    }
  }

  private func tryDevices(
    of board: BoardDescription, _ asked: DeviceQuestions
  ) async throws -> ([DeviceFinding], String?) {
    var findings = try await asked.tryDevices(of: board)
    let (sound, card) = try await asked.trySound(on: pcm)
    findings.append(sound)
    if findings.contains(where: { $0.problem != nil }),
      try !asked.questions.yes("Continue anyway? The other devices work without it.", standard: true)
    {
      throw Failure("setup was cancelled", hint: "nothing was written; fix the wiring and run setup again")
    }
    return (findings, card)
  }

  /// Puts the user who ran sudo into the group that may use the service's sockets.
  /// - Returns: the user's name; nil if there is nothing to do.
  private func join(_ environment: Environment) throws -> String? {
    guard SystemService.isInstalled, geteuid() == 0, let user = Membership.newMember(environment) else { return nil }
    guard SystemService.run(["usermod", "--append", "--groups", SystemService.group, user]) == 0 else {
      throw Failure(
        "\(user) could not join the group \(SystemService.group)",
        hint: "sudo usermod --append --groups \(SystemService.group) \(user)")
    }
    return user
  }

  /// Uses the service if the settings are its own, so that everything belongs to its user; else a daemon that runs only
  /// for this.
  private func makeProvider(config: String) async throws -> (card: ProviderFolder.Card, topic: KeyReport) {
    let folder = ProviderFolder(path: providerFolder)
    let (provider, host) = (provider, names.first)
    if usesService {
      let client = ControlClient(socket: try ControlSocket.path(named: control, environment: .ofProcess))
      return try await SetupCommand.fill(folder, provider: provider, host: host, client)
    }
    return try await Daemon.prepare(config: config) { socket in
      try await SetupCommand.fill(folder, provider: provider, host: host, ControlClient(socket: socket))
    }
  }

  /// Installs the example app if there is no app, and makes a provider and a topic for the first app.
  private static func fill(
    _ folder: ProviderFolder, provider: String, host: String?, _ client: ControlClient
  ) async throws -> (ProviderFolder.Card, KeyReport) {
    let app = try await client.apps().first?.id
    if app == nil {
      guard let example = SharedFiles.folder("examples/mailroom") else {
        throw Failure("the example app is missing", hint: "install an app first: deskbell app install DIR")
      }
      _ = try await client.install(exampleApp, BundleFolder.read(example))
      _ = try await client.register(exampleApp, kinds: NotificationKinds.all.names)
    }
    let card = try await folder.make(provider: provider, app: app ?? exampleApp, host: host, client)
    return (card, try await client.setKey(.topic, topicName, KeyRequest(app: card.topic)))
  }

  /// Returns the absolute path of a file; a name of a shipped one stays.
  private static func absolute(_ board: String) -> String {
    board.contains("/") || SharedFiles.isFile(board) ? SharedFiles.absolute(board) ?? board : board
  }

  static func next(_ report: SetupReport) -> String {
    let card = report.provider
    let broken = report.devices.filter { $0.problem != nil }.map(\.name)
    var lines = report.copies.map(\.words) + [""]
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

struct SetupReport: Encodable {
  var config: String
  var board: String
  var display: String?
  /// The user's own files that were copied for the service.
  var copies: [ServiceCopy] = []
  var devices: [DeviceFinding]
  var provider: ProviderFolder.Card
  var providerFolder: String
  /// A topic for curl, ntfy and Gotify; it contains its key the first time.
  var topic: KeyReport
  /// True if the daemon runs with these settings already.
  var isRunning: Bool
  /// The user who may use commands after the next login; nil if no user was added to the group.
  var joined: String?
}
