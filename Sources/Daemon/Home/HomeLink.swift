// Home Assistant, through a broker. The state is published when it changes and again for every connection. Commands
// become inputs of the handset on the board, as if a person had acted, and their result is published.

import Board
import Clocks
import HandsetCore
import HandsetStore
import HomeAssistant
import Host
import Logging
import MQTTClient
import NIOCore
import Services
import Synchronization

/// The connection to Home Assistant: it publishes the state of the handset on the board, and performs commands.
final class HomeLink: Service {
  static let deviceName = "home assistant"

  enum Limits {
    /// The time between two messages of the same state.
    static let pause = TimeAmount.milliseconds(100)
    /// The least time between two starts of a ring's sound.
    static let ringPause = TimeAmount.seconds(1)
    /// The longest, random pause before announcing the device after a start of Home Assistant, as all devices do.
    static let longestAnnouncementPause: Int64 = 3_000
    /// The time that the end waits for the broker.
    static let farewell = TimeAmount.seconds(1)
  }

  private let inbox: HomeInbox
  private let client: MQTTClient
  private let topics: HomeTopics
  private let connection: HomeConnection
  private let board: BoardDescription?
  private let panel: PanelAccess
  private let access: HandsetAccess
  private let player: SpeakerSink
  private let runtime: Runtime
  private let commands: AsyncStream<MQTTMessage>
  private let ringing = Mutex<Ringing?>(nil)

  /// Returns the connection; nil if the settings name no broker, or it cannot be used. Everything else works without it.
  static func started(
    _ runtime: Runtime, _ handset: StoredHandset, board: BoardDescription?, host: RunningHost, player: SpeakerSink,
    panel: PanelAccess
  ) -> HomeLink? {
    guard let connection = runtime.configuration.home, let inbox = host.home else { return nil }
    let access = HandsetAccess(host: host.host, queue: host.queue, identity: handset)
    do {
      return try HomeLink(
        connection, inbox: inbox, board: board, panel: panel, access: access, player: player, runtime: runtime)
    } catch {
      runtime.logger.error("\(deviceName): \(error)")
      runtime.devices.set(deviceName, problem: "\(error)")
      return nil
    }
  }

  private init(
    _ connection: HomeConnection, inbox: HomeInbox, board: BoardDescription?, panel: PanelAccess,
    access: HandsetAccess, player: SpeakerSink, runtime: Runtime
  ) throws {
    let id = HomeLink.id(of: access)
    let topics = HomeTopics(device: id, base: connection.topic, discovery: connection.discovery)
    (self.connection, self.inbox, self.topics, self.board, self.panel) = (connection, inbox, topics, board, panel)
    (self.access, self.player, self.runtime) = (access, player, runtime)
    let broker = try connection.completeBroker()
    let (commands, command) = AsyncStream.makeStream(
      of: MQTTMessage.self, bufferingPolicy: .bufferingOldest(HomeInbox.Limits.commands))
    self.commands = commands
    let eventLoop = runtime.eventLoops.next()
    client = try MQTTClient(named: id, of: broker, will: topics.isThere(false)) { report in
      switch report {
      case .connected:
        runtime.logger.notice("\(HomeLink.deviceName): connected to \(broker)")
        runtime.devices.set(HomeLink.deviceName, problem: nil)
        inbox.setConnected(true)
      case .lost(let reason):
        inbox.setConnected(false)
        let problem = "\(broker): \(reason)"
        // Every attempt to connect again reports it.
        let known = runtime.devices.all.first { $0.name == HomeLink.deviceName }?.problem
        guard known != problem else { break }
        runtime.logger.warning("\(HomeLink.deviceName): \(problem)")
        runtime.devices.set(HomeLink.deviceName, problem: problem)
      case .received(let message) where message.topic == topics.homeStatus:
        guard message.payload == Array("online".utf8) else { break }
        eventLoop.scheduleTask(in: .milliseconds(.random(in: 0...Limits.longestAnnouncementPause))) {
          inbox.note { $0.mustAnnounce = true }
        }
      // A command that the broker has kept is out of date.
      case .received(let message) where !message.isRetained: command.yield(message)
      case .received: break
      }
    }
  }

