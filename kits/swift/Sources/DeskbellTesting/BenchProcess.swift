import Foundation

/// The bench of this test process: `deskbell bench`, started by the first test that needs it. It ends with the process,
/// because its standard input does. A bench that runs already, whose `BELL_CONTROL` is in the environment, is used
/// instead: `deskbell bench --run swift test`.
struct BenchProcess: Sendable {
  let environment: [String: String]

  static var shared: BenchProcess { get async throws { try await starting.value } }

  private static let starting = Task { () throws -> BenchProcess in
    let environment = ProcessInfo.processInfo.environment
    if environment["BELL_CONTROL"] != nil { return BenchProcess(environment: environment) }
    return try await withCheckedThrowingContinuation { continuation in
      // A thread, because it waits for the bench's first line.
      Thread.detachNewThread { continuation.resume(with: Result { try start(environment) }) }
    }
  }

  /// - Throws: `BenchError` if the variable is missing.
  func value(_ name: String) throws -> String {
    guard let value = environment[name] else {
      throw BenchError("the bench has no \(name): this version of DeskbellTesting needs another 'deskbell'")
    }
    return value
  }

  private static func start(_ environment: [String: String]) throws -> BenchProcess {
    let program = environment["DESKBELL"] ?? "deskbell"
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, "bench", "--json", "--until-eof"]
    // Standard error is this process's: the bench's own words stand among those of the tests.
    (process.standardInput, process.standardOutput) = (input, output)
    do {
      try process.run()
    } catch {
      throw BenchError("cannot start '\(program) bench': \(error)")
    }
    guard let values = variables(output.fileHandleForReading) else {
      throw BenchError(
        "'\(program) bench' did not start. Install deskbell 0.9.0 or later, or set DESKBELL to the path of the program."
      )
    }
    keep(process, input)
    return BenchProcess(environment: values)
  }

  /// Reads the JSON object that the bench prints when it is ready. Nil if it ends before.
  private static func variables(_ output: FileHandle) -> [String: String]? {
    var text = Data()
    while true {
      let more = output.availableData
      guard !more.isEmpty else { return nil }
      text.append(more)
      // The object may arrive in parts.
      if let object = try? JSONSerialization.jsonObject(with: text) as? [String: Any] {
        return object.compactMapValues { $0 as? String ?? ($0 as? Int).map(String.init) }
      }
    }
  }

  /// Keeps the process and its standard input as long as this process lives.
  private static func keep(_ process: Process, _ input: Pipe) {
    _ = Unmanaged.passRetained(process)
    _ = Unmanaged.passRetained(input)
  }
}
