// Checks the state of the servers, as far as it is visible from here.

import FleetLink
import FoundationEssentials
import Glibc
import HandsetCore
import NATSClient
import NIOCore

/// The findings of a check.
public struct FleetFindings: Encodable, Equatable, Sendable {
  public struct Problem: Encodable, Equatable, Sendable {
    public var problem: String
    public var hint: String?
  }

  /// The checks that passed, in words.
  public var good: [String] = []
  public var problems: [Problem] = []
  /// Remarks that are no problems.
  public var notices: [String] = []

  mutating func complain(_ problem: String, _ hint: String?) {
    problems.append(Problem(problem: problem, hint: hint))
  }
}

extension FleetFolder {
  /// The largest difference of clocks in milliseconds: gateways and desks compare times across machines.
  static let clockLimit: Int64 = 1_000

  /// Checks every server.
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
        defer { servers.end() }
        // While a server is down its replicas do not catch up, so waiting is useless.
        let isWhole = reachable.count == fleet.servers.count
        try await servers.examineStreams(of: fleet, patiently: isWhole, &findings)
      } catch let error as FleetError {
        findings.complain(error.message, error.hint)
      } catch {
        findings.complain("the streams cannot be read at \(server.name): \(error)", nil)
      }
    }
    examineEnd(&findings)
    findings.notices.append(
      "sync_interval cannot be seen from outside: 'sync_interval: always' must stand in each server's file, as in "
        + "\(path)/nodes/SERVER/nats-server.conf; without it a power cut loses pushes that were answered")
    return findings
  }

  /// - Returns: true if further checks of the server make sense.
  private func examine(_ greeting: ServerGreeting, of server: Fleet.Server, _ findings: inout FleetFindings) -> Bool {
    let files = "copy \(path)/nodes/\(server.name) to it as /etc/nats, and restart nats-server"
    guard greeting.serverName == server.name else {
      findings.complain(
        "the server at \(server.host):\(server.port) is '\(greeting.serverName)', not '\(server.name)'", files)
      return false
    }
    guard greeting.isRecent else {
      findings.complain(
        "the server \(server.name) runs nats-server \(greeting.version), which can lose answered pushes",
        "install 2.10.23 or later; Debian 13 has it")
      return false
    }
    guard greeting.tlsRequired ?? false else {
      findings.complain("the server \(server.name) takes connections without TLS", files)
      return false
    }
    guard greeting.jetstream ?? false else {
      findings.complain("the server \(server.name) has no JetStream", files)
      return false
    }
    if fleet.servers.count > 1, greeting.cluster != "deskbell" {
      findings.complain("the server \(server.name) is not part of the cluster", files)
      return false
    }
    findings.good.append("server \(server.name): nats-server \(greeting.version), TLS")
    return true
  }

  private func examineClock(of server: Fleet.Server, _ findings: inout FleetFindings) async {
    do {
      let servers = try await FleetServers(of: self, server: server)
      defer { servers.end() }
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
        let key = NATSServers.Key(publicKey: user.key, seedFile: seedFile)
        try await FleetServers(of: self, server: server, as: key).end()
      } catch {
        findings.complain(
          "the server \(server.name) does not know the \(kind.rawValue) \(user.name)",
          "copy \(path)/nodes/\(server.name) to it as /etc/nats, and reload nats-server")
      }
    }
  }

  private func examineEnd(_ findings: inout FleetFindings) {
    if now.advanced(by: Self.notice) >= end {
      findings.complain(
        "the fleet's certificates end within \(Self.notice.components.seconds / 86_400) days",
        "make a new fleet in another folder, and move the servers and desks to it")
    }
  }
}

extension FleetServers {
  /// Returns the lead of a server's clock over this machine's, in milliseconds; nil if the server does not answer.
  func clockDifference(of name: String) async -> Int64? {
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
  func examineStreams(of fleet: Fleet, patiently: Bool, _ findings: inout FleetFindings) async throws {
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
      let consumer: JetStream.ConsumerInfo? = try await askIfAny(
        "CONSUMER.INFO.\(FleetNames.pushes).\(name)", Nothing())
      guard let consumer else {
        findings.complain("the desk \(name) has no consumer and receives nothing", "make it: deskbell fleet init")
        continue
      }
      let groups = fleet.groups(of: name).map(\.name).sorted()
      if consumer.note?.groups != groups { findings.complain("the desk \(name) does not know its groups", repair) }
    }
  }
}
