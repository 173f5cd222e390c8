import ArgumentParser
import ControlAPI
import DeskbellDaemon
import FoundationEssentials
import Glibc
import Installation

struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up this machine: board, wiring, sound, settings file, certificate authority, first provider.",
    discussion: """
      Asks for the board and display, tests each wire and the sound, writes the settings file, creates the certificate \
      authority and a first provider, and prints how to send the first push. If the package is installed, the daemon \
      is restarted with the new settings.

      Without a terminal nothing is asked: --board is required, and devices are not tested. An existing settings file \
      is replaced only with --force, and is kept with ~ added to its name.

      Examples:
        sudo deskbell setup
        deskbell setup --board simulated --config desk.yaml --state ./state
        deskbell setup --board raspberry-pi-4 --display max7219 --pcm plughw:1 --force --json
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
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("An additional name for the server's certificate; may be repeated.", valueName: "name"))
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

  func validate() throws {
    // The daemon would refuse it, too, once everything else is done.
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
    if access(path, F_OK) == 0 && !force {
      // A package brings one that says nothing.
      guard asks,
        try questions.yes("\(path) already exists; the old file is kept as \(path)~. Replace it?", standard: true)
      else {
        throw Failure("\(path) already exists", hint: "give --force, or another file with --config")
      }
    }
    guard access(providerFolder, F_OK) != 0 else {
      throw Failure(
        "\(providerFolder) already exists", hint: "move it away, or name another folder with --provider-folder")
    }
    let (chosen, findings) = try await devices(questions, asks: asks)
    let settings = SettingsFile(
      board: chosen.board, display: chosen.display, pcm: pcm, listen: listen, names: names, state: state,
      control: control)
    try settings.write(to: path)
    try questions.say("Wrote \(path)")
    let (card, isRunning) = try await makeProvider(config: path, questions)
    let report = SetupReport(
      config: path, board: chosen.board, display: chosen.display, devices: findings, provider: card,
      providerFolder: providerFolder,
      isRunning: isRunning)
    try json.print(report, SetupWords.next)
  }

  private func devices(_ questions: Questions, asks: Bool) async throws -> (BoardChoice, [DeviceFinding]) {
    let boards = BoardQuestions(questions: questions)
    // The settings file may lie elsewhere.
    var chosen = try board.map { BoardChoice(board: SetupCommand.absolute($0)) } ?? boards.choice()
    if let display { chosen.display = SetupCommand.absolute(display) }
    // Read now, so that nothing is asked, and no service stopped, on account of a file that is wrong.
    let trial = try BoardTrial(board: chosen.board, display: chosen.display)
    let isSimulated = trial.isSimulated
    trial.end()
    guard asks && !isSimulated else { return (chosen, []) }
    // The daemon holds the lines that are about to be tried.
    if SystemService.isInstalled && SystemService.isActive { _ = SystemService.stop() }
    let findings = try await boards.tryDevices(of: chosen) + [boards.trySound(on: pcm ?? "default")]
    if findings.contains(where: { $0.problem != nil }),
      try !questions.yes("Continue anyway? The other devices work without it.", standard: true)
    {
      throw Failure("setup was cancelled", hint: "nothing was written; fix the wiring and run setup again")
    }
    return (chosen, findings)
  }

  /// Through the service where the package is installed, so that everything belongs to its user; else through a daemon
  /// that runs for this alone.
  private func makeProvider(
    config: String, _ questions: Questions
  ) async throws -> (card: ProviderFolder.Card, isRunning: Bool) {
    let folder = ProviderFolder(path: providerFolder)
    let (provider, host) = (provider, names.first ?? SetupCommand.hostName)
    if SystemService.isInstalled && geteuid() == 0 && self.config == nil {
      try SystemService.restart()
      let client = ControlClient(socket: try ControlSocket.path(named: control, environment: .ofProcess))
      return (try await SetupCommand.fill(folder, provider: provider, host: host, client), true)
    }
    let made = Made()
    try await Daemon.prepare(config: config) { socket in
      await made.set(
        try await SetupCommand.fill(folder, provider: provider, host: host, ControlClient(socket: socket)))
    }
    guard let card = await made.card else { throw Failure("the first provider was not made") }
    return (card, false)
  }

  private actor Made {
    var card: ProviderFolder.Card?
    func set(_ card: ProviderFolder.Card) { self.card = card }
  }

  /// The example app, where no app is there yet, and a provider for the first of the apps.
  private static func fill(
    _ folder: ProviderFolder, provider: String, host: String, _ client: ControlClient
  ) async throws -> ProviderFolder.Card {
    var app = try await client.apps().first?.id
    if app == nil {
      guard let example = SharedFiles.folder("examples/mailroom") else {
        throw Failure("the example app is missing", hint: "install an app first: deskbell app install DIR")
      }
      let bundle = try BundleFolder.read(example)
      let installed = try await client.install(exampleApp, bundle)
      _ = try await client.register(installed.app.id, kinds: ["badge", "sound", "alert"])
      app = installed.app.id
    }
    return try await folder.make(provider: provider, app: app ?? exampleApp, host: host, client)
  }

  /// A path from the root, where it is a file's; a shipped board's name stays what it is.
  private static func absolute(_ board: String) -> String {
    guard board.hasSuffix(".yaml"), let path = realpath(board, nil) else { return board }
    defer { free(path) }
    return String(cString: path)
  }

  /// As other machines find this one by multicast DNS; the server's certificate has it.
  private static var hostName: String {
    let name = ProcessInfo.processInfo.hostName
    return name.contains(".") ? name : "\(name).local"
  }
}

/// What setup came to.
struct SetupReport: Encodable {
  var config: String
  var board: String
  /// Nil for the board's own.
  var display: String?
  /// Those that were tried.
  var devices: [DeviceFinding]
  var provider: ProviderFolder.Card
  var providerFolder: String
  /// Whether the daemon runs with these settings already.
  var isRunning: Bool
}
