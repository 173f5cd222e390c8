// What apps do, and what becomes of the pushes that they are given, comes back as inputs.

import AppLink
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// Submits what the app link reports of one handset's apps.
final class AppEventAdapter: AppLinkEvents {
  private let queue: InputQueue
  private let handset: HandsetID
  private let stopsApp: @Sendable (AppID) -> Void
  private let eventLoop: any EventLoop
  private let logger: Logger

  private struct Pending: Sendable {
    var input: Input
    /// Whether it is submitted again until it is stored: what an app did cannot be asked for a second time.
    var isRepeated: Bool
  }

  /// What each app did, in order. The first of each is with the host: a later one must not be stored before it.
  private let pending = Mutex<[AppID: [Pending]]>([:])

  /// - Parameters:
  ///   - eventLoop: times the next try where the store fails.
  ///   - stopsApp: ends what the app runs, or its connection.
  init(
    queue: InputQueue, handset: HandsetID, eventLoop: any EventLoop, logger: Logger,
    stopsApp: @escaping @Sendable (AppID) -> Void
  ) {
    self.queue = queue
    self.handset = handset
    self.stopsApp = stopsApp
    self.eventLoop = eventLoop
    self.logger = logger
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
    queue.submit(first.input, to: .handset(handset)) { [self] outcome in
      if case .failed = outcome, first.isRepeated {
        eventLoop.scheduleTask(in: .seconds(1)) { [self] in submitFirst(of: app) }
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
