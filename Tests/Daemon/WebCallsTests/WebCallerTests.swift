// Calls over real sockets: the requests of a receiver, the retries, and the effect of a slow receiver on others.

import FoundationEssentials
import HTTP
import NIOPosix
import Synchronization
import Testing

@testable import HandsetCore
@testable import WebCalls

private let mail = AppID("com.example.mail")!
private let news = AppID("com.example.news")!

/// A server that answers by its script, with the last line repeated.
private final class Receiver: Sendable {
  private let script: Mutex<[Int]>
  private let received = Mutex<[HTTPRequest]>([])
  /// Requests to /slow wait for an element.
  let gate: AsyncStream<Void>
  let open: AsyncStream<Void>.Continuation

  init(_ script: [Int]) {
    self.script = Mutex(script)
    (gate, open) = AsyncStream.makeStream()
  }

  var requests: [HTTPRequest] { received.withLock { $0 } }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    received.withLock { $0.append(request) }
    let status = script.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    var headers = HeaderFields()
    if status == 302 { headers.add("/elsewhere", for: "Location") }
    return HTTPResponse(status: status, headers: headers, body: .bytes(Array(repeating: 0x20, count: 300_000)))
  }

  var routes: [Route] {
    [
      Route("POST", "/hook") { [self] request in answer(request) },
      Route("POST", "/slow") { [self] request in
        for await _ in gate { break }
        return answer(request)
      },
      Route("POST", "/elsewhere") { [self] request in answer(request) },
    ]
  }
}

/// A caller beside its receiver, and the outcomes in order. Both end with it.
private final class Rig {
  let receiver: Receiver
  let caller: WebCaller
  let port: Int
  let outcomes: AsyncStream<(UInt64, CallOutcome)>
  private let server: HTTPServer

  init(
    _ script: [Int], limits: CallLimits? = nil, key: AppKey? = AppKey(bytes: Array(0..<32)),
    now: WallTime = WallTime(seconds: 1_800_000_100), virtualUptime: (@Sendable () -> Duration)? = nil
  ) async throws {
    let receiver = Receiver(script)
    let service = HTTPService(try RouteTable(receiver.routes))
    let server = try await HTTPServer.start(service, on: .tcp(host: "127.0.0.1", port: 0))
    guard case .tcp(_, let port) = server.address else { throw HTTPClientError.noSocket(server.address) }
    let (outcomes, continuation) = AsyncStream.makeStream(of: (UInt64, CallOutcome).self)
    (self.receiver, self.server, self.port, self.outcomes) = (receiver, server, port, outcomes)
    var quick = CallLimits()
    quick.firstPause = .milliseconds(1)
    caller = WebCaller(
      limits: limits ?? quick, eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
      executor: globalConcurrentExecutor, handsetName: { _ in "kitchen" }, key: { _ in key }, now: { now },
      virtualUptime: virtualUptime,
      report: { place, outcome in continuation.yield((place.number, outcome)) })
  }

  deinit {
    receiver.open.finish()
    caller.shutDown()
    Task { [server] in await server.shutdown(within: .milliseconds(200)) }
  }

  func call(_ number: UInt64, of app: AppID = mail, path: String = "/hook") -> QueuedCall {
    QueuedCall(
      number: number, app: app, push: PushID(high: 1, low: number), notification: NotificationID(number: 7),
      answer: .close, answered: WallTime(seconds: 1_800_000_000), call: WebCall(url: "http://127.0.0.1:\(port)\(path)"))
  }

  func add(_ calls: QueuedCall...) { for call in calls { caller.add(call, of: HandsetID(1)) } }

  /// Returns the next `count` outcomes by their calls' numbers.
  func next(_ count: Int) async -> [UInt64: CallOutcome] {
    var found: [UInt64: CallOutcome] = [:]
    for await (number, outcome) in outcomes.prefix(count) { found[number] = outcome }
    return found
  }
}

