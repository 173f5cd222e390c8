import AppLink
import Host
import WebCalls

/// The apps' folders, the link to their programs and connections, and the calls of their receivers.
struct InstalledApps: Sendable {
  let folders: AppFolders
  let link: AppLink
  let keys: AppKeys
  let calls: WebCaller

  init(_ runtime: Runtime, of stored: StoredState, queue: InputQueue) throws {
    let (configuration, names, logger) = (runtime.configuration, stored.handsets.names, runtime.outsideLogger)
    folders = AppFolders(state: configuration.state)
    let requests = try LinkRequests()
    link = AppLink(
      socket: AppLink.socket(beside: configuration.controlSocket), mode: configuration.appsSocketMode, handsets: names,
      requests: requests,
      emit: AppEventAdapter(
        queue: queue, link: requests, handsets: names, eventLoop: runtime.eventLoops.next(), logger: logger
      ).handle
    ) { logger.notice("\($0)") }
    keys = stored.appKeys
    calls = WebCaller(runtime, names: names, keys: keys, queue: queue)
  }

  func stop() async {
    calls.shutDown()
    await link.shutDown()
  }
}
