import Board
import HTTP
import HandsetCore
import HandsetStore
import Host
import PushPort
import SystemThreads

public struct SettledReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The end of pushes of which nothing is under way any more."

  public var settled: Bool
  public var pushes: [SettledPush]

  static let meanings: [String: Meaning] = [
    "settled": "True.",
    "pushes": "The pushes, in the order of their last requests.",
  ]
}

public struct SettledPush: Codable, Sendable, Equatable, WireType {
  static let meaning = "What came of a push. Times are the drivers' own, on the handset's uptime clock."

  public var push: String
  public var app: String?
  public var status: Int?
  public var rang: Bool
  public var shown: [String]
  public var why: String
  public var presented: Int
  public var lamp: Int64?
  public var digits: Int64?
  public var sound: Int64?

  static let meanings: [String: Meaning] = [
    "status": "The HTTP status of the last answer to it; absent if the recorder has none.",
    "rang": "True if its sound was played.",
    "shown": "The ways in which it was presented: `badge 1`, `banner`, `the lamp`, `sound letter`.",
    "why": "A summary, in a sentence or two.",
    "presented": .count("The times that it was presented."),
    "lamp": "The first edge of the lamp after it, in microseconds of uptime; absent if it did not light the lamp.",
    "digits": "The time at which the whole number was first shown after it; absent if it changed no number.",
    "sound": "The first sample of its sound; absent if none was played.",
  ]
}

enum SettledResource {
  enum Limits {
    /// The longest wait, and the usual one.
    static let timeout: ClosedRange<Int64> = 1...600_000
    static let standardMilliseconds: Int64 = 10_000
    /// The pushes of an answer: the newest.
    static let pushes = 1...1_000
    static let standardPushes = 100
    static let page = 1_024
  }

  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/settled", "settled", in: .bench, "Wait until nothing of a push, app or handset is under way",
      details: "Under way are requests without an answer, commits, the digits, the lamp, sounds, and programs of apps. "
        + "A push that is kept or held for later is not under way. Only a test bench has this.",
      query: [
        Operation.Query(name: "push", meaning: "Only this push."),
        Operation.Query.app,
        Operation.Query(
          name: "after", meaning: .number(from: 0, "Pushes with events after this sequence number."), form: .integer,
          standard: .integer(0)),
        Operation.Query(
          name: "last", meaning: .number(1...1_000, "The newest of the pushes: this number."), form: .integer,
          standard: .integer(100)),
        Operation.Query(name: "timeout", meaning: "The longest wait: `500ms`, `10s`.", standard: .string("10s")),
      ],
      answer: "The pushes and what came of them.",
      refusals: [408: "The time is over; the message names what is under way.", 404: ControlError.noBench]
    ) { handset, request -> SettledReport in
      let wait = try SettledWait(request, on: handset)
      return try await wait.run()
    }
  ]
}

/// One wait for the end of pushes.
private struct SettledWait: Sendable {
  let handset: HandsetParts
  let bench: Bench
  let push: PushID?
  let app: AppID?
  let after: UInt64
  let last: Int
  let timeout: Duration
  let timeoutText: String

  init(_ request: HTTPRequest, on handset: HandsetParts) throws(ControlError) {
    self.handset = handset
    bench = try handset.daemon.requireBench()
    push = try request.target.queryValue("push").map { (text) throws(ControlError) in
      guard let push = PushID(text) else {
        throw ControlError(
          400, "'\(shown(text))' is no identifier of a push",
          hint: "it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B")
      }
      return push
    }
    app = try request.target.queryValue("app").map { (text) throws(ControlError) in
      guard let app = AppID(text) else { throw ControlError(400, "'\(shown(text))' is no bundle identifier") }
      return app
    }
    let text = request.target.queryValue("timeout") ?? "10s"
    guard let milliseconds = Self.milliseconds(text), SettledResource.Limits.timeout.contains(milliseconds) else {
      throw ControlError(400, "timeout is a time of up to 10 minutes, such as 500ms or 10s, not '\(shown(text))'")
    }
    (timeout, timeoutText) = (.milliseconds(milliseconds), text)
    let first = request.target.queryValue("after") ?? "0"
    guard let after = UInt64(first) else {
      throw ControlError(400, "after is an event's sequence number, 0 or more, not '\(shown(first))'")
    }
    self.after = after
    let count = request.target.queryValue("last") ?? "\(SettledResource.Limits.standardPushes)"
    guard let last = Int(count), SettledResource.Limits.pushes.contains(last) else {
      throw ControlError(400, "last is 1 to \(SettledResource.Limits.pushes.upperBound), not '\(shown(count))'")
    }
    self.last = last
  }

