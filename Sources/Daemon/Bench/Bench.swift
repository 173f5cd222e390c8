import Clocks
import HandsetCore
import HandsetStore
import Host
import PushPort
import Synchronization

/// The test bench of a daemon: the requests that its port receives, the real times of its events, and what is under way.
/// It exists only in a daemon that was started as a bench.
final class Bench: Sendable {
  /// The owner of a device token.
  struct TokenOwner: Hashable, Sendable {
    var handset: String
    var app: String
  }

  private struct State {
    var connections = 0
    /// By hexadecimal digits in lower case. Tokens that are no longer valid stay, with their last owner.
    var owners: [String: TokenOwner] = [:]
    weak var apps: BenchApps?
  }

  /// Nil if only providers that were added may push.
  let credentials: BenchCredentials?
  let requests = RequestRing()
  let lint: LintLog
  let progress: BenchProgress
  let faults: BenchFaults
  private let clock: any Clock
  private let handsets: Handsets
  private let queue: InputQueue
  private let state: Mutex<State>

  /// - Parameters:
  ///   - queue: takes the events of faults.
  ///   - joinsClocks: true if providers follow the handset's clock.
  init(
    handsets: Handsets, loaded: [LoadedHandset], clock: any Clock, queue: InputQueue, joinsClocks: Bool = false,
    credentials: BenchCredentials? = nil
  ) {
    (self.clock, self.handsets, self.queue, self.credentials) = (clock, handsets, queue, credentials)
    faults = BenchFaults(clock: clock)
    progress = BenchProgress(board: handsets.board.id)
    lint = LintLog(followsHandset: joinsClocks)
    var owners: [String: TokenOwner] = [:]
    for handset in loaded {
      let name = handsets.names.name(of: handset.id)
      for (token, record) in handset.contents.tokens {
        owners[token.hex] = TokenOwner(handset: name, app: record.app.text)
      }
    }
    state = Mutex(State(owners: owners))
  }

  /// Returns the owner of a device token, in hexadecimal digits; nil if it is no handset's.
  func owner(ofToken token: String) -> TokenOwner? { state.withLock { $0.owners[token.lowercased()] } }

  /// Takes the handsets of tokens that are no app's own from there.
  func follow(_ apps: BenchApps) { state.withLock { $0.apps = apps } }

  /// Returns the handset and the app that a push to a token goes to; the app is nil before the token's first push.
  private func place(ofToken token: String) -> (handset: String, app: String?)? {
    if let owner = owner(ofToken: token) { return (owner.handset, owner.app) }
    guard let token = DeviceToken(hex: token), let apps = state.withLock({ $0.apps }) else { return nil }
    let own = apps.place(of: token).flatMap { owner(ofToken: $0.token.hex) }
    return (own?.handset ?? handsets.names.name(of: apps.handset(of: token)), own?.app)
  }

  /// Lets the linter examine the requests that have ended.
  /// - Returns: how many had ended until the last one that was examined.
  @discardableResult
  func examine() -> Int { lint.examine(requests) }

  /// Records that a request has become a push.
  /// - Parameter handset: nil for the owner of its device token.
  func became(_ request: Int?, push: PushID?, app: String?, handset: String?) {
    guard let request else { return }
    requests.change(request) { request in
      if let push { request.push = push.description }
      request.app = app ?? request.app
      request.handset = handset ?? request.handset
    }
  }
}

extension Bench: PortBench {
  var catchAll: CatchAll? { credentials?.catchAll }

  func connectionOpened(from address: String?) -> RecordedConnection {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    return RecordedConnection(number: number, address: address)
  }

  func connectionClosed(_ connection: RecordedConnection, why: String) {
    lint.connectionClosed(connection.number, after: requests.endedCount)
  }

  func requestBegan(_ request: RecordedRequest) -> RecordedRequest {
    var request = request
    request.realMicroseconds = SystemClock.wallTime().microseconds
    request.moment = clock.now()
    if let place = request.token.flatMap({ place(ofToken: $0) }) {
      (request.handset, request.app) = (place.handset, request.app ?? place.app)
    }
    if requests.losesUnexamined { lint.examine(requests, atMost: RequestRing.Limits.examined) }
    return requests.append(request)
  }

