// The demo's own daemon, in a temporary folder: it leaves nothing behind, and affects no other daemon.

import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HTTP
import SystemThreads

struct DemoDaemon: Sendable {
  enum Limits {
    /// The time from its start until it answers; a slow board takes seconds.
    static let start: Duration = .seconds(60)
    static let poll: Duration = .milliseconds(20)
  }

  let client: ControlClient
  let soundOutput: String
  private let folder: String
  private let socket: String
  private let process: CollectedProgram
  private let variables: [String]

  /// - Parameter isMuted: writes sounds to files in any case.
  /// - Throws: `Failure` with its output.
  static func start(_ environment: Environment, isMuted: Bool) async throws -> DemoDaemon {
    let parent = environment["TMPDIR"] ?? "/tmp"
    var path = Array("\(parent)/deskbell-demo.XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else {
      throw Failure("no folder for the demo can be made in \(parent): \(SystemError.last)", hint: "set TMPDIR")
    }
    let folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let drawn = ["--wav", "\(folder)/played"]
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

  private init(in folder: String, soundOptions: [String], soundOutput: String) {
    self.folder = folder
    self.soundOutput = soundOutput
    socket = "\(folder)/control.sock"
    let settings = "\(folder)/config"
    let own = ["DESKBELL_CONTROL": socket, "XDG_CONFIG_HOME": settings, "CONFIGURATION_DIRECTORY": settings]
    variables = ProcessInfo.processInfo.environment.filter { !DemoDaemon.foreign.contains($0.key) }
      .merging(own) { $1 }.map { "\($0.key)=\($0.value)" }
    client = ControlClient(socket: socket)
    process = CollectedProgram(
      DemoDaemon.program,
      [
        "deskbell", "serve", "--board", "simulated", "--clock", "virtual", "--state", "\(folder)/state", "--control",
        socket, "--listen", "127.0.0.1:0", "--panel", "127.0.0.1:0",
      ] + soundOptions, environment: variables)
  }

  private func waitUntilItAnswers() async throws {
    let deadline = ContinuousClock.now + Limits.start
    while ControlSocket.state(of: socket) != .answers {
      if let failure { throw failure }
      guard ContinuousClock.now < deadline else {
        throw Failure("the daemon did not answer within \(Limits.start.components.seconds) s")
      }
      try await Task.sleep(for: Limits.poll)
    }
  }

  /// The path of this program, even after it was replaced on the disk.
  private static let program = "/proc/self/exe"
  /// Variables for the program that was started, not for its daemon and commands.
  private static let foreign: Set<String> = [
    "DESKBELL_HANDSET", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC",
  ]

  func run(_ arguments: [String]) async -> CollectedProgram.Result {
    await CollectedProgram(DemoDaemon.program, ["deskbell"] + arguments, environment: variables).end()
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
    try? FileManager.default.removeItem(atPath: folder)
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
