// How an app gets its pushes. An app is somebody else's program: whatever it does, the daemon, the other apps and the
// machine's tables of processes and descriptors stay as they were.

import Glibc
import HandsetCore
import Synchronization
import SystemThreads

/// Runs apps' hooks and keeps their connections, on one thread that sleeps while there is nothing to do.
///
/// No call waits: what is asked is done on the link's thread, in order, and what comes of it is told to the
/// `AppLinkEvents`.
public final class AppLink: Sendable {
  /// Room for the decoder of a deeply nested payload.
  private static let stackBytes = 1024 * 1024
  /// Apps run as the daemon's user: nobody else is to speak for them unless the installation says so.
  public static let defaultSocketMode: mode_t = 0o600

  private let path: String?
  private let mode: mode_t
  private let limits: AppLinkLimits
  private let events: any AppLinkEvents
  private let log: @Sendable (String) -> Void
  private let desk: LinkDesk

  /// - Parameters:
  ///   - path: of the Unix socket at which apps listen, at most `AppLinkLimits.socketPathBytes` bytes; nil for hooks
  ///     alone.
  ///   - mode: permission bits of the socket's file.
  ///   - log: given lines for the log, each naming its app, on the link's thread.
  /// - Throws: `AppLinkError` where the process has no descriptor left.
  public init(
    socket path: String?, mode: mode_t = AppLink.defaultSocketMode, limits: AppLinkLimits = AppLinkLimits(),
    events: any AppLinkEvents, log: @escaping @Sendable (String) -> Void
  ) throws(AppLinkError) {
    self.path = path
    self.mode = mode
    self.limits = limits
    self.events = events
    self.log = log
    desk = try LinkDesk()
  }

  deinit {
    desk.put(.shutDown(nil))
  }

  /// Makes the socket and starts the thread. What was asked before is done now. A second call does nothing.
  /// - Throws: `AppLinkError`; nothing was left behind, and it may be tried again.
  public func start() throws(AppLinkError) {
    guard desk.attend() else { return }
    var file: AppSocketFile?
    do throws(AppLinkError) {
      if let path { file = try AppSocketFile(path: path, mode: mode) }
      try startThread(file)
    } catch {
      file?.remove()
      desk.leave()
      throw error
    }
  }

  /// There is such an app: it may connect, and its hooks are these from now on.
  public func install(_ app: AppID, hooks: AppHooks) { desk.put(.install(app, hooks)) }

  /// There is no such app any more: what runs of it is stopped.
  public func uninstall(_ app: AppID) { desk.put(.uninstall(app)) }

  /// Gives a push to an app: through its connection where it listens, else through its background hook. For an app
  /// that has only been launched it waits until the app connects.
  public func deliver(_ delivery: AppDelivery) { desk.put(.deliver(delivery)) }

  /// The person opens the app: its launch hook runs, or it is told where it listens.
  public func launch(_ app: AppID) { desk.put(.launch(app)) }

  /// Ends what runs of an app by our own hand: first politely, then not. Of its deliveries nothing more is told.
  public func stop(_ app: AppID) { desk.put(.stop(app)) }

  /// Returns once no push is with a background hook, or waits for one.
  public func waitForHooks() async {
    await withCheckedContinuation { desk.put(.wait($0)) }
  }

  /// Stops every hook, closes every connection and ends the thread. Returns once all of it is gone: after
  /// `AppLinkLimits.grace` at the latest, where a hook does not heed SIGTERM.
  public func shutDown() async {
    await withCheckedContinuation { desk.put(.shutDown($0)) }
  }

  private func startThread(_ file: AppSocketFile?) throws(AppLinkError) {
    do throws(SystemError) {
      let thread = try SystemThread(named: "app link", stackBytes: AppLink.stackBytes) { [desk, limits, events, log] in
        LinkLoop(desk: desk, file: file, limits: limits, events: events, log: log).run()
      }
      thread.detach()
    } catch {
      throw AppLinkError("app link: no thread is left: \(error); allow the daemon more of them")
    }
  }
}
