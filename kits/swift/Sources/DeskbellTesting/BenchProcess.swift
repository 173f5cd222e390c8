import Foundation

/// The bench of this test process: `deskbell bench`, started by the first test that needs it. It ends with the process,
/// because its standard input does. A bench that runs already, whose `BELL_CONTROL` is in the environment, is used
/// instead: `deskbell bench --run swift test`.
enum BenchProcess {
  /// As many tests can have a handset of their own at a time.
  private static let handsets = 16

  /// - Throws: `BenchError` if it cannot be started.
  static var control: ControlSocket { get async throws { try await starting.value } }

  private static let starting = Task { () throws -> ControlSocket in
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["BELL_CONTROL"] { return ControlSocket(path: path) }
    return try await withCheckedThrowingContinuation { continuation in
      // A thread, because it waits for what the bench prints.
      Thread.detachNewThread { continuation.resume(with: Result { try start(environment) }) }
    }
  }

  private static func start(_ environment: [String: String]) throws -> ControlSocket {
    let program = environment["DESKBELL"] ?? "deskbell"
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, "bench", "--json", "--until-eof", "--handsets", "\(handsets)"]
    // Standard error is this process's: the bench's own words stand among those of the tests.
    (process.standardInput, process.standardOutput) = (input, output)
    do {
      try process.run()
    } catch {
      throw BenchError("cannot start '\(program) bench': \(error)")
    }
    guard let path = try controlPath(output.fileHandleForReading) else {
      throw BenchError(
        "'\(program) bench' did not start. Install deskbell 0.9.0 or later, or set DESKBELL to the path of the program."
      )
    }
    keep(process, input)
    return ControlSocket(path: path)
  }

  /// Reads the JSON object that the bench prints when it is ready. Nil if it ends before.
  private static func controlPath(_ output: FileHandle) throws -> String? {
    struct Printed: Decodable {
      var control: String

      enum CodingKeys: String, CodingKey {
        case control = "BELL_CONTROL"
      }
    }
    var text = Data()
    while case let more = output.availableData, !more.isEmpty {
      text.append(more)
      // The object may arrive in parts.
      if let printed = try? JSONDecoder().decode(Printed.self, from: text) { return printed.control }
    }
    return nil
  }

  /// Keeps the process and its standard input as long as this process lives.
  private static func keep(_ process: Process, _ input: Pipe) {
    _ = Unmanaged.passRetained(process)
    _ = Unmanaged.passRetained(input)
  }
}
