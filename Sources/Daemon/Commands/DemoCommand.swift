import ArgumentParser
import CommandSupport
import DeskbellDaemon
import Glibc
import Installation

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show Deskbell on a simulated board: six scenes in the terminal.",
    discussion: """
      Starts a daemon of its own in a temporary folder, with the example app and a provider, and pushes to it in six \
      scenes: message, lamp, digits and sound as they would be on a desk. Needs no hardware, touches no other daemon, and \
      leaves nothing behind. Sounds are played where there is a sound card.

      Keys: space continues, v and c are the buttons View and Close, p opens the web panel, q quits. The terminal needs \
      80 × 24 characters, and a larger one is used in full. Without a terminal the scenes run through, and are printed; \
      the exit code is 1 if one of them failed.

      Examples:
        deskbell demo
        deskbell demo --mute
        deskbell demo < /dev/null | less
      """)

  @Flag(help: "Play no sounds: draw them only.")
  var mute = false

  func run() async throws {
    let environment = Environment.ofProcess
    guard let bundle = SharedFiles.folder("examples/mailroom") else {
      throw Failure("the example app is missing", hint: "set DESKBELL_SHARE to the folder that has examples/mailroom")
    }
    let isWatched = DemoTerminal.isUsable
    let isMuted = mute
    let work = Task {
      if !isWatched { try Output.line("== Starting the appliance on a simulated board") }
      let daemon = try await DemoDaemon.start(environment, isMuted: isMuted)
      do {
        let terminal = isWatched ? try DemoTerminal(environment: environment) : nil
        defer { terminal?.restore() }
        try await show(DemoStage(daemon, terminal: terminal), bundle)
      } catch {
        await daemon.stop()
        throw error
      }
      await daemon.stop()
    }
    try await Signals.listen(for: [SIGINT, SIGTERM, SIGHUP, SIGWINCH]) { signal in
      if signal == SIGWINCH { DemoTerminal.resizes.add(1, ordering: .relaxed) } else { work.cancel() }
    }
    do {
      try await work.value
    } catch is DemoQuit {
    }
    try Output.line(DemoCommand.nextSteps)
  }

  private func show(_ stage: DemoStage, _ bundle: String) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await stage.follow() }
      tasks.addTask { try await stage.draw() }
      tasks.addTask { try await stage.tick() }
      tasks.addTask { try await stage.handleKeys() }
      tasks.addTask {
        try await DemoCommand.play(stage, bundle)
        throw DemoQuit()
      }
      do {
        for try await _ in tasks {}
      } catch {
        tasks.cancelAll()
        await stage.endWaits()
        throw error
      }
    }
  }

  private static func play(_ stage: DemoStage, _ bundle: String) async throws {
    try await stage.pass(until: 17, 30)
    try await stage.quietly("app", "install", bundle)
    try await stage.quietly("app", "register", DemoStory.app)
    await stage.link(try await stage.client.panelToken().url)
    let scenes = DemoStory.scenes
    for (place, scene) in scenes.enumerated() {
      try await stage.begin(place + 1, of: scenes.count, scene.title, scene.caption)
      try await scene.play(stage)
      try await stage.end(place + 1 < scenes.count ? "space next scene   q quit" : "space end   q quit")
    }
  }

  static let nextSteps = """

    Next:
      On your desk         sudo deskbell setup
                           asks for the board, and tests each wire
      Test your provider   deskbell serve --board simulated --clock virtual
      Ring it from here    deskbell run make test
                           once 'deskbell serve' runs

    Each of the three has a page: docs/README.md,
    or /usr/share/doc/deskbell of the package.
    """
}
