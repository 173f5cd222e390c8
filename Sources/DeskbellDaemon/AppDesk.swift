// Between the handset and the apps: what it gives them goes to the link, and what becomes of it comes back as inputs.

import AppLink
import HandsetCore
import Logging
import NIOCore

/// The apps' processes, as the daemon sees them.
final class AppDesk: AppLinkEvents {
  private let host: Host
  private let eventLoop: any EventLoop
  private let logger: Logger
  private let stopsApp: @Sendable (AppID) -> Void

  /// - Parameter stopsApp: ends what the app runs, or its connection.
  init(host: Host, eventLoop: any EventLoop, logger: Logger, stopsApp: @escaping @Sendable (AppID) -> Void) {
    self.host = host
    self.eventLoop = eventLoop
    self.logger = logger
    self.stopsApp = stopsApp
  }

  func listening(_ app: AppID, _ state: Lifecycle) {
    host.submit(.listening(app, state)) { [stopsApp] outcome in
      // A force-quit app is not revived by its own hand (rule U5); one whose coming could not be stored may try again.
      if case .stored(.accepted) = outcome { return }
      stopsApp(app)
    }
  }

  func presenting(_ app: AppID, _ kinds: NotificationKinds) { submit(.setForegroundPresentation(app, kinds)) }

  func disconnected(_ app: AppID) { submit(.disconnected(app)) }

  func completed(_ app: AppID, _ push: PushID, _ result: AppResult) {
    let result: DeliveryResult =
      switch result {
      case .newData: .newData
      case .noData: .noData
      case .failed: .failed
      }
    submit(.completed(app, push, result))
  }

  func failed(_ app: AppID, _ push: PushID, _ reason: String) { submit(.completed(app, push, .failed, reason: reason)) }

  func timedOut(_ app: AppID, _ push: PushID) { submit(.timedOut(app, push)) }

  func died(_ app: AppID, _ push: PushID?, _ how: String) {
    logger.notice("\(app): its process ended by \(how)")
    submit(.died(app))
  }

  /// What an app did cannot be asked for again, so it is handed in until it is stored.
  private func submit(_ input: Input) {
    host.submit(input) { [weak self] outcome in
      guard let self, case .failed = outcome else { return }
      eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in self?.submit(input) }
    }
  }
}
