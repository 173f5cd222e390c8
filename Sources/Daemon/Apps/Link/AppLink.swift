// The delivery of pushes to apps. An app is another author's program: it must not damage the daemon, the other apps or
// the machine's tables of processes and descriptors.

import CChildProcess
import Glibc
import HandsetCore
import Synchronization
import SystemThreads
import UnixSockets

/// The runner of apps' programs and owner of their connections, on one thread that sleeps while there is nothing to do.
///
/// No call waits: requests are carried out on the link's thread, in order, and each result is an input of the app's
/// handset. Each delivery ends in exactly one of `completed`, `timedOut` and `died`, with two exceptions: the handset
/// itself limits the time of a delivery to a listening app (`disconnected` ends the open ones), and a delivery that the
/// daemon ended (`stop`, `uninstall`, `shutDown`) is not reported.
public final class AppLink: Sendable {
  /// The stack size, enough for the decoder of a deeply nested payload.
  private static let stackBytes = 1024 * 1024
  private static let backlog: CInt = 64
  /// The default mode: apps run as the daemon's user, and no other user may connect unless the installation permits it.
  public static let defaultSocketMode: mode_t = 0o600

  /// A request to the link's thread; it gets nil once the link has ended.
  typealias Request = @Sendable (LinkLoop?) -> Void

  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  let path: String
  private let mode: mode_t
  let handsets: HandsetNames
  let limits: AppLinkLimits
  let log: @Sendable (String) -> Void
  let bell: Doorbell
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: the path of the Unix socket for apps, at most `AppLinkLimits.socketPathBytes` bytes.
  ///   - mode: permission bits of the socket's file.
  ///   - handsets: the handsets of the apps: apps and programs use their names.
  ///   - log: called with lines for the log, each naming its app, on the link's thread.
  /// - Throws: `AppLinkError` if the process has no descriptor left.
  public init(
    socket path: String, mode: mode_t = AppLink.defaultSocketMode, handsets: HandsetNames,
    limits: AppLinkLimits = AppLinkLimits(), log: @escaping @Sendable (String) -> Void
  ) throws(AppLinkError) {
    self.path = path
    self.mode = mode
    self.handsets = handsets
    self.limits = limits
    self.log = log
    do throws(SystemError) {
      bell = try Doorbell()
    } catch {
      throw AppLinkError("app link: no descriptor is left: \(error); allow the daemon more files")
    }
  }

  /// Kills the processes that programs leave behind when they end, in any session, from now on. For the daemon's own
  /// process: all its other children must be programs and decoders.
  /// - Throws: `AppLinkError` if the kernel refuses it. Programs' process groups are killed in any case.
  public static func adoptOrphans() throws(AppLinkError) {
    let code = child_process_adopt_orphans()
    guard code == 0 else {
      throw AppLinkError(
        "processes that programs leave behind go on running: \(SystemError(code: code).reason); end them by hand")
    }
  }

  /// Returns the path of the apps' socket: `apps.sock` beside `control.sock`, and `desk-apps.sock` beside `desk.sock`,
  /// so that two daemons may have their control sockets in one folder.
  public static func socket(beside control: String) -> String {
    let (folder, name) =
      control.lastIndex(of: "/").map { (control[...$0], control[control.index(after: $0)...]) }
      ?? ("", control[...])
    let stem = name.hasSuffix(".sock") ? name.dropLast(".sock".count) : name
    return stem == "control" ? "\(folder)apps.sock" : "\(folder)\(stem)-apps.sock"
  }

  /// Creates the socket and starts the thread, which runs until `shutDown`; called once. Earlier requests are carried
  /// out then.
  /// - Parameter emit: called with each input on the link's thread. Must not block, because the link waits until it
  ///   returns.
  /// - Throws: `AppLinkError`; nothing is left behind.
  public func start(emit: @escaping @Sendable (Input, AppAddress) -> Void) throws(AppLinkError) {
    var file: ListeningUnixSocket?
    do {
      let socket = try ListeningUnixSocket(path: path, mode: mode, backlog: AppLink.backlog)
      file = socket
      let thread = try SystemThread(named: "app link", stackBytes: AppLink.stackBytes) { [self] in
        LinkLoop(self, file: socket, emit: emit).run()
      }
      thread.detach()
    } catch {
      file?.close()
      throw (error as? ServerError).map { AppLinkError("apps' socket \($0.address): \($0.reason); \($0.hint)") }
        ?? AppLinkError("app link: no thread is left: \(error); allow the daemon more of them")
    }
  }

