// The delivery of pushes to apps. An app is another author's program: it must not damage the daemon, the other apps or
// the machine's tables of processes and descriptors.

import CChildProcess
import Glibc
import HandsetCore
import SystemThreads
import UnixSockets

/// The runner of apps' programs and owner of their connections, on one thread that sleeps while there is nothing to do.
///
/// No call waits: requests are carried out on the link's thread, in order, and each result is an `AppEvent`.
public final class AppLink: Sendable {
  /// The stack size, enough for the decoder of a deeply nested payload.
  private static let stackBytes = 1024 * 1024
  /// The connections that the kernel holds until they are accepted.
  private static let backlog: CInt = 64
  /// The default mode: apps run as the daemon's user, and no other user may connect unless the installation permits it.
  public static let defaultSocketMode: mode_t = 0o600

  private let path: String
  private let mode: mode_t
  private let requests: LinkRequests
  /// Makes the state of the thread.
  private let loop: @Sendable (ListeningUnixSocket) -> LinkLoop

  /// - Parameters:
  ///   - path: the path of the Unix socket for apps, at most `AppLinkLimits.socketPathBytes` bytes.
  ///   - mode: permission bits of the socket's file.
  ///   - handsets: the handsets of the apps: apps and programs use their names.
  ///   - requests: the requests of this link only. Those submitted before `start` are carried out then.
  ///   - emit: called with each event on the link's thread. Must not block, because the link waits until it returns.
  ///   - log: called with lines for the log, each naming its app, on the link's thread.
  public init(
    socket path: String, mode: mode_t = AppLink.defaultSocketMode, handsets: HandsetNames,
    limits: AppLinkLimits = AppLinkLimits(), requests: LinkRequests, emit: @escaping @Sendable (AppEvent) -> Void,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.mode = mode
    self.requests = requests
    loop = { LinkLoop(requests: requests, file: $0, handsets: handsets, limits: limits, emit: emit, log: log) }
  }

  deinit {
    requests.submit(.shutDown(nil))
  }

  /// Kills the processes that programs leave behind when they end, in any session, from now on. For the daemon's own
  /// process: all its other children must be programs and decoders.
  /// - Throws: `AppLinkError` if the kernel refuses it. Programs' process groups are killed in any case.
  public static func adoptOrphans() throws(AppLinkError) {
    let code = child_process_adopt_orphans()
    guard code == 0 else {
      throw AppLinkError("processes that programs leave behind go on running: \(errorText(code)); end them by hand")
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

  /// Creates the socket and starts the thread; called once.
  /// - Throws: `AppLinkError`; nothing is left behind.
  public func start() throws(AppLinkError) {
    var file: ListeningUnixSocket?
    do {
      let socket = try ListeningUnixSocket(path: path, mode: mode, backlog: AppLink.backlog)
      file = socket
      let thread = try SystemThread(named: "app link", stackBytes: AppLink.stackBytes) { [loop] in
        loop(socket).run()
      }
      thread.detach()
    } catch {
      file?.close()
      throw (error as? UnixSocketError).map { AppLinkError("apps' socket \($0.path): \($0.reason); \($0.hint)") }
        ?? AppLinkError("app link: no thread is left: \(error); allow the daemon more of them")
    }
  }

  /// Permits the app to connect from now on, and sets its programs.
  public func install(_ app: AppAddress, programs: AppPrograms) { requests.submit(.install(app, programs)) }

  /// Ends the programs and the connection of an uninstalled app.
  public func uninstall(_ app: AppAddress) { requests.submit(.uninstall(app)) }

  /// Delivers a push to an app: through its connection if it listens, else through its background program. If the app
  /// has just been launched, the push waits until it connects. An app recognizes a repetition by the push's identifier.
  /// - Parameter payload: the payload as the provider sent it: a JSON object.
  public func deliver(_ delivery: Delivery, payload: [UInt8], on handset: HandsetID) {
    requests.submit(.deliver(AppAddress(delivery.app, on: handset), delivery, payload: payload))
  }

  /// Opens the app for the person: runs its launch program, or notifies its connection.
  /// - Parameters:
  ///   - response: the opening of a notification (rule N14); nil for the app itself.
  ///   - payload: the payload of its push, as in `deliver`; nil if it is lost.
  public func launch(_ app: AppAddress, by response: NotificationResponse? = nil, payload: [UInt8]? = nil) {
    requests.submit(.launch(app, by: response, payload: payload))
  }

  /// Sends the notifications in Notification Center to their connected app.
  /// - Parameter notifications: newest first; as many are sent as fit into a line of `AppLinkLimits.payloadBytes`.
  public func sendDelivered(_ app: AppAddress, _ notifications: [DeliveredNotification]) {
    requests.submit(.sendDelivered(app, notifications))
  }

  /// Reports to a connected app that it left the foreground.
  public func leftForeground(_ app: AppAddress) { requests.submit(.leftForeground(app)) }

  /// Stops an app, as `LinkRequests.stop` does.
  public func stop(_ app: AppAddress) { requests.stop(app) }

  /// Waits until no push is in a background program or waits for one.
  public func waitForPrograms() async {
    await withCheckedContinuation { requests.submit(.wait($0)) }
  }

  /// Stops every program, closes every connection, ends the thread and waits for all of it. That takes at most
  /// `AppLinkLimits.grace`, if a program ignores SIGTERM.
  public func shutDown() async {
    await withCheckedContinuation { requests.submit(.shutDown($0)) }
  }
}

/// An error that keeps the link from starting. Nothing is left behind.
public struct AppLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

func errorText(_ code: CInt) -> String { SystemError(code: code).reason }
