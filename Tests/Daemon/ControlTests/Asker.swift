// A server of the control API on a socket of its own, and a client for it.

import Dispatch
import FoundationEssentials
import Glibc
import HTTP
import Synchronization
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

let mail = "com.example.mail"

/// An operation, and the statuses that it is described with.
struct DescribedOperation {
  let operation: DeskbellDaemon.Operation
  let statuses: Set<String>

  init(_ operation: DeskbellDaemon.Operation, isOfHandset: Bool) {
    self.operation = operation
    statuses = Set(OpenAPI.responses(to: operation, isOfHandset: isOfHandset).keys)
  }

  /// The operations by methods and patterns: `GET /v1/state`.
  static let all: [String: DescribedOperation] = {
    var all: [String: DescribedOperation] = [:]
    for operation in ControlRoutes.ofHandsets.map(\.operation) {
      for base in [ControlRoutes.base, ControlRoutes.handsetBase] {
        all["\(operation.method) \(base)\(operation.path)"] = DescribedOperation(operation, isOfHandset: true)
      }
    }
    for operation in ControlRoutes.ofDaemon.map(\.operation) {
      all["\(operation.method) \(operation.path)"] = DescribedOperation(operation, isOfHandset: false)
    }
    return all
  }()
}

/// The answers with statuses that the API's description does not have.
private final class Faults: Sendable {
  private let faults = Mutex<[String]>([])

  var all: [String] { faults.withLock(\.self) }

  /// Returns the route with the status of every answer compared with the description.
  func comparing(_ route: Route) -> Route {
    Route(route.method, route.pattern, bodyLimit: route.bodyLimit) { request in
      do {
        let answer = try await route.handler(request)
        self.compare(answer.status, of: route)
        return answer
      } catch let refusal as HTTPError {
        self.compare(refusal.status, of: route)
        throw refusal
      }
    }
  }

  private func compare(_ status: Int, of route: Route) {
    let name = "\(route.method) \(route.pattern)"
    if DescribedOperation.all[name]?.statuses.contains("\(status)") == true { return }
    faults.withLock { $0.append("\(name) -> \(status)") }
  }
}

/// Runs `body` with a daemon, whose socket is in its state directory. Expects that the API's description has the status
/// of every answer.
/// - Parameter given: nil for a daemon of one handset without apps.
func withServer(_ given: ControlRig? = nil, _ body: (Asker, ControlRig) async throws -> Void) async throws {
  let rig = try given ?? ControlRig()
  let faults = Faults()
  let table = try RouteTable(rig.routes.routes.map(faults.comparing))
  let socket = rig.folder + "/control.sock"
  // Beside other tests on a busy machine a client may be slow.
  var limits = HTTPLimits()
  limits.headerTimeout = .seconds(300)
  limits.idleTimeout = .seconds(300)
  let server = try await HTTPServer.start(HTTPService(table, limits: limits), on: .unixSocket(path: socket))
  do {
    try await body(Asker(table: table, socket: socket, rig: rig), rig)
  } catch {
    await server.shutdown()
    await rig.stop()
    throw error
  }
  await server.shutdown()
  await rig.stop()
  #expect(faults.all == [])
}

/// A daemon that runs as long as its test, which uses it as `rig`, and through its socket as `asker`.
struct DaemonTrait: TestTrait, TestScoping {
  @TaskLocal static var current: Asker?

  let hasMail: Bool

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withServer { asker, rig async throws in
      if hasMail { await rig.installMail() }
      try await DaemonTrait.$current.withValue(asker) { try await function() }
    }
  }
}

extension Trait where Self == DaemonTrait {
  /// A daemon of one handset without apps.
  static var daemon: Self { Self(hasMail: false) }
  /// A daemon that has the app `mail`, registered for everything.
  static var daemonWithMail: Self { Self(hasMail: true) }
}

var asker: Asker {
  guard let asker = DaemonTrait.current else { preconditionFailure("the test has no trait of a daemon") }
  return asker
}

var rig: ControlRig { asker.rig }

/// A client of a test's daemon.
struct Asker {
  let table: RouteTable
  let socket: String
  let rig: ControlRig

  var http: HTTPClient { HTTPClient(.unixSocket(path: socket)) }
  var client: ControlClient { ControlClient(socket: socket) }

  func ask(_ method: String, _ target: String, _ body: String? = nil) async throws -> (status: Int, body: String) {
    let answer = try await http.send(method, target, body: Array((body ?? "").utf8))
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  /// Expects that requests are refused.
  /// - Parameter refusals: each request, `DELETE /v1/apps/x`, perhaps with a body behind it, and its status and message:
  ///   `404 no app 'x' is installed | install one first`; before `…` its beginning.
  func refuses(
    _ refusals: KeyValuePairs<String, String>, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for (request, expected) in refusals {
      let words = request.split(separator: " ", maxSplits: 2).map(String.init)
      let refused = try await refusal(words[0], words[1], words.count > 2 ? words[2] : nil)
      let isExpected = expected.hasSuffix("…") ? refused.hasPrefix(expected.dropLast()) : refused == expected
      #expect(isExpected, "\(request): \(refused), not \(expected)", sourceLocation: sourceLocation)
    }
  }

  /// Returns the status and message of a refusal.
  func refusal(_ method: String, _ target: String, _ body: String? = nil) async throws -> String {
    let answer = try await ask(method, target, body)
    let words = try JSONDecoder().decode(ErrorBody.self, from: Data(answer.body.utf8))
    return "\(answer.status) \(words.error)" + (words.hint.map { " | \($0)" } ?? "")
  }
}

/// Returns everything that the server answers to bytes that our clients would not send.
func rawAnswer(to request: String, at socket: String) async throws -> String {
  // Not on a thread of tasks: the server's handlers need those, and there may be only two.
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try answer(to: request, at: socket) }) }
  }
}

private func answer(to request: String, at socket: String) throws -> String {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
  let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  let connected = withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(connected == 0)
  try #require(write(descriptor, request, request.utf8.count) == request.utf8.count)
  var answer: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count <= 0 { break }
    answer += chunk[..<count]
  }
  return String(decoding: answer, as: UTF8.self)
}
