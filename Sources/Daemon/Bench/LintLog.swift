import HandsetCore
import Lint
import NIOCore
import PushPort
import Synchronization

/// The findings of the linters of a test bench, for the requests since its start, or since they were removed.
///
/// Requests are examined when somebody asks for the findings, or before they leave the ring: reading JSON again would
/// make each push a third slower.
final class LintLog: Sendable {
  /// The number of findings that are kept; the oldest are dropped.
  static let limit = 10_000
  /// The closed connections that are remembered until requests are examined.
  static let closingsLimit = 10_000

  /// A connection that has closed.
  private struct Closing {
    var connection: Int
    /// How many requests had ended before.
    var position: Int
  }

  fileprivate struct State {
    var linters: Linters
    var findings = CircularBuffer<Finding>()
    var dropped = 0
  }

  private let followsHandset: Bool
  private let state: Mutex<State>
  /// Apart from `state`, which is locked while requests are examined: event loops do not wait for that.
  private let closings = Mutex(CircularBuffer<Closing>())

  /// - Parameter followsHandset: true if providers follow the handset's clock, as with a clock that is virtual for all.
  init(followsHandset: Bool = false) {
    self.followsHandset = followsHandset
    state = Mutex(State(linters: Linters(followsHandset: followsHandset)))
  }

  /// Examines the requests of a ring that have ended since the last call, in the order of their ends, and notes their
  /// findings there too.
  /// - Parameter count: the number of them at most.
  /// - Returns: how many requests had ended until the last one that was examined.
  @discardableResult
  func examine(_ ring: RequestRing, atMost count: Int = .max) -> Int {
    state.withLock { state in
      var left = count
      while true {
        let (requests, end) = ring.unexamined(atMost: min(left, RequestRing.Limits.examined))
        var codes: [Int: [String]] = [:]
        for (position, request) in requests {
          close(until: position, &state.linters)
          let found = state.note(request)
          if !found.isEmpty { codes[request.number] = found }
        }
        ring.noteExamined(codes, until: end)
        left -= RequestRing.Limits.examined
        guard left > 0, end < ring.endedCount else { return end }
      }
    }
  }

  /// Examines a request that has its answer or its end.
  /// - Returns: the codes of its findings, ascending.
  func note(_ request: RecordedRequest) -> [String] { state.withLock { $0.note(request) } }

  /// - Parameter position: how many requests had ended before.
  func connectionClosed(_ connection: Int, after position: Int) {
    closings.withLock { closings in
      closings.append(Closing(connection: connection, position: position))
      if closings.count > LintLog.closingsLimit { closings.removeFirst() }
    }
  }

  /// Closes the connections that had closed when so many requests had ended.
  private func close(until position: Int, _ linters: inout Linters) {
    closings.withLock { closings in
      while let first = closings.first, first.position <= position {
        linters.connectionClosed(first.connection)
        closings.removeFirst()
      }
    }
  }

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
  func removeAll() {
    state.withLock { $0 = State(linters: Linters(followsHandset: followsHandset)) }
    closings.withLock { $0.removeAll() }
  }
}

extension LintLog.State {
  fileprivate mutating func note(_ request: RecordedRequest) -> [String] {
    let found = linters.note(LintedRequest(request))
    findings.append(contentsOf: found)
    while findings.count > LintLog.limit {
      findings.removeFirst()
      dropped += 1
    }
    return found.map(\.code)
  }
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
