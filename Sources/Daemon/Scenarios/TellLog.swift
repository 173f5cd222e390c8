import HTTP
import Synchronization

/// The requests by which a scenario tells its provider what to do. They go on while the scenario does.
final class TellLog: Sendable {
  private static let wait = Duration.milliseconds(500)

  private let problems = Mutex<[Shortfall]>([])
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// The first one that failed; nil if none has.
  var problem: Shortfall? { problems.withLock(\.first) }

  /// Sends a request, and goes on when it is answered, or after half a second: a provider may answer only when its push
  /// has an end.
  func begin(_ line: Int, _ method: String, _ url: ScenarioURL, _ body: String) async {
    let (ended, end) = AsyncStream<Void>.makeStream()
    let alarm = Task {
      try? await ContinuousClock().sleep(for: TellLog.wait)
      end.finish()
    }
    let task = Task { [self] in
      defer { end.finish() }
      do {
        let answer = try await TellLog.send(method, url, body, timeout: nil)
        guard answer.status >= 400 else { return }
        let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
        add(line, "the provider answered the 'tell' with \(answer.status)\(text.isEmpty ? "" : ": \(text)")")
      } catch is CancellationError {
      } catch {
        add(line, "the provider could not be told: \(error)")
      }
    }
    tasks.withLock { $0.append(task) }
    for await _ in ended {}
    alarm.cancel()
  }

  /// Sends a request and waits for its answer.
  static func send(_ method: String, _ url: ScenarioURL, _ body: String, timeout: Duration?) async throws
    -> HTTPClient.Answer
  {
    let client = HTTPClient(.tcp(host: url.host, port: url.port))
    let headers: HeaderFields = body.hasPrefix("{") ? ["Content-Type": "application/json"] : [:]
    return try await client.send(method, url.target, headers: headers, body: Array(body.utf8), timeout: timeout)
  }

  /// Ends those that have no answer yet.
  func cancel() {
    for task in tasks.withLock({ $0 }) { task.cancel() }
  }

  private func add(_ line: Int, _ sentence: String) {
    problems.withLock { $0.append(Shortfall(line: line, sentence: sentence, expected: "an answer below 400")) }
  }
}
