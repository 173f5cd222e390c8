import FleetLink
import FoundationEssentials
import Glibc
import HandsetCore
import NATSClient
import NIOCore
import NIOPosix
import ServerIdentity

/// A connection to the servers of a fleet, as their administrator; it lasts as long as this object.
public final class FleetServers: Sendable {
  private let connection: NATSConnection
  private let jetStream: JetStream
  private let waiting: @Sendable (String) -> Void

  enum Limits {
    static let connecting = TimeAmount.seconds(10)
    /// The time for further attempts once no server has answered: a server that has just been started answers soon.
    static let trying = TimeAmount.seconds(3)
    /// The time in which desks and gateways must answer the roll call.
    static let roll = TimeAmount.seconds(2)
    static let clock = TimeAmount.seconds(2)
    static let clockQuestions = 4
    /// The time for which temporary failures are retried: servers that have just been started do not know each other yet,
    /// or elect a leader.
    static let starting = TimeAmount.seconds(60)
    static let retry = TimeAmount.milliseconds(200)
    static let settling = 10
    static let pause = TimeAmount.milliseconds(500)
  }

  private static var eventLoop: any EventLoop { MultiThreadedEventLoopGroup.singleton.any() }

  /// Connects to the servers.
  /// - Parameters:
  ///   - server: the server to connect to; nil for any.
  ///   - user: the user's key; nil for the administrator's.
  ///   - waiting: called once for each reason why the servers cannot answer a request yet.
  /// - Throws: `FleetError` if no server answers.
  public init(
    of folder: FleetFolder, server: Fleet.Server? = nil, as user: (publicKey: String, seedFile: String)? = nil,
    waiting: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    self.waiting = waiting
    let servers = server.map { [$0] } ?? folder.fleet.servers
    let (publicKey, seedFile) = user ?? (folder.fleet.admin, "\(folder.path)/admin.seed")
    let addresses = NATSServers(
      servers.map(\.url), name: "deskbell fleet", publicKey: publicKey, seedFile: seedFile,
      authorityFile: "\(folder.path)/authority.pem")
    let (reports, continuation) = AsyncStream.makeStream(of: NATSReport.self)
    do {
      connection = try NATSConnection(addresses, eventLoop: Self.eventLoop)
    } catch {
      throw FleetError("the servers cannot be used: \(error)")
    }
    jetStream = JetStream(connection)
    connection.start { continuation.yield($0) }
    var timers = [Self.eventLoop.scheduleTask(in: Limits.connecting) { continuation.finish() }]
    defer { for timer in timers { timer.cancel() } }
    var problem = "no answer"
    for await report in reports {
      switch report {
      case .connected: return
      case .failed(let why): problem = why
      case .lost(let why):
        problem = why
        timers.append(Self.eventLoop.scheduleTask(in: Limits.trying) { continuation.finish() })
      }
    }
    throw FleetError(
      "no server can be used at \(servers.map(\.url).joined(separator: ", ")): \(problem)",
      hint: "start nats-server there with the files of \(folder.path)/nodes, or set the network right")
  }

  deinit { connection.end() }

  private func ask<Answer: Decodable>(_ subject: String, _ body: any Encodable) async throws -> Answer {
    try await patiently(subject) { () async throws -> Answer in try await jetStream.ask(subject, body) }
  }

  /// Asks as `ask` does; returns nil if the stream, the consumer or the message does not exist.
  private func askIfAny<Answer: Decodable>(_ subject: String, _ body: (any Encodable)? = nil) async throws -> Answer? {
    try await ifAny(subject) { () async throws -> Answer in try await jetStream.ask(subject, body) }
  }

  private func ifAny<Result>(_ subject: String, _ body: () async throws -> Result) async throws -> Result? {
    try await patiently(subject) {
      do { return try await body() } catch let error as NATSError where Self.missing.contains(error.code) {
        return nil
      }
    }
  }

  private static let missing: Set<Int> = [NATSError.noStream, NATSError.noConsumer, 10_037]

  private func store(_ subject: String, _ value: some Encodable) async throws {
    try await store(NATSMessage(subject: subject, payload: Array(JSONEncoder().encode(value))))
  }

  private func store(_ message: NATSMessage) async throws {
    try await patiently(message.subject) { try await jetStream.store(message) }
  }

