// Between the handset and the apps: what it gives them goes to the link, and what becomes of it comes back as inputs.

import AppLink
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// The apps' processes, as the daemon sees them.
final class AppDesk: AppLinkEvents {
  private let host: Host
  private let eventLoop: any EventLoop
  private let logger: Logger
  private let stopsApp: @Sendable (AppID) -> Void

  private struct Pending: Sendable {
    var input: Input
    /// Whether it is submitted again until it is stored: what an app did cannot be asked for a second time.
    var isRepeated: Bool
  }

  /// What each app did, in order. The first of each is with the host: a later one must not be stored before it.
  private let pending = Mutex<[AppID: [Pending]]>([:])

  /// - Parameter stopsApp: ends what the app runs, or its connection.
  init(host: Host, eventLoop: any EventLoop, logger: Logger, stopsApp: @escaping @Sendable (AppID) -> Void) {
    self.host = host
    self.eventLoop = eventLoop
    self.logger = logger
    self.stopsApp = stopsApp
  }

  /// A force-quit app is not revived by its own hand (rule U5), and one whose coming could not be stored may try again:
  /// its connection ends.
  func listening(_ app: AppID, _ state: Lifecycle) { submit(.listening(app, state), of: app, isRepeated: false) }

  func presenting(_ app: AppID, _ kinds: NotificationKinds) { submit(.setForegroundPresentation(app, kinds), of: app) }

  func disconnected(_ app: AppID) { submit(.disconnected(app), of: app) }

  func completed(_ app: AppID, _ push: PushID, _ result: AppResult) {
    let result: DeliveryResult =
      switch result {
      case .newData: .newData
      case .noData: .noData
      case .failed: .failed
      }
    submit(.completed(app, push, result), of: app)
  }

  func failed(_ app: AppID, _ push: PushID, _ reason: String) {
    submit(.completed(app, push, .failed, reason: reason), of: app)
  }

  func timedOut(_ app: AppID, _ push: PushID) { submit(.timedOut(app, push), of: app) }

  func died(_ app: AppID, _ push: PushID?, _ how: String) {
    logger.notice("\(app): its process ended by \(how)")
    submit(.died(app), of: app)
  }

  private func submit(_ input: Input, of app: AppID, isRepeated: Bool = true) {
    let isFirst = pending.withLock { pending in
      pending[app, default: []].append(Pending(input: input, isRepeated: isRepeated))
      return pending[app]?.count == 1
    }
    if isFirst { submitFirst(of: app) }
  }

  private func submitFirst(of app: AppID) {
    guard let first = pending.withLock({ $0[app]?.first }) else { return }
    host.submit(first.input) { [weak self] outcome in
      guard let self else { return }
      if case .failed = outcome, first.isRepeated {
        eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in self?.submitFirst(of: app) }
        return
      }
      let isAccepted = if case .stored(.accepted) = outcome { true } else { false }
      if !isAccepted && !first.isRepeated { stopsApp(app) }
      let goesOn = pending.withLock { pending in
        pending[app]?.removeFirst()
        if pending[app]?.isEmpty == true { pending[app] = nil }
        return pending[app] != nil
      }
      if goesOn { submitFirst(of: app) }
    }
  }
}