  public func install(_ app: AppAddress, programs: AppPrograms) { change { $0.install(app, programs) } }

  public func uninstall(_ app: AppAddress) { change { $0.uninstall(app) } }

  /// Delivers a push to an app: through its connection if it listens, else through its background program. If the app
  /// has just been launched, the push waits until it connects. An app recognizes a repetition by the push's identifier.
  /// - Parameter payload: the payload as the provider sent it: a JSON object.
  public func deliver(_ delivery: Delivery, payload: [UInt8], on handset: HandsetID) {
    change { $0.deliver(delivery, payload, to: AppAddress(delivery.app, on: handset)) }
  }

  /// Gives a push to the app's service extension. Its end is one `Input.extended`; a changed push has the answer's payload
  /// and nothing else, unless the app was uninstalled or the link shut down.
  public func extend(_ app: AppAddress, _ push: Push, attempt: Int) {
    change { $0.extend(push, attempt: attempt, of: app) }
  }

  /// Opens the app for the person: runs its launch program, or notifies its connection.
  /// - Parameters:
  ///   - response: the opening of a notification (rule N14); nil for the app itself.
  ///   - payload: the payload of its push, as in `deliver`; nil if it is lost.
  public func launch(_ app: AppAddress, by response: NotificationResponse? = nil, payload: [UInt8]? = nil) {
    change { $0.launch(app, by: response, payload) }
  }

  /// Sends the notifications in Notification Center to their connected app.
  /// - Parameter notifications: newest first; as many are sent as fit into a line of `AppLinkLimits.payloadBytes`.
  public func sendDelivered(_ app: AppAddress, _ notifications: [DeliveredNotification]) {
    change { [bytes = limits.payloadBytes] in $0.send(PushLine.delivered(notifications, bytes: bytes), to: app) }
  }

  public func leftForeground(_ app: AppAddress) { change { $0.send(PushLine.leftForeground, to: app) } }

  /// Ends an app's processes and its connection: SIGTERM first, SIGKILL after `AppLinkLimits.grace`. Its open
  /// deliveries are not reported.
  public func stop(_ app: AppAddress) { change { $0.stop(app) } }

  /// Waits until no push is in a background program or waits for one.
  public func waitForPrograms() async {
    await withCheckedContinuation { continuation in
      submit { loop in if let loop { loop.waiting.append(continuation) } else { continuation.resume() } }
    }
  }

  /// Stops every program, closes every connection, ends the thread and waits for all of it. That takes at most
  /// `AppLinkLimits.grace`, if a program ignores SIGTERM.
  public func shutDown() async {
    await withCheckedContinuation { continuation in
      submit { loop in if let loop { loop.shutDown(continuation) } else { continuation.resume() } }
    }
  }

  /// Submits a request that is void once the link ends.
  private func change(_ body: @escaping @Sendable (LinkLoop) -> Void) {
    submit { loop in if let loop, !loop.isEnding { body(loop) } }
  }

  private func submit(_ request: @escaping Request) {
    let isLate = state.withLock { state in
      if !state.isClosed { state.requests.append(request) }
      return state.isClosed
    }
    if isLate { request(nil) } else { bell.ring() }
  }

  func takeRequests() -> [Request] {
    bell.clear()
    return state.withLock { exchange(&$0.requests, with: []) }
  }

  /// Completes the requests that were not taken, and every later one, because the link has ended.
  func close() {
    state.withLock { $0.isClosed = true }
    for request in takeRequests() { request(nil) }
  }
}

/// The reason why the link, or a program, cannot be started, for the log. Nothing is left behind.
public struct AppLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}