  /// Runs `body`, and repeats it while servers discover each other and elect a leader, as after a start and after a loss.
  private func patiently<Result>(_ subject: String, _ body: () async throws -> Result) async throws -> Result {
    let end = NIODeadline.now() + Limits.starting
    var problem: String?
    while true {
      do {
        return try await body()
      } catch let error as NATSError {
        guard error.isTransient, NIODeadline.now() < end else { throw FleetError(failing: subject, error) }
        if problem != error.problem { waiting(error.problem) }
        problem = error.problem
        try await Self.eventLoop.scheduleTask(in: Limits.retry) {}.futureResult.get()
      }
    }
  }

  private struct StreamInfo: Decodable {
    struct Cluster: Decodable {
      struct Peer: Decodable {
        var name: String
        var current: Bool
        var offline: Bool?
        var lag: UInt64?

        var isLate: Bool { !current || offline ?? false }
      }
      var replicas: [Peer]?
    }
    var config: StreamSettings
    var created: String
    var cluster: Cluster?
  }

  private func stream(_ name: String) async throws -> StreamInfo? {
    try await askIfAny("STREAM.INFO.\(name)")
  }

  private struct StoredMessage: Decodable {
    struct Content: Decodable {
      var data: Data?
      /// The time in the format of RFC 3339.
      var time: String
    }
    var message: Content
  }

  private func last(of subject: String, in stream: String) async throws -> StoredMessage.Content? {
    struct Request: Encodable { var lastBySubj: String }
    let answer: StoredMessage? = try await askIfAny("STREAM.MSG.GET.\(stream)", Request(lastBySubj: subject))
    return answer?.message
  }

  // MARK: Installing

  /// Creates missing streams and consumers, and corrects differing ones.
  public func install(_ fleet: Fleet) async throws -> [ServerChange] {
    var changes: [ServerChange] = []
    for expected in StreamSettings.all(replicas: fleet.replicas) {
      if let change = try await installStream(expected) { changes.append(change) }
    }
    changes += try await installConsumers(of: fleet.desks.map(\.name), in: fleet)
    for group in fleet.groups {
      let subject = "$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)"
      if try await last(of: subject, in: FleetNames.tokens) == nil {
        try await announce(group)
        changes.append(ServerChange(name: "the token of \(group.name)", kind: .made))
      }
    }
    return changes
  }

  private func installStream(_ expected: StreamSettings) async throws -> ServerChange? {
    guard let info = try await stream(expected.name) else {
      let _: StreamInfo = try await ask("STREAM.CREATE.\(expected.name)", expected)
      return ServerChange(name: expected.name, kind: .made)
    }
    let differences = expected.differences(in: info.config)
    if differences.isEmpty { return nil }
    guard info.config.storage == expected.storage, info.config.retention == expected.retention else {
      throw FleetError(
        "the stream \(expected.name) cannot be set right: \(differences.joined(separator: ", "))",
        hint: "it was not made by this program; name other servers, or remove it there: nats stream rm \(expected.name)"
      )
    }
    let _: StreamInfo = try await ask("STREAM.UPDATE.\(expected.name)", expected)
    return ServerChange(name: expected.name, kind: .updated, differences: differences)
  }

  /// Creates the consumers of these desks, and writes into them the notes for the desks.
  public func installConsumers(of desks: [String], in fleet: Fleet) async throws -> [ServerChange] {
    if desks.isEmpty { return [] }
    guard let pushes = try await stream(FleetNames.pushes), let clears = try await stream(FleetNames.clears) else {
      throw FleetError("the servers have no streams of a fleet", hint: "make them: deskbell fleet init")
    }
    var changes: [ServerChange] = []
    for desk in desks {
      let groups = fleet.groups(of: desk).map(\.name).sorted()
      let settings = ConsumerSettings(
        desk, about: FleetNames.pushes(to: desk), created: pushes.created, groups: groups, replicas: fleet.replicas)
      if let change = try await installConsumer(settings, of: FleetNames.pushes) { changes.append(change) }
      for group in groups {
        let settings = ConsumerSettings(
          FleetNames.clearConsumer(of: desk, in: group), about: FleetNames.clears(in: group),
          created: clears.created, groups: groups, replicas: fleet.replicas)
        if let change = try await installConsumer(settings, of: FleetNames.clears) { changes.append(change) }
      }
    }
    return changes
  }

