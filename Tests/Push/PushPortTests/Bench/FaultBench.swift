import HTTP
import HandsetCore
import NIOHPACK
import Synchronization

@testable import PushPort

/// A test bench with faults, which records what it sees.
final class FaultBench: PortBench {
  struct State {
    var table = FaultTable()
    var connections = 0
    var requests: [RecordedRequest] = []
    var answers: [Int: RecordedAnswer] = [:]
    var ends: [Int: String] = [:]
    /// The last request before a reset.
    var forgotten = 0
  }

  let state = Mutex(State())

  /// Arms faults. They have no end in time.
  init(_ faults: [String: JSONValue]...) throws { for words in faults { try arm(words) } }

  func arm(_ words: [String: JSONValue]) throws {
    for fault in try Fault.read(words) {
      try state.withLock { state throws(FaultError) in _ = try state.table.add(fault, now: .zero) }
    }
  }

  var hits: [Int] { state.withLock { $0.table.entries.map(\.hits) } }
  var ends: [Int: String] { state.withLock(\.ends) }
  var answers: [Int: RecordedAnswer] { state.withLock(\.answers) }

  func connectionOpened(from address: String?) -> RecordedConnection {
    state.withLock { state in
      state.connections += 1
      return RecordedConnection(number: state.connections, address: address)
    }
  }

  func connectionClosed(_ connection: RecordedConnection, why: String) {}

  func requestBegan(_ request: RecordedRequest) -> RecordedRequest {
    state.withLock { state in
      var request = request
      request.number = state.requests.count + 1
      state.requests.append(request)
      return request
    }
  }

  func bodyReceived(_ body: [UInt8], size: Int, of request: Int, provider: String?) {}

  func answered(_ request: Int, _ answer: RecordedAnswer, provider: String?) {
    state.withLock { $0.answers[request] = answer }
  }

  func ended(_ request: Int, _ end: String) { state.withLock { $0.ends[request] = end } }

  func isForgotten(_ request: Int) -> Bool { state.withLock { request <= $0.forgotten } }

  /// Forgets the requests that have begun.
  func reset() { state.withLock { $0.forgotten = $0.requests.count } }

  func fault(atAcceptOf connection: RecordedConnection) -> BenchFault? {
    state.withLock { $0.table.fault(atAcceptOf: connection, now: .zero) }
  }

  func fault(atBeginningOf connection: RecordedConnection) -> BenchFault? {
    state.withLock { $0.table.fault(atBeginningOf: connection, now: .zero) }
  }

  func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault? {
    state.withLock { $0.table.fault(at: point, of: request, now: .zero) }
  }
}

/// A server with a bench, its receiver, and a client of a provider that it knows.
struct FaultRig {
  let bench: FaultBench
  let receiver: RecordingReceiver
  let server: TestServer
  private let provider = TestProvider()
  let headers: HPACKHeaders
  let body = #"{"aps":{"badge":1}}"#

  init(_ faults: [String: JSONValue]..., receiver: RecordingReceiver = RecordingReceiver()) async throws {
    bench = try FaultBench()
    for words in faults { try bench.arm(words) }
    self.receiver = receiver
    var limits = PortLimits.patient
    limits.lastGoAwayDelay = .milliseconds(50)
    server = try await TestServer(receiver, providers: provider.directory, limits: limits, bench: bench)
    headers = fields(authorization: "bearer \(provider.token())")
  }

  func client() async throws -> RawClient { try await RawClient(server) }

  func headers(with name: String, _ value: String) -> HPACKHeaders {
    var headers = headers
    headers.add(name: name, value: value)
    return headers
  }

  /// Waits for the receiver's next push.
  func arrival() async { for await _ in receiver.arrivals { break } }

  var pushes: Int { receiver.pushes.count }
}
