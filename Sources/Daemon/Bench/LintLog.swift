import HandsetCore
import Lint
import NIOCore
import PushPort
import Synchronization

/// The findings of the linters of a test bench, for the requests since its start, or since they were removed.
final class LintLog: Sendable {
  /// The number of findings that are kept; the oldest are dropped.
  static let limit = 10_000

  private struct State {
    var linters: Linters
    var findings = CircularBuffer<Finding>()
    var dropped = 0
  }

  private let followsHandset: Bool
  private let state: Mutex<State>

  /// - Parameter followsHandset: true if providers follow the handset's clock, as with a clock that is virtual for all.
  init(followsHandset: Bool = false) {
    self.followsHandset = followsHandset
    state = Mutex(State(linters: Linters(followsHandset: followsHandset)))
  }

  /// Examines a request that has its answer or its end.
  /// - Returns: the codes of its findings, ascending.
  func note(_ request: RecordedRequest) -> [String] {
    let request = LintedRequest(request)
    return state.withLock { state in
      let findings = state.linters.note(request)
      state.findings.append(contentsOf: findings)
      while state.findings.count > LintLog.limit {
        state.findings.removeFirst()
        state.dropped += 1
      }
      return findings.map(\.code)
    }
  }

  func connectionClosed(_ connection: Int) { state.withLock { $0.linters.connectionClosed(connection) } }

  /// Returns the findings of requests after a number, oldest first.
  /// - Parameters:
  ///   - provider: nil for all.
  ///   - handset: nil for all.
  func report(after request: Int = 0, provider: String? = nil, handset: String? = nil) -> LintReport {
    state.withLock { state in
      let found = state.findings.filter {
        $0.request > request && (provider == nil || $0.provider == provider)
          && (handset == nil || $0.handset == handset)
      }
      return LintReport(findings: Array(found), dropped: state.dropped)
    }
  }

  /// Forgets what was sent to a handset.
  func forget(of handset: String) {
    state.withLock { state in
      state.findings.removeAll { $0.handset == handset }
      state.linters.forget(handset: handset)
    }
  }

  /// Forgets the findings, and all that the linters remember.
  func removeAll() { state.withLock { $0 = State(linters: Linters(followsHandset: followsHandset)) } }
}

extension LintedRequest {
  init(_ request: RecordedRequest) {
    let time = LintTime(
      real: request.realMicroseconds, uptime: request.moment?.uptime.inMicroseconds ?? request.realMicroseconds)
    self.init(
      number: request.number, connection: request.connection, path: request.path,
      headers: LintedRequest.fields(request.headers), payload: request.payload, time: time)
    (frontEnd, method, payloadBytes) = (request.frontEnd, request.method, request.payloadBytes)
    (wall, provider, handset) = (request.moment?.wall.microseconds, request.provider, request.handset)
    end = request.end
    guard let recorded = request.answer else { return }
    let answered = LintTime(
      real: recorded.realMicroseconds, uptime: recorded.moment?.uptime.inMicroseconds ?? recorded.realMicroseconds)
    var answer = Answer(status: recorded.status, reason: recorded.reason, time: answered)
    answer.isOfFault = recorded.by == .fault
    answer.read(headers: LintedRequest.fields(recorded.headers), body: recorded.body)
    self.answer = answer
  }

  private static func fields(_ fields: [RecordedField]) -> [Field] { fields.map { Field($0.name, $0.value) } }
}