  private func installConsumer(_ expected: ConsumerSettings, of stream: String) async throws -> ServerChange? {
    let current: JetStream.ConsumerInfo? = try await askIfAny("CONSUMER.INFO.\(stream).\(expected.name)")
    if current?.config == expected { return nil }
    let _: JetStream.ConsumerInfo = try await ask(
      "CONSUMER.CREATE.\(stream).\(expected.name).\(expected.filterSubject)",
      ConsumerRequest(expected, of: stream))
    return ServerChange(name: "\(stream) \(expected.name)", kind: current == nil ? .made : .updated)
  }

  // MARK: Groups

  /// Creates a group: its token, its consumers, and the desks' notes about it.
  public func add(_ group: Fleet.Group, in fleet: Fleet) async throws -> [ServerChange] {
    let changes = try await installConsumers(of: group.deskNames, in: fleet)
    // Stored last: a push to the group rings at once.
    try await announce(group)
    return changes
  }

  /// Stores the claim of a group's token, and then its record.
  private func announce(_ group: Fleet.Group) async throws {
    if let key = TokenKey(hex: group.token) {
      let claim = FleetNames.claim(of: key, by: FleetNames.groups)
      try await patiently(claim) { try await jetStream.claim(claim) }
    }
    try await store("$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)", group.record)
  }

  /// Ends a group's token, and removes its consumers.
  /// - Parameters:
  ///   - fleet: the fleet without the group.
  ///   - now: milliseconds since 1970.
  public func remove(_ group: Fleet.Group, in fleet: Fleet, now: Int64) async throws -> [ServerChange] {
    var record = group.record
    (record.gone, record.kind) = (now, .unregistered)
    try await store("$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)", record)
    var changes: [ServerChange] = []
    for desk in group.deskNames {
      let name = FleetNames.clearConsumer(of: desk, in: group.name)
      if let change = try await removeConsumer(name, of: FleetNames.clears) { changes.append(change) }
    }
    return changes + (try await installConsumers(of: group.deskNames, in: fleet))
  }

  @discardableResult
  private func removeConsumer(_ name: String, of stream: String) async throws -> ServerChange? {
    let removed: Void? = try await ifAny(stream) { try await jetStream.removeConsumer(name, of: stream) }
    return removed.map { _ in ServerChange(name: "\(stream) \(name)", kind: .removed) }
  }

  // MARK: Desks

  /// The numbers of objects that were removed with a desk.
  public struct Removal: Encodable, Equatable, Sendable {
    public var tokens = 0
    public var providers = 0
    public var pushes: UInt64 = 0
  }

  /// Ends a desk's tokens, and removes its providers, its consumer and the pushes that wait for it.
  /// - Parameter now: milliseconds since 1970.
  public func removeDesk(_ desk: String, now: Int64) async throws -> Removal {
    struct Purge: Encodable { var filter: String }
    struct Purged: Decodable { var purged: UInt64 }
    var removal = Removal()
    try await store(.deletion(of: FleetNames.lastSeen(desk)))
    try await store(.deletion(of: FleetNames.apps(of: desk)))
    for (subject, known) in try await livingTokens("$KV.BELL_TOKENS.\(desk).>") {
      var record = known
      (record.gone, record.kind) = (now, .unregistered)
      try await store(subject, record)
      removal.tokens += 1
    }
    for message in try await values(of: FleetNames.providers, "$KV.BELL_PROVIDERS.\(desk).>") {
      // Claims stay, so that no other desk can claim the desk's keys.
      guard FleetNames.claimedKey(in: message.subject.split(separator: ".").last ?? "") == nil else { continue }
      guard !message.payload.isEmpty else { continue }
      try await store(.deletion(of: message.subject))
      removal.providers += 1
    }
    try await removeConsumer(desk, of: FleetNames.pushes)
    let purged: Purged = try await ask(
      "STREAM.PURGE.\(FleetNames.pushes)", Purge(filter: FleetNames.pushes(to: desk)))
    removal.pushes = purged.purged
    return removal
  }

  // MARK: Reporting

