// The demo's own daemon, in a temporary folder: it leaves nothing behind, and affects no other daemon.

import CommandSupport
import DeskbellDaemon
import HTTP

struct DemoDaemon: Sendable {
  let client: ControlClient
  let soundOutput: String
  private let folder: DaemonFolder
  private let process: CollectedProgram
  private let variables: [String]

  /// - Parameter isMuted: writes sounds to files in any case.
  /// - Throws: `Failure` with its output.
  static func start(_ environment: Environment, isMuted: Bool) async throws -> DemoDaemon {
    let folder = try DaemonFolder(for: "demo", in: environment["TMPDIR"] ?? "/tmp")
    let drawn = ["--wav", "\(folder.path)/played"]
    var daemon = DemoDaemon(
      in: folder, soundOptions: isMuted ? drawn : [], soundOutput: isMuted ? "muted: drawn only" : "played by ALSA")
    do {
      try await daemon.waitUntilItAnswers()
      if !isMuted, try await !daemon.hasSound() {
        await daemon.stopProcess()
        daemon = DemoDaemon(in: folder, soundOptions: drawn, soundOutput: "no sound card: drawn only")
        try await daemon.waitUntilItAnswers()
      }
      return daemon
    } catch {
      await daemon.stop()
      throw error
    }
  }

  private init(in folder: DaemonFolder, soundOptions: [String], soundOutput: String) {
    self.folder = folder
    self.soundOutput = soundOutput
    variables = folder.environment.asVariables
    client = ControlClient(socket: folder.socket)
    process = CollectedProgram(
      DaemonFolder.program, folder.serving(panel: "127.0.0.1:0") + ["--clock", "virtual"] + soundOptions,
      environment: variables)
  }

  private func waitUntilItAnswers() async throws { try await folder.waitUntilAnswered { failure } }

  func run(_ arguments: [String]) async -> CollectedProgram.Result {
    await CollectedProgram(DaemonFolder.program, ["deskbell"] + arguments, environment: variables).end()
  }

  func shell(_ line: String) async -> CollectedProgram.Result {
    await CollectedProgram("/bin/sh", ["sh", "-c", line], environment: variables).end()
  }

  var failure: Failure? {
    process.result.map { result in
      let last = result.output.split(separator: "\n").suffix(3).joined(separator: "\n  ")
      return Failure("the demo's daemon ended (exit code \(result.status)): \(last)")
    }
  }

  func stop() async {
    await stopProcess()
    folder.remove()
  }

  private func stopProcess() async {
    process.terminate()
    _ = await process.end()
  }

  private func hasSound() async throws -> Bool {
    do {
      _ = try await client.play()
      return true
    } catch HTTPClientError.refused {
      return false
    }
  }
}
