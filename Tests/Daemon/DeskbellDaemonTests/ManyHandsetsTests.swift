// Many handsets on one host, compared with as many handsets that run alone: events of one do not affect the others.

import Clocks
import FoundationEssentials
import HandsetCore
import HandsetStore
import Synchronization
import TestSupport
import Testing

@testable import DeskbellDaemon
@testable import Host

private let apps = ["mail", "chat", "bell"].map { AppID("com.example.\($0)")! }

/// The lines of the events of each handset, as they were published.
private final class EventLines: CommitSink {
  let lines = Mutex<[HandsetID: [String]]>([:])

  func publish(_ batch: CommittedBatch) {
    for item in batch.turns {
      for event in item.turn.events {
        lines.withLock { $0[item.handset, default: []].append(EventReport(event).line) }
      }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ManyHandsetsTests {
  /// The handsets of one host, and the same handsets running alone.
  private struct Pair {
    let host: TestHost
    let clock: SteppedClock
    let published = EventLines()
    var alone: [HandsetID: Handset] = [:]
    var lines: [HandsetID: [String]] = [:]

    init(in folder: Folder, ids: [HandsetID], clock: SteppedClock) throws {
      let store = try HandsetStore(directory: folder.state)
      let loaded = try ids.map { LoadedHandset(id: $0, contents: try store.load(handset: $0).contents) }
      for handset in loaded { alone[handset.id] = Handset(handset.contents) }
      self.clock = clock
      host = try TestHost(store: store, handsets: loaded, clock: clock, sinks: [published])
    }

    /// Submits the inputs in order, and gives each to the separate copy of its handset.
    mutating func take(_ inputs: [(Input, InputQueue.Recipient)]) async throws {
      let answers = Mutex<[Int: Verdict]>([:])
      let (done, finish) = AsyncStream.makeStream(of: Void.self)
      for (index, (input, recipient)) in inputs.enumerated() {
        host.queue.submit(input, to: recipient) { outcome in
          if case .stored(let verdict) = outcome { answers.withLock { $0[index] = verdict } }
          finish.yield()
        }
      }
      var expected: [Int: Verdict] = [:]
      for (index, (input, recipient)) in inputs.enumerated() {
        expected[index] = try handle(input, recipient)
      }
      for await _ in done.prefix(inputs.count) {}
      #expect(answers.withLock(\.self) == expected)
    }

    private mutating func handle(_ input: Input, _ recipient: InputQueue.Recipient) throws -> Verdict {
      let now = clock.now()
      let ids: [HandsetID]
      switch recipient {
      case .handset(let id): ids = [id]
      case .tokenOwner:
        guard let token = input.token else { preconditionFailure() }
        ids = [alone.first { $0.value.tokens[token] != nil }?.key ?? HandsetID(1)]
      case .all: ids = alone.keys.sorted()
      case .broadcast: preconditionFailure()
      case .due:
        ids = alone.filter { _, handset in (handset.wakeAt(after: now)?.timeLeft(at: now) ?? .seconds(1)) <= .zero }
          .keys.sorted()
      }
      var verdict = Verdict.accepted
      for id in ids {
        guard let turn = alone[id]?.handle(input, at: now) else { preconditionFailure() }
        if ids.count == 1 { verdict = turn.verdict }
        for event in turn.events { lines[id, default: []].append(EventReport(event).line) }
      }
      switch recipient {
      case .handset, .tokenOwner: return verdict
      case .all, .due, .broadcast: return .accepted
      }
    }

    func expectTheSame(_ comment: Comment) async throws {
      await host.isAtHand()
      let now = clock.now()
      #expect(published.lines.withLock(\.self) == lines, comment)
      for (id, handset) in alone {
        let (same, presentation) = await host.host.read(id) { known, _, _, now in
          (known == handset, known.presentation(at: now))
        }
        #expect(same, "\(comment), handset \(id)")
        #expect(presentation == handset.presentation(at: now), "\(comment), handset \(id)")
      }
      let earliest = alone.values.compactMap { $0.wakeAt(after: now) }
      let asked = await host.host.wakeAt()
      #expect(asked?.uptime == earliest.compactMap(\.uptime).min(), comment)
      #expect(asked?.wall == earliest.compactMap(\.wall).min(), comment)
    }
  }

  @Test(
    "Random inputs, tokens and handsets: each handset is as it would be alone", arguments: 1...4 as ClosedRange<UInt64>)
  func nothingCrosses(seed: UInt64) async throws {
    var random = SplitMix64(state: seed)
    let folder = try Folder()
    let clock = SteppedClock()
    let ids = (1...5).map { HandsetID($0) }
    var number: UInt64 = 0
    for life in 1...3 {
      var pair = try Pair(in: folder, ids: ids, clock: clock)
      try await pair.take([(.start(.daemon), .all)])
      for round in 1...40 {
        var inputs: [(Input, InputQueue.Recipient)] = []
        for _ in 1...Int.random(in: 1...12, using: &random) {
          number += 1
          inputs.append(input(number, of: ids, pair.alone, using: &random))
        }
        try await pair.take(inputs)
        clock.move(by: .seconds(Int.random(in: 0...40, using: &random)))
        try await pair.take([(.wake, .due)])
        try await pair.expectTheSame("seed \(seed), life \(life), round \(round)")
      }
      await pair.host.stop()
    }
  }

  /// Returns a random input for one of the handsets.
  private func input(
    _ number: UInt64, of ids: [HandsetID], _ handsets: [HandsetID: Handset], using random: inout SplitMix64
  ) -> (Input, InputQueue.Recipient) {
    let id = ids.randomElement(using: &random)!
    let app = apps.randomElement(using: &random)!
    let fresh = DeviceToken(
      bytes: withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 7, count: 24))!
    switch Int.random(in: 0..<20, using: &random) {
    case 0...1: return (.install(AppManifest(id: app, name: "App"), token: fresh), .handset(id))
    case 2...3: return (.register(app, .all, token: fresh), .handset(id))
    case 4: return (.unregister(app), .handset(id))
    case 5: return (.uninstall(app), .handset(id))
    case 6: return (.setCondition(.offline, Bool.random(using: &random)), .handset(id))
    case 7: return (.clearCenter, .handset(id))
    case 8: return (.lifecycle(app, .launch), .handset(id))
    case 10: return (.forward, .handset(id))
    case 9:
      let request = LocalNotification(
        app: app, identifier: "tea", push: PushID(high: 1, low: number),
        trigger: .interval(.seconds(Int.random(in: 1...60, using: &random)), repeats: false), badge: .number(1))
      return (.schedule(request), .handset(id))
    default:
      // The token of any handset, valid or gone, or an unknown one.
      let tokens = handsets.values.flatMap(\.tokens.keys).sorted { $0.hex < $1.hex } + [fresh]
      let push = Push(
        id: PushID(high: 0, low: number), token: tokens.randomElement(using: &random)!, topic: app,
        message: Message(body: .literal("Letter \(number)")), badge: .number(Int(number % 9)), sound: .system,
        expiration: .at(WallTime(seconds: 1_900_000_000)))
      return (number % 4 == 0 ? .keep(push) : .push(push), .tokenOwner)
    }
  }

  @Test("A handset that leaves the list answers no push, and comes back with all that it had")
  func leavesAndComesBack() async throws {
    let folder = try Folder()
    let clock = SteppedClock()
    func push(_ number: UInt64) -> Input {
      .push(
        Push(
          id: PushID(high: 0, low: number), token: token(7), topic: apps[0], message: Message(body: .literal("Letter")))
      )
    }
    func names(_ names: [String]) throws -> [HandsetID] {
      try HandsetStore(directory: folder.state).handsets(named: names, makeDevice: DeviceID.random).listed.map(\.id)
    }
    var verdicts: [Verdict] = []
    for listed in [["1", "hall"], ["1"], ["hall", "1"]] {
      let ids = try names(listed)
      let store = try HandsetStore(directory: folder.state)
      let handsets = try ids.map { LoadedHandset(id: $0, contents: try store.load(handset: $0).contents) }
      let host = try TestHost(store: store, handsets: handsets, clock: clock)
      if verdicts.isEmpty { await host.install(apps[0], token: token(7), on: HandsetID(2)) }
      guard case .stored(let verdict) = await host.queue.submit(push(UInt64(verdicts.count)), to: .tokenOwner) else {
        Issue.record("not stored")
        return
      }
      verdicts.append(verdict)
      if ids.contains(HandsetID(2)) {
        let count = await host.host.read(HandsetID(2)) { handset, _, _, _ in handset.listedCount(of: apps[0]) }
        #expect(count == (ids.first == .first ? 1 : 2))
      }
      await host.stop()
    }
    #expect(verdicts == [.accepted, .refused(.badDeviceToken), .accepted])
  }

  @Test("A token that was unknown to the last push goes to the handset that has it now")
  func tokenFindsItsHandset() async throws {
    let folder = try Folder()
    let host = try TestHost(
      store: HandsetStore(directory: folder.state),
      handsets: (1...2).map { LoadedHandset(id: HandsetID($0), contents: Handset.Contents()) }, clock: SteppedClock())
    func push(_ number: UInt64) async -> Input.Outcome {
      let message = Message(body: .literal("Letter"))
      let push = Push(id: PushID(high: 0, low: number), token: token(7), topic: apps[0], message: message)
      return await host.queue.submit(.push(push), to: .tokenOwner)
    }
    #expect(await push(1) == .stored(.refused(.badDeviceToken)))
    await host.install(apps[0], token: token(7), on: HandsetID(2))
    #expect(await push(2) == .stored(.accepted))
    #expect(await push(3) == .stored(.accepted))
    #expect(await host.host.read(HandsetID(2)) { handset, _, _, _ in handset.listedCount(of: apps[0]) } == 2)
    await host.stop()
  }

  @Test("Where the wall clock is set, every handset with something scheduled finds out at the next wake")
  func wallClock() async throws {
    let folder = try Folder()
    let clock = SteppedClock()
    let ids = (1...3).map { HandsetID($0) }
    let host = try TestHost(
      store: HandsetStore(directory: folder.state),
      handsets: ids.map { LoadedHandset(id: $0, contents: Handset.Contents()) }, clock: clock)
    for id in ids {
      await host.install(apps[0], token: token(UInt8(id.number)), on: id)
      let tea = LocalNotification(
        app: apps[0], identifier: "tea", push: PushID(high: 0, low: UInt64(id.number)),
        trigger: .interval(.seconds(100), repeats: false), badge: .number(1))
      _ = await host.submit(.schedule(tea), to: id)
    }
    func skews() async -> [Duration?] {
      var skews: [Duration?] = []
      for id in ids { skews.append(await host.host.read(id) { handset, _, _, _ in handset.contents.clockSkew }) }
      return skews
    }
    let skew = try #require(await skews()[0])
    #expect(await skews() == [skew, skew, skew])
    // A smaller step is the adjustment of a running clock.
    clock.moment.withLock { $0.wall = $0.wall.advanced(by: Policy.wallClockStep - .microseconds(1)) }
    _ = await host.queue.submit(.wake, to: .due)
    #expect(await skews() == [skew, skew, skew])
    clock.moment.withLock { $0.wall = $0.wall.advanced(by: .microseconds(1)) }
    _ = await host.queue.submit(.wake, to: .due)
    let later = skew + Policy.wallClockStep
    #expect(await skews() == [later, later, later])
    await host.stop()
  }
}

private func token(_ byte: UInt8) -> DeviceToken { DeviceToken(bytes: [UInt8](repeating: byte, count: 32))! }

extension TestHost {
  func install(_ app: AppID, token: DeviceToken, on handset: HandsetID) async {
    for input in [Input.install(AppManifest(id: app, name: "App"), token: token), .register(app, .all, token: token)] {
      _ = await submit(input, to: handset)
    }
  }
}