  /// Calls the roll, and reads the other values.
  public func report(of fleet: Fleet) async throws -> FleetReport {
    var report = FleetReport(of: fleet)
    let alive = await callRoll(expecting: Set((fleet.desks + fleet.gateways).map(\.name)))
    let tokens: [Substring: Int] = try await livingTokens("$KV.BELL_TOKENS.>").reduce(into: [:]) { counts, token in
      counts[token.subject.split(separator: ".").dropFirst(2).first ?? "", default: 0] += 1
    }
    for index in report.desks.indices {
      let name = report.desks[index].name
      report.desks[index].tokens = tokens[name[...]] ?? 0
      let known = try await lastSeen(name)
      let position = alive[name]?.position ?? known?.position ?? 0
      report.desks[index].behind = try await pending(of: name, after: position)
      if let record = alive[name] {
        (report.desks[index].isAlive, report.desks[index].version) = (true, record.version)
        report.desks[index].handsets = record.handsets
      } else {
        let event = try await last(of: FleetNames.events(of: name), in: FleetNames.events)
        report.desks[index].seen = [known?.time, event?.time].compactMap(\.self).max()
      }
    }
    for index in report.gateways.indices {
      guard let record = alive[report.gateways[index].name] else { continue }
      (report.gateways[index].isAlive, report.gateways[index].version) = (true, record.version)
      (report.gateways[index].isReady, report.gateways[index].tokens) = (record.ready, record.tokens)
    }
    return report
  }

  /// Returns the position and time of a desk's last message about itself; nil if there is none.
  private func lastSeen(_ desk: String) async throws -> (position: UInt64, time: String?)? {
    guard let message = try await last(of: FleetNames.lastSeen(desk), in: FleetNames.tokens),
      let data = message.data, let record = try? JSONDecoder().decode(AliveRecord.self, from: data)
    else { return nil }
    return (record.position ?? 0, message.time)
  }

