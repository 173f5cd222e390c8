import AppLink
import Host
import WebCalls

/// The apps' folders, the link to their programs and connections, and the calls of their receivers.
struct InstalledApps: Sendable {
  let folders: AppFolders
  let link: AppLink
  let keys: AppKeys
  let calls: WebCaller
  private let events: AppEventAdapter

  init(_ runtime: Runtime, of stored: StoredState, queue: InputQueue) throws {
    let (configuration, names, logger) = (runtime.configuration, stored.handsets.names, runtime.outsideLogger)
    folders = AppFolders(state: configuration.state)
    link = try AppLink(
      socket: AppLink.socket(beside: configuration.controlSocket), mode: configuration.appsSocketMode, handsets: names
    ) { logger.notice("\($0)") }
    events = AppEventAdapter(
      queue: queue, link: link, handsets: names, eventLoop: runtime.eventLoops.next(), logger: logger)
    keys = stored.appKeys
    calls = WebCaller(runtime, names: names, keys: keys, queue: queue)
  }

  func start() throws { try link.start(emit: events.handle) }

  func stop() async {
    calls.shutDown()
    await link.shutDown()
  }
}