  func run(until stop: StopRequest) async {
    do {
      try await HomeApp.install(access)
    } catch {
      runtime.logger.error("the app \(HomeApp.id) cannot be installed, so Home Assistant cannot ring: \(error)")
    }
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) { await self.publishChanges() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.performCommands() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.ringOn() }
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.runtime.devices.changes() { self.inbox.note { $0.stateChanged = true } }
      }
      await stop.wait()
      group.cancelAll()
    }
    await leave()
  }

  /// Publishes that the device is offline, as the broker would, but at once.
  private func leave() async {
    let end = runtime.eventLoops.next().makePromise(of: Void.self)
    let timer = end.futureResult.eventLoop.scheduleTask(in: Limits.farewell) { end.succeed() }
    Task(executorPreference: TaskThreads.shared) { [self] in
      await client.publish(topics.isThere(false))
      end.succeed()
    }
    try? await end.futureResult.get()
    timer.cancel()
    client.end()
  }

  // MARK: Publishing

  private static func id(of access: HandsetAccess) -> String { "deskbell-\(access.identity.device.hex.prefix(12))" }

  /// Returns the patterns of a lamp, and each in every colour if it has several.
  private static func effects(of lamp: BoardDescription.Lamp) -> [String] {
    let patterns = LampPattern.all.map(\.name)
    guard (lamp.driver as? DirectLamp)?.lineCount != 1 else { return patterns }
    return patterns + patterns.flatMap { pattern in LampColour.allCases.map { "\(pattern)-\($0.rawValue)" } }
  }

  private func device(_ focusModes: [String]) async -> HomeDevice {
    let panel = try? await panel.report()
    var device = HomeDevice(id: HomeLink.id(of: access), name: connection.name, version: Daemon.version)
    (device.board, device.lampEffects) = (board?.board, board?.lamp.map(HomeLink.effects) ?? [])
    device.panel = panel?.isOnNetwork == true ? panel?.url : nil
    device.sounds = ShippedSound.allCases.map(\.rawValue)
    device.focusModes = focusModes
    device.devices = runtime.devices.all.map(\.name).filter { $0 != HomeLink.deviceName }
    return device
  }

  private func publishChanges() async {
    var published: [String: [UInt8]] = [:]
    // The description of the device lists the Focus modes, so it is published again when they change.
    var announced: [String]?
    for await _ in inbox.signal.values {
      while let content = inbox.take() {
        let current = await state()
        let modes = current?.focusModes ?? announced ?? []
        if content.mustAnnounce || (announced != nil && announced != modes) {
          announced = modes
          client.subscribe(to: topics.commands)
          client.subscribe(to: topics.homeStatus)
          await client.publish(
            MQTTMessage(topic: topics.config, payload: await device(modes).discovery(topics), isRetained: true))
          await client.publish(topics.isThere(true))
        }
        if content.mustAnnounce || content.mustRepeat { published = [:] }
        if content.dropped > 0 {
          runtime.outsideLogger.warning(
            "\(HomeLink.deviceName): \(content.dropped) events were dropped: the broker is too slow")
        }
        for event in content.events {
          let (topic, payload) = event.message(topics)
          await client.publish(MQTTMessage(topic: topic, payload: payload))
        }
        guard let state = current else { continue }
        for (topic, payload) in state.payloads(topics) where published[topic] != payload {
          if await client.publish(MQTTMessage(topic: topic, payload: payload, isRetained: true)) {
            published[topic] = payload
          }
        }
        await pause(until: .now() + Limits.pause)
      }
    }
  }

  private func pause(until deadline: NIODeadline) async {
    try? await runtime.eventLoops.next().scheduleTask(deadline: deadline) {}.futureResult.get()
  }

  private func state() async -> HomeState? {
    let (sound, devices) = (inbox.sound, runtime.devices.all.filter { $0.name != HomeLink.deviceName })
    return try? await access.read { handset, _, _, now in
      let volume = (handset.apps[HomeApp.id]?.state.settings.volume).map { Double($0) / 100 }
      return HomeState(
        of: handset, at: now, sound: sound, volume: volume, devices: devices.map { ($0.name, $0.problem) })
    }
  }

  // MARK: Commands

  private func performCommands() async {
    for await message in commands {
      guard let name = topics.command(at: message.topic) else { continue }
      do {
        for verdict in try await perform(HomeCommand(name, message.payload)) {
          guard case .refused(let refusal) = verdict else { continue }
          runtime.outsideLogger.notice("\(HomeLink.deviceName): \(name.rawValue): \(refusal.explanation)")
        }
      } catch {
        runtime.outsideLogger.notice("\(HomeLink.deviceName): \(error)")
      }
      // Home Assistant may now show the state that it requested instead of the result.
      inbox.note { $0.mustRepeat = true }
    }
  }

  private func perform(_ command: HomeCommand) async throws -> [Verdict] {
    switch command {
    case .input(let input): [try await access.submit(input)]
    case .notify(let text):
      [try await access.submit(.push(HomeApp.push(text, sound: .system, now: runtime.clock.now().wall)))]
    case .silence: silence()
    case .ring(let tone, let volume, let duration): try await ring(tone, volume, for: duration)
    }
  }

  // MARK: Ringing

  /// A ring that continues: its sound is played again whenever it has ended.
  private typealias Ringing = (tone: String?, began: NIODeadline, until: NIODeadline)

  private func ring(_ tone: String?, _ volume: Double?, for duration: Duration?) async throws -> [Verdict] {
    var verdicts: [Verdict] = []
    if let volume {
      let percent = "\(Int((volume * 100).rounded()))%"
      verdicts.append(try await access.submit(.setAppSetting(HomeApp.id, .volume, percent)))
    }
    let now = NIODeadline.now()
    ringing.withLock { $0 = duration.map { (tone: tone, began: now, until: now + TimeAmount($0)) } }
    if duration == nil { inbox.setRing(nil) }
    return verdicts + [try await ring(tone, goesOn: duration != nil)]
  }

  private func ring(_ tone: String?, goesOn: Bool) async throws -> Verdict {
    let push = HomeApp.push(nil, sound: tone.map { .named($0) } ?? .system, now: runtime.clock.now().wall)
    // Set before the sound can end.
    if goesOn { inbox.setRing((push.id, tone ?? "default")) }
    return try await access.submit(.push(push))
  }

  private func ringOn() async {
    for await _ in inbox.endedRing.values {
      guard var next = ringing.withLock({ $0 }) else { continue }
      // If the output plays nothing, the sound ends at once.
      await pause(until: next.began + Limits.ringPause)
      next.began = .now()
      let goesOn = ringing.withLock { [next] ringing in
        // The ring may have been silenced or restarted meanwhile.
        guard ringing?.until == next.until else { return Bool?.none }
        ringing = next.began < next.until ? next : nil
        return ringing != nil
      }
      guard let goesOn else { continue }
      if goesOn { _ = try? await ring(next.tone, goesOn: true) } else { inbox.setRing(nil) }
    }
  }

  private func silence() -> [Verdict] {
    ringing.withLock { $0 = nil }
    inbox.setRing(nil)
    player.silence()
    return []
  }
}

extension HomeTopics {
  fileprivate func isThere(_ isThere: Bool) -> MQTTMessage {
    MQTTMessage(topic: availability, payload: Array((isThere ? "online" : "offline").utf8), isRetained: true)
  }
}