  /// Returns the number of pushes for a desk that the stream has after a position.
  private func pending(of desk: String, after position: UInt64) async throws -> UInt64 {
    let name = "list-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let made = try await patiently(FleetNames.pushes) {
      try await jetStream.makeConsumer(
        name, of: FleetNames.pushes, subjects: FleetNames.pushes(to: desk), after: position)
    }
    try await removeConsumer(name, of: FleetNames.pushes)
    return made.numPending
  }

  /// Asks all members and returns their answers, as soon as all have answered.
  private func callRoll(expecting names: Set<String>) async -> [String: AliveRecord] {
    if names.isEmpty { return [:] }
    let (answers, continuation) = AsyncStream.makeStream(of: (name: String, record: AliveRecord).self)
    let subscription = connection.subscribe(to: FleetNames.alive("*")) { message in
      if let record = try? JSONDecoder().decode(AliveRecord.self, from: Data(message.payload)) {
        // The servers let each member write only its own subject; the content of the record is not trusted.
        continuation.yield((String(message.subject.dropFirst(FleetNames.alive("").utf8.count)), record))
      }
    }
    defer { connection.unsubscribe(subscription) }
    connection.publish(NATSMessage(subject: FleetNames.roll))
    let timer = Self.eventLoop.scheduleTask(in: Limits.roll) { continuation.finish() }
    defer { timer.cancel() }
    var alive: [String: AliveRecord] = [:]
    for await (name, record) in answers {
      alive[name] = record
      if names.isSubset(of: alive.keys) { break }
    }
    return alive
  }

  /// Returns the records of tokens that are not gone.
  private func livingTokens(_ subjects: String) async throws -> [(subject: String, record: RegistryRecord)] {
    try await values(of: FleetNames.tokens, subjects).compactMap { message in
      let record = try? JSONDecoder().decode(RegistryRecord.self, from: Data(message.payload))
      return record.flatMap { $0.gone == nil ? (message.subject, $0) : nil }
    }
  }

  /// Returns the newest message of each subject of a registry.
  private func values(of stream: String, _ subjects: String) async throws -> [NATSMessage] {
    var values: [NATSMessage] = []
    try await read(stream, subjects, after: nil) { values.append($0.message) }
    return values
  }

  private func read(
    _ stream: String, _ subjects: String, after position: UInt64?, headersOnly: Bool = false,
    _ take: (StreamMessage) -> Void
  ) async throws {
    let name = "admin-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let made = try await patiently(stream) {
      try await jetStream.makeConsumer(name, of: stream, subjects: subjects, after: position, headersOnly: headersOnly)
    }
    do {
      try await jetStream.readAll(made.numPending, by: name, of: stream, take)
    } catch {
      throw FleetError(failing: stream, error)
    }
  }

  // MARK: Explaining

  /// - Parameter push: its apns-id.
  public func explanation(of push: String) async throws -> FleetPushReport {
    var report = FleetPushReport()
    try await read(FleetNames.pushes, "bell.push.>", after: 0, headersOnly: true) { message in
      let fields = message.message.fields
      guard let id = fields["Bell-Id"], id.lowercased() == push.lowercased() else { return }
      let words = message.message.subject.split(separator: ".").map(String.init)
      guard words.count == 5 else { return }
      report.stored.append(
        .init(
          desk: words[2], handset: words[3], app: fields["Bell-Topic"] ?? words[4], sequence: message.sequence,
          accepted: fields["Bell-Accepted"].flatMap { Int64($0) }, gateway: fields["Bell-Gateway"], isWaiting: false))
    }
    struct Line: Decodable {
      var push: String?
    }
    let letters = Array(push.lowercased().utf8)
    try await read(FleetNames.events, FleetNames.events(of: "*"), after: 0) { message in
      let desk = message.message.subject.split(separator: ".").last.map(String.init) ?? ""
      for line in message.message.payload.split(separator: UInt8(ascii: "\n")) {
        // Most lines need no JSON decoding.
        let lower: [UInt8] = line.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard lower.contains(letters),
          let event = try? JSONDecoder().decode(Line.self, from: Data(line)),
          event.push?.lowercased() == push.lowercased()
        else { continue }
        report.events.append((desk: desk, line: String(decoding: line, as: UTF8.self)))
      }
    }
    for index in report.stored.indices {
      let stored = report.stored[index]
      let isTaken = try await lastSeen(stored.desk).map { $0.position >= stored.sequence } ?? false
      report.stored[index].isWaiting = !isTaken && !report.events.contains { $0.desk == stored.desk }
    }
    return report
  }

  // MARK: Checking

  /// Returns the lead of a server's clock over this machine's, in milliseconds; nil if the server does not answer.
  fileprivate func clockDifference(of name: String) async -> Int64? {
    // A server that has just read new files may leave a question unanswered.
    for _ in 0..<Limits.clockQuestions {
      if let difference = await askForClockDifference(of: name) { return difference }
    }
    return nil
  }

  private func askForClockDifference(of name: String) async -> Int64? {
    struct Answer: Decodable {
      struct Server: Decodable {
        var name: String
        var time: String
      }
      var server: Server
    }
    let (answers, continuation) = AsyncStream.makeStream(of: Int64.self)
    let inbox = connection.makeInbox()
    let asked = Date()
    let subscription = connection.subscribe(to: inbox) { message in
      // The server's time is compared with the middle of the round trip.
      let now = Date()
      let middle = asked.addingTimeInterval(now.timeIntervalSince(asked) / 2)
      guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(message.payload)),
        answer.server.name == name,
        let time = try? Date(answer.server.time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      else { return }
      continuation.yield(Int64(time.timeIntervalSince(middle) * 1_000))
    }
    defer { connection.unsubscribe(subscription) }
    connection.publish(NATSMessage(subject: "$SYS.REQ.ACCOUNT.PING.STATZ", reply: inbox))
    let timer = Self.eventLoop.scheduleTask(in: Limits.clock) { continuation.finish() }
    defer { timer.cancel() }
    for await difference in answers { return difference }
    return nil
  }

  /// Asks again while a peer is late: under load each of them is late at times.
  private func settled(_ name: String, _ patiently: Bool) async throws -> StreamInfo? {
    var info = try await stream(name)
    for _ in 0..<(patiently ? Limits.settling : 0) where info?.cluster?.replicas?.contains(where: \.isLate) ?? false {
      try await Self.eventLoop.scheduleTask(in: Limits.pause) {}.futureResult.get()
      info = try await stream(name)
    }
    return info
  }

  /// - Parameter patiently: true to give a late replica time.
  fileprivate func examineStreams(of fleet: Fleet, patiently: Bool, _ findings: inout FleetFindings) async throws {
    let repair = "set it right: deskbell fleet init"
    for expected in StreamSettings.all(replicas: fleet.replicas) {
      guard let info = try await settled(expected.name, patiently) else {
        findings.complain("the stream \(expected.name) is missing", "make it: deskbell fleet init")
        continue
      }
      let differences = expected.differences(in: info.config)
      let peers = info.cluster?.replicas ?? []
      let late = peers.filter(\.isLate)
      for difference in differences { findings.complain("the stream \(expected.name): \(difference)", repair) }
      for peer in late {
        findings.complain(
          "the stream \(expected.name) is not current on \(peer.name)"
            + (peer.lag.map { ", which lacks \($0) changes" } ?? ""),
          "start the server and wait; where it stays so, see its log")
      }
      if differences.isEmpty, late.isEmpty {
        findings.good.append(
          "stream \(expected.name): settings, and \(peers.count + 1) of \(fleet.replicas) replicas current")
      }
    }
    for desk in fleet.desks {
      let name = desk.name
      let consumer: JetStream.ConsumerInfo? = try await askIfAny("CONSUMER.INFO.\(FleetNames.pushes).\(name)")
      guard let consumer else {
        findings.complain("the desk \(name) has no consumer and receives nothing", "make it: deskbell fleet init")
        continue
      }
      let groups = fleet.groups(of: name).map(\.name).sorted()
      if consumer.note?.groups != groups { findings.complain("the desk \(name) does not know its groups", repair) }
    }
  }
}

