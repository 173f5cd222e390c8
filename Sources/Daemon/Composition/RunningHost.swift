import FleetDesk
import FleetMember
import HandsetStore
import Host
import InputRecording

/// The host with its queue, and the sinks that other parts use.
struct RunningHost: Sendable {
  /// A desk of a fleet, and the sink from which it is published.
  struct Desk: Sendable {
    let member: FleetSettings.Member
    let handsets: [StoredHandset]
    let inbox: FleetInbox
  }

  let host: Host
  let queue: InputQueue
  let events: EventStreamSink
  let metrics: MetricsSink
  /// The changes for Home Assistant; nil if the settings name no broker.
  let home: HomeInbox?
  let desks: [Desk]

  /// Starts the host and the apps' link. The order matters: apps' folders are complete before the link starts, and the
  /// link runs before the start launches apps. The host reads the notifications while the other parts start.
  init(
    _ runtime: Runtime, _ stored: StoredState, store: sending HandsetStore, queue: InputQueue, events: EventStreamSink,
    devices: Devices, apps: InstalledApps
  ) throws {
    let (configuration, handsets, logger) = (runtime.configuration, stored.handsets, runtime.logger)
    (self.queue, self.events) = (queue, events)
    metrics = MetricsSink(stored.loaded)
    home = configuration.home.map { _ in HomeInbox(handset: handsets.board.id) }
    desks =
      try configuration.fleet?.desks.map { member in
        let own = try handsets.of(member)
        let names = Dictionary(own.map { ($0.id, $0.name) }) { name, _ in name }
        return Desk(member: member, handsets: own, inbox: FleetInbox(desk: member.name, handsets: names))
      } ?? []
    let eventLoops = runtime.eventLoops
    let waker = Waker(eventLoop: eventLoops.next(), clock: runtime.clock, alarms: runtime.alarms) { queue.wake() }
    var sinks: [any CommitSink] = [
      devices.boardSink, devices.speakerSink, AppLinkSink(link: apps.link), TokenMint(queue: queue), events,
      WebCallSink(caller: apps.calls), metrics, stored.channels,
    ]
    if let home { sinks.append(home) }
    if let bench = runtime.bench { sinks.append(bench) }
    sinks += desks.map { $0.inbox as any CommitSink }
    sinks.append(IdleMemory(eventLoop: eventLoops.next()))
    let outputs = HostOutputs(
      sinks, recorder: try InputRecorder.opened(by: configuration, for: stored.loaded, logger: logger),
      speakerIsLost: { [speaker = devices.speaker] in speaker.isLost })
    host = Host(
      HostHandsets(
        stored.loaded, board: handsets.board.id,
        start: HostStart(stored.start) { stored.handsets.report($1, of: $0, logger: logger) }),
      store: store, queue: queue, waker: waker, outputs: outputs, devices: runtime.devices, logger: logger)
    // A missing sound card is reported as an event, so the host must take inputs.
    devices.speaker.checkDevice()
    apps.folders.install(stored.loaded, into: apps.link)
    try apps.start()
    for handset in stored.loaded { for call in handset.contents.calls { apps.calls.add(call, of: handset.id) } }
    Task(executorPreference: host.executor) { [host] in await host.begin() }
  }
}