@Suite("N13: calls", .timeLimit(.minutes(10))) struct WebCallerTests {
  @Test("A receiver gets what was answered, with an identifier and a signature that it can check")
  func delivers() async throws {
    let rig = try await Rig([204])
    rig.add(rig.call(17))
    #expect(await rig.next(1) == [17: .delivered(status: 204, attempts: 1)])
    let request = try #require(rig.receiver.requests.first)
    let push = "00000000-0000-0001-0000-000000000011"
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"answer":"close","app":"com.example.mail","event":"answered","handset":"kitchen","#
        + #""id":"\#(push)-17","notification":7,"push":"\#(push)","wallMicroseconds":1800000000000000}"#)
    #expect(request.headers["Idempotency-Key"] == "\(push)-17")
    #expect(request.headers["Deskbell-Timestamp"] == "1800000100")
    let key = try #require(AppKey(bytes: Array(0..<32)))
    #expect(request.headers["Deskbell-Signature"] == key.signature(of: request.body, at: 1_800_000_100))
  }

  @Test("A failed call is repeated under the same identifier; the first failure and the final result are reported")
  func triesAgain() async throws {
    let rig = try await Rig([503, 404, 200])
    rig.add(rig.call(1))
    var outcomes = rig.outcomes.makeAsyncIterator()
    #expect(await outcomes.next()?.1 == .failed("status 503"))
    #expect(await outcomes.next()?.1 == .delivered(status: 200, attempts: 3))
    #expect(Set(rig.receiver.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    #expect(rig.receiver.requests.count == 3)
  }

  @Test("On a virtual clock a call is repeated when the clock has moved, and the mover waits for its outcome")
  func virtualClock() async throws {
    var limits = CallLimits()
    limits.firstPause = .seconds(60)
    let uptime = Mutex(Duration.seconds(5))
    let rig = try await Rig([503, 503, 200], limits: limits, virtualUptime: { uptime.withLock(\.self) })
    #expect(rig.caller.due == nil)
    rig.add(rig.call(1))
    await rig.caller.attemptsDue()
    #expect(rig.receiver.requests.count == 1)
    #expect(rig.caller.due == .seconds(65))
    // Nothing is due: it returns at once.
    uptime.withLock { $0 = .seconds(65) - .nanoseconds(1) }
    await rig.caller.attemptsDue()
    #expect(rig.receiver.requests.count == 1)
    uptime.withLock { $0 = .seconds(65) }
    await rig.caller.attemptsDue()
    #expect(rig.receiver.requests.count == 2)
    #expect(rig.caller.due == .seconds(185))
    uptime.withLock { $0 = .seconds(185) }
    await rig.caller.attemptsDue()
    #expect(rig.caller.due == nil)
    var outcomes = rig.outcomes.makeAsyncIterator()
    #expect(await outcomes.next()?.1 == .failed("status 503"))
    #expect(await outcomes.next()?.1 == .delivered(status: 200, attempts: 3))
  }

  @Test("410 ends it, a redirect leads nowhere, and after a day nothing is tried any more")
  func ends() async throws {
    let gone = try await Rig([410])
    gone.add(gone.call(1))
    #expect(await gone.next(1) == [1: .gaveUp("status 410")])
    let late = try await Rig([302], now: WallTime(seconds: 1_800_000_000 + 86_400))
    late.add(late.call(1))
    #expect(await late.next(1) == [1: .gaveUp("status 302: redirects are not followed")])
    #expect(late.receiver.requests.map(\.target.path) == ["/hook"])
  }

  @Test("A receiver that does not answer costs its own app's calls alone")
  func slow() async throws {
    let rig = try await Rig([200])
    rig.add(rig.call(1, path: "/slow"), rig.call(2), rig.call(3, of: news))
    #expect(await rig.next(1) == [3: .delivered(status: 200, attempts: 1)])
    rig.receiver.open.yield()
    let ok = CallOutcome.delivered(status: 200, attempts: 1)
    #expect(await rig.next(2) == [1: ok, 2: ok])
  }

  @Test("An answer that does not come within the time is a failure")
  func timeOut() async throws {
    var limits = CallLimits()
    limits.answerTimeout = .milliseconds(50)
    limits.lifetime = .zero
    let rig = try await Rig([200], limits: limits)
    rig.add(rig.call(1, path: "/slow"))
    guard case .gaveUp(let problem)? = await rig.next(1)[1] else {
      Issue.record("it was not given up")
      return
    }
    #expect(problem.contains("no answer within 0.05 seconds"))
  }

  @Test("What a push names is not called where it is this machine, and without a key nothing is")
  func refuses() async throws {
    let rig = try await Rig([200])
    var action = rig.call(1)
    action.answer = .action
    var hidden = rig.call(2, of: news)
    hidden.answer = .action
    hidden.call.url = "https://127.0.0.1:\(rig.port)/hook"
    rig.add(action, hidden)
    #expect(
      await rig.next(2) == [
        1: .gaveUp("a push may only name https addresses"),
        2: .gaveUp("127.0.0.1 is 127.0.0.1, in a private network: a push may not name it"),
      ])
    #expect(rig.receiver.requests.isEmpty)
    let keyless = try await Rig([200], key: nil)
    keyless.add(keyless.call(1))
    #expect(await keyless.next(1) == [1: .failed("the app's key cannot be read now")])
    #expect(keyless.receiver.requests.isEmpty)
  }
}