extension FleetFolder {
  /// The largest difference of clocks in milliseconds: gateways and desks compare times across machines.
  static let clockLimit: Int64 = 1_000

  /// - Parameter waiting: called with the reason why the servers cannot answer yet.
  public func check(waiting: @escaping @Sendable (String) -> Void) async -> FleetFindings {
    var findings = FleetFindings()
    var reachable: [Fleet.Server] = []
    for server in fleet.servers {
      do {
        if examine(try ServerGreeting.of(server.host, port: server.port), of: server, &findings) {
          reachable.append(server)
        }
      } catch {
        findings.complain("the server \(server.name) cannot be reached: \(error.message)", error.hint)
      }
    }
    for server in reachable {
      await examineClock(of: server, &findings)
      await examineUsers(of: server, &findings)
    }
    if let server = reachable.first {
      do {
        let servers = try await FleetServers(of: self, waiting: waiting)
        // While a server is down its replicas do not catch up, so waiting is useless.
        let isWhole = reachable.count == fleet.servers.count
        try await servers.examineStreams(of: fleet, patiently: isWhole, &findings)
      } catch let error as FleetError {
        findings.complain(error.message, error.hint)
      } catch {
        findings.complain("the streams cannot be read at \(server.name): \(error)", nil)
      }
    }
    let notice = CertificateAuthority.authorityNotice
    if now.advanced(by: notice) >= end {
      findings.complain(
        "the fleet's certificates end within \(notice.components.seconds / 86_400) days",
        "make a new fleet in another folder, and move the servers and desks to it")
    }
    findings.notices.append(
      "sync_interval cannot be seen from outside: 'sync_interval: always' must stand in each server's file, as in "
        + "\(path)/nodes/SERVER/nats-server.conf; without it a power cut loses pushes that were answered")
    return findings
  }

  /// - Returns: true if further checks of the server make sense.
  private func examine(_ greeting: ServerGreeting, of server: Fleet.Server, _ findings: inout FleetFindings) -> Bool {
    let files = "copy \(path)/nodes/\(server.name) to it as /etc/nats, and restart nats-server"
    if greeting.serverName != server.name {
      findings.complain(
        "the server at \(server.host):\(server.port) is '\(greeting.serverName)', not '\(server.name)'", files)
    } else if !greeting.isRecent {
      findings.complain(
        "the server \(server.name) runs nats-server \(greeting.version), which can lose answered pushes",
        "install 2.10.23 or later; Debian 13 has it")
    } else if greeting.tlsRequired != true {
      findings.complain("the server \(server.name) takes connections without TLS", files)
    } else if greeting.jetstream != true {
      findings.complain("the server \(server.name) has no JetStream", files)
    } else if fleet.servers.count > 1, greeting.cluster != "deskbell" {
      findings.complain("the server \(server.name) is not part of the cluster", files)
    } else {
      findings.good.append("server \(server.name): nats-server \(greeting.version), TLS")
      return true
    }
    return false
  }

  private func examineClock(of server: Fleet.Server, _ findings: inout FleetFindings) async {
    do {
      let servers = try await FleetServers(of: self, server: server)
      guard let difference = await servers.clockDifference(of: server.name) else {
        return findings.notices.append("the server \(server.name) does not say what time it has")
      }
      if abs(difference) > Self.clockLimit {
        findings.complain(
          "the clock of the server \(server.name) is \(abs(difference)) ms \(difference > 0 ? "ahead of" : "behind") this machine's",
          "let both set their clocks from the network: timedatectl set-ntp true")
      } else {
        findings.good.append("server \(server.name): its clock differs by less than \(Self.clockLimit) ms")
      }
    } catch let error as FleetError {
      findings.complain(error.message, error.hint)
    } catch {
      findings.complain("the server \(server.name): \(error)", nil)
    }
  }