  private static func milliseconds(_ text: String) -> Int64? {
    let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let number = Int64(text.dropLast(unit.count)) else { continue }
      let (product, overflow) = number.multipliedReportingOverflow(by: factor)
      return overflow ? nil : product
    }
    return nil
  }

  /// - Throws: `ControlError` 408 after the timeout.
  func run() async throws -> SettledReport {
    let deadline = ContinuousClock.now + timeout
    // Every change of what is under way is one of these.
    let news = Signal<Void>()
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      let streams = [bench.requests.listen(), handset.daemon.events.listen(to: handset.id)]
      for stream in streams {
        tasks.addTask { for await _ in stream { news.send() } }
      }
      tasks.addTask {
        try? await Task.sleep(until: deadline)
        news.send()
      }
      var changes = news.values.makeAsyncIterator()
      while true {
        let open = try await underWay()
        if open.isEmpty { return SettledReport(settled: true, pushes: try await pushes()) }
        guard ContinuousClock.now < deadline else { throw late(open) }
        _ = await changes.next()
        try Task.checkCancellation()
      }
    }
  }

  private func late(_ open: [String]) -> ControlError {
    let listed = open.prefix(5).joined(separator: "; ")
    let more = open.count > 5 ? "; and \(open.count - 5) more" : ""
    return ControlError(
      408, "not settled within \(timeoutText): \(listed)\(more)",
      hint: "a longer timeout waits longer; 'deskbell requests' and 'deskbell events' show the rest")
  }

  // MARK: What is under way

  private func underWay() async throws(ControlError) -> [String] {
    var open = requestsUnderWay()
    guard open.isEmpty else { return open }
    // Inputs that were submitted before it are stored, and were given to the drivers.
    if case .failed(let why) = await handset.daemon.queue.submit(.wake, to: .due) {
      throw ControlError(503, "the handset's state cannot be stored: \(why)", hint: "try again")
    }
    let (push, app) = (push, app)
    let (found, presentation) = try await handset.access.read { handset, _, _, now in
      var found: [String] = []
      for id in app.map({ [$0] }) ?? Array(handset.apps.keys) {
        for offer in handset.offers(for: id) where push == nil || offer.push == push {
          found.append("\(id.text) was given push \(offer.push) and is not done with it")
        }
        for waiting in handset.extending[id] ?? [] where push == nil || waiting.push.id == push {
          found.append("the service extension of \(id.text) has push \(waiting.push.id)")
        }
      }
      return (found, handset.presentation(at: now))
    }
    open += found
    let appPushes = app == nil ? nil : Set(bench.requests.requests(.init(app: app?.text)).compactMap(\.push))
    for (id, names) in bench.progress.sounds(on: handset.id) {
      guard push == nil || push == id, appPushes?.contains(id.description) ?? true else { continue }
      open.append("the sound \(names.joined(separator: ", ")) of push \(id) plays")
    }
    return open + boardUnderWay(presentation)
  }

  private func requestsUnderWay() -> [String] {
    var filter = RequestRing.Filter()
    filter.app = app?.text
    filter.push = push?.description
    return bench.requests.requests(filter).compactMap { request in
      guard !request.hasEnded, request.handset == nil || request.handset == handset.name else { return nil }
      return "request \(request.number) (\(request.method) \(request.path)) has no answer"
    }
  }

  private func boardUnderWay(_ presentation: Presentation) -> [String] {
    guard handset.isOnBoard, handset.daemon.front != nil else { return [] }
    let working = Set(handset.daemon.devices.all.filter(\.works).map(\.name))
    let board = bench.progress.board(of: handset.id)
    var open: [String] = []
    if let display = handset.daemon.display, working.contains(BoardDevice.display.rawValue) {
      // A countdown changes by itself, and its seconds are not reported.
      var isCounting = false
      if case .countdown? = presentation.activity { isCounting = true }
      let due = SegmentText(presentation, on: display, at: .zero).characters
      let shown = board.text ?? SegmentText(badge: 0, on: display).characters
      if due != shown && !isCounting { open.append("the digits show '\(shown)' and not yet '\(due)'") }
    }
    if working.contains(BoardDevice.lamp.rawValue), board.isLit != (presentation.lamp != nil) {
      open.append("the lamp is not yet \(presentation.lamp == nil ? "dark" : "lit")")
    }
    return open
  }

  // MARK: What came of them

  /// Reads the journal from the first event on: the events of each push, and those of the drivers behind them.
  private func pushes() async throws(ControlError) -> [SettledPush] {
    var stories = SettledStories(push: push, app: app)
    var position = max(after, bench.progress.start(on: handset.id))
    while true {
      let from = position
      let page = try await handset.access.read { _, store, number, _ in
        try store.recordedEvents(of: number, after: from, limit: SettledResource.Limits.page)
      }
      guard let newest = page.last?.report.sequence else { break }
      for event in page { stories.read(event.report, rulings: event.rulings) }
      position = newest
    }
    let sent = requestsByPush()
    var pushes = stories.pushes
    for index in pushes.indices { pushes[index].status = sent[pushes[index].push.lowercased()]?.answer?.status }
    let known = Set(pushes.map { $0.push.lowercased() })
    for (push, request) in sent where !known.contains(push) {
      if let push = SettledPush(withoutEvents: request) { pushes.append(push) }
    }
    // The newest request is of the last push. Local notifications, which have none, are first.
    let order = pushes.enumerated().sorted { left, right in
      let (first, second) = (left.element, right.element)
      let numbers = (sent[first.push.lowercased()]?.number ?? 0, sent[second.push.lowercased()]?.number ?? 0)
      return numbers.0 == numbers.1 ? left.offset < right.offset : numbers.0 < numbers.1
    }
    return order.suffix(last).map(\.element)
  }

  /// Returns the last request of each push that was sent after the first event, by its identifier in lower case.
  private func requestsByPush() -> [String: RecordedRequest] {
    let since = bench.progress.realMicroseconds(of: after, on: handset.id) ?? .min
    let filter = RequestRing.Filter(app: app?.text, push: push?.description)
    let requests = bench.requests.requests(filter).filter { request in
      (request.handset == nil || request.handset == handset.name) && request.realMicroseconds >= since
    }
    return Dictionary(
      requests.compactMap { request in request.push.map { ($0.lowercased(), request) } }, uniquingKeysWith: { $1 })
  }
}