  func bodyReceived(_ body: [UInt8], size: Int, of request: Int, provider: String?) {
    requests.change(request) { request in
      (request.payload, request.payloadBytes) = (body, size)
      request.provider = provider ?? request.provider
    }
  }

  func answered(_ request: Int, _ answer: RecordedAnswer, provider: String?) {
    var answer = answer
    answer.realMicroseconds = SystemClock.wallTime().microseconds
    answer.moment = clock.now()
    requests.change(request) { request in
      // The handset may answer a request whose client has left.
      guard !request.hasEnded else { return }
      request.answer = answer
      request.provider = provider ?? request.provider
      let id = answer.headers.first { $0.name == "apns-id" || $0.name == "apns-request-id" }
      request.push = id?.value ?? request.push
    }
  }

  func ended(_ request: Int, _ end: String) {
    requests.change(request) { request in
      guard !request.hasEnded else { return }
      request.end = end
    }
  }

  func isForgotten(_ request: Int) -> Bool { requests.isForgotten(request) }

  func fault(atAcceptOf connection: RecordedConnection) -> BenchFault? { struck(faults.fault(atAcceptOf: connection)) }

  func fault(atBeginningOf connection: RecordedConnection) -> BenchFault? {
    struck(faults.fault(atBeginningOf: connection))
  }

  func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault? {
    var request = request
    // The ring knows more than its head: a request of another protocol than APNs names no device token.
    if let kept = requests[request.number] {
      (request.app, request.handset) = (kept.app ?? request.app, kept.handset ?? request.handset)
    }
    guard let fault = faults.fault(at: point, of: request) else { return nil }
    requests.change(request.number) { $0.faults += fault.names }
    return struck(fault, request)
  }

  /// Reports an event for each fault that struck, on the handset of the request, or else the one on the board.
  private func struck(_ fault: BenchFault?, _ request: RecordedRequest? = nil) -> BenchFault? {
    guard let fault else { return nil }
    let handset = handsets.all.first { $0.name == request?.handset } ?? handsets.board
    for name in fault.names {
      let report = DriverReport(
        .faultStruck(name: name), push: request?.push.flatMap(PushID.init), uptime: clock.now().uptime)
      queue.report(.report(report), to: handset.id)
    }
    return fault
  }
}

extension Bench: CommitSink {
  func publish(_ batch: CommittedBatch) {
    progress.publish(batch, at: SystemClock.wallTime())
    for item in batch.turns where item.turn.changesTokens {
      let name = handsets.names.name(of: item.handset)
      state.withLock { state in
        for case .token(let token, before: _, after: let record?) in item.turn.changes {
          state.owners[token.hex] = TokenOwner(handset: name, app: record.app.text)
        }
      }
    }
  }
}

/// The receiver of a bench's pushes. It records which push each request became.
struct BenchReceiver: PushReceiver {
  let inner: CatchAllReceiver
  let bench: Bench

  func receive(_ push: __owned Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    let unknown = push.token.flatMap { bench.owner(ofToken: $0.hex) == nil ? $0 : nil }
    bench.became(
      BenchContext.request, push: push.id, app: push.topic.text, handset: unknown.map { inner.handset(of: $0) })
    inner.receive(push, completion: completion)
  }

  func note(_ refusal: RefusedPush) { inner.note(refusal) }
}

extension BenchReceiver: KeyedReceiver {
  func receive(
    _ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    bench.became(
      BenchContext.request, push: input.pushID, app: input.topic?.text,
      handset: handset ?? inner.handsets.board.name)
    inner.receive(input, on: handset, completion: completion)
  }
}

extension BenchReceiver: PublishingReceiver {
  func isKnown(_ device: DeviceID) -> Bool { inner.isKnown(device) }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    bench.became(
      BenchContext.request, push: input.pushID, app: input.topic?.text,
      handset: inner.handsets.having(device)?.name)
    return await inner.submit(input, to: device)
  }

  func lastPublished(_ id: NodeID, on device: DeviceID) async -> LastPublished {
    await inner.lastPublished(id, on: device)
  }
}

extension Input {
  fileprivate var pushID: PushID? {
    switch self {
    case .push(let push), .keep(let push), .publish(let push, _, _): push.id
    default: nil
    }
  }
}