  /// Checks the login of the newest desk and gateway; that is enough, because users.conf is installed as a whole.
  private func examineUsers(of server: Fleet.Server, _ findings: inout FleetFindings) async {
    for kind in FleetUserKind.allCases {
      guard let user = fleet[kind].last else { continue }
      let seedFile = "\(self.path(of: user.name, kind))/seed"
      // The seed may be on the user's own machine only.
      guard access(seedFile, R_OK) == 0 else { continue }
      do {
        _ = try await FleetServers(of: self, server: server, as: (user.key, seedFile))
      } catch {
        findings.complain(
          "the server \(server.name) does not know the \(kind.rawValue) \(user.name)",
          "copy \(path)/nodes/\(server.name) to it as /etc/nats, and reload nats-server")
      }
    }
  }
}

public struct FleetFindings: Encodable, Equatable, Sendable {
  public struct Problem: Encodable, Equatable, Sendable {
    public var problem: String
    public var hint: String?
  }

  public var good: [String] = []
  public var problems: [Problem] = []
  public var notices: [String] = []

  mutating func complain(_ problem: String, _ hint: String?) {
    problems.append(Problem(problem: problem, hint: hint))
  }
}

/// A change of a stream or a consumer.
public struct ServerChange: Encodable, Equatable, Sendable {
  public enum Kind: String, Encodable, Sendable { case made, updated, removed }

  public var name: String
  public var kind: Kind
  public var differences: [String] = []
}

extension Fleet.Group {
  var deskNames: [String] { Set(desks.map(\.desk)).sorted() }

  var record: RegistryRecord {
    var record = RegistryRecord(app: app, handset: nil, environment: environment, since: since)
    (record.group, record.desks) = (name, desks)
    return record
  }
}

public struct FleetReport: Encodable, Equatable, Sendable {
  public struct Desk: Encodable, Equatable, Sendable {
    public var name: String
    public var groups: [String]
    public var isAlive = false
    /// The time (RFC 3339) of its last push or event; nil while it is alive, and if there is none.
    public var seen: String?
    /// The number of pushes that wait for it; nil if it has no consumer.
    public var behind: UInt64?
    /// The number of registered device tokens; nil if the servers were not asked.
    public var tokens: Int?
    public var handsets: Int?
    public var version: String?
  }

  public struct Gateway: Encodable, Equatable, Sendable {
    public var name: String
    public var isAlive = false
    public var isReady: Bool?
    public var tokens: Int?
    public var version: String?
  }

  public struct Group: Encodable, Equatable, Sendable {
    public var name: String
    public var app: String
    public var environment: String
    public var desks: [String]
  }

  public var desks: [Desk]
  public var gateways: [Gateway]
  public var groups: [Group]

  /// Creates the report from the folder, without the servers.
  public init(of fleet: Fleet) {
    desks = fleet.desks.map { desk in Desk(name: desk.name, groups: fleet.groups(of: desk.name).map(\.name)) }
    gateways = fleet.gateways.map { Gateway(name: $0.name) }
    groups = fleet.groups.map { group in
      Group(name: group.name, app: group.app, environment: group.environment, desks: group.desks.map(\.description))
    }
  }
}

/// The servers' records of a push.
public struct FleetPushReport: Sendable {
  /// A message of the push to one desk.
  public struct Stored: Encodable, Equatable, Sendable {
    public var desk: String
    /// The name of the handset; `_` for the one on the board.
    public var handset: String
    public var app: String
    public var sequence: UInt64
    /// The time of acceptance in microseconds since 1970; nil if the gateway did not report it.
    public var accepted: Int64?
    public var gateway: String?
    public var isWaiting: Bool
  }

  public var stored: [Stored] = []
  /// The events in the order in which they were stored: as `deskbell events --json` prints them, with the desk.
  public var events: [(desk: String, line: String)] = []
}

extension FleetError {
  init(failing subject: String, _ error: NATSError) {
    self.init(
      "the servers refuse \(subject): \(error.problem)",
      hint: error.hasNoPeers
        ? "servers that were started at the same time have not all found each other: restart each, one "
          + "after the other, and try again"
        : error.isTransient ? "wait until a majority of the servers runs, and try again" : nil)
  }
}