extension SettledPush {
  /// Makes the end of a push of which the handset has no event: a fault or the port refused it. Nil without an answer.
  fileprivate init?(withoutEvents request: RecordedRequest) {
    guard let push = request.push, let answer = request.answer else { return nil }
    let source =
      switch answer.by {
      case .handset: ""
      case .limit: " (a limit)"
      case .fault: " (fault \(answer.fault ?? "-"))"
      }
    self.init(
      push: push, app: request.app, status: answer.status, rang: false, shown: [],
      why: "It was answered \(answer.status)\(answer.reason.map { " \($0)" } ?? "")\(source): nothing was presented.",
      presented: 0)
  }
}

/// The events of a handset, gathered by pushes.
private struct SettledStories {
  private struct Story {
    var explanation: Explanation
    var app: String?
    var presented = 0
    var lamp: Int64?
    var digits: Int64?
    var sound: Int64?
  }

  let push: PushID?
  let app: AppID?
  private var order: [PushID] = []
  private var stories: [PushID: Story] = [:]
  /// The pushes whose lamp edge or number has not come.
  private var (awaitingLamp, awaitingDigits): ([PushID], [PushID]) = ([], [])

  init(push: PushID?, app: AppID?) { (self.push, self.app) = (push, app) }

  mutating func read(_ event: EventReport, rulings: [String]) {
    switch event.event {
    case Event.Name.lamp.rawValue where event.fields["lit"] == .flag(true):
      for id in awaitingLamp { stories[id]?.lamp = event.uptimeMicroseconds }
      awaitingLamp = []
    case Event.Name.display.rawValue:
      for id in awaitingDigits { stories[id]?.digits = event.uptimeMicroseconds }
      awaitingDigits = []
    default: break
    }
    // A fault that struck is no event of the handset's: it may have kept the push from it.
    guard event.event != Event.Name.faultStruck.rawValue, let id = event.push.flatMap({ PushID($0) }),
      push == nil || push == id, app == nil || stories[id] != nil || event.app == app?.text
    else { return }
    if stories[id] == nil { order.append(id) }
    // Taken out while it changes, so that its events are not copied.
    var story = stories.removeValue(forKey: id) ?? Story(explanation: Explanation(of: id))
    story.explanation.read(event, rulings: rulings)
    if let app = event.app { story.app = app }
    switch Event.Name(rawValue: event.event) {
    case .presented:
      story.presented += 1
      awaitingLamp.append(id)
    case .badge: awaitingDigits.append(id)
    case .soundStarted where story.sound == nil: story.sound = event.uptimeMicroseconds
    default: break
    }
    stories[id] = story
  }

  /// In the order of their first events.
  var pushes: [SettledPush] {
    order.compactMap { id in
      guard let story = stories[id], let end = story.explanation.end else { return nil }
      let litLamp = end.shown.contains("the lamp")
      return SettledPush(
        push: end.push, app: story.app, status: nil, rang: end.rang, shown: end.shown, why: end.why,
        presented: story.presented, lamp: litLamp ? story.lamp : nil, digits: story.digits, sound: story.sound)
    }
  }
}

extension ControlClient {
  /// Returns when nothing of the push, the app or the handset is under way any more.
  /// - Parameters:
  ///   - timeout: up to 10 minutes.
  /// - Throws: `HTTPClientError.refused` with 408 after the timeout.
  public func settled(
    push: String? = nil, app: String? = nil, after: UInt64 = 0, last: Int? = nil,
    within timeout: Duration = .seconds(10)
  ) async throws -> SettledReport {
    var query = "?after=\(after)&timeout=\(timeout.inMicroseconds / 1_000)ms"
    for (name, value) in [("push", push), ("app", app), ("last", last.map(String.init))] {
      if let value { query += "&\(name)=\(RequestTarget.encodedSegment(value))" }
    }
    let answer = try await http.send("GET", path("settled") + query, timeout: timeout + .seconds(30))
    try answer.requireSuccess()
    return try decoded(answer)
  }
}
