import AppLink
import HandsetCore
import Host
import Logging
import NIOCore
import Synchronization

/// The receiver of the app link's events, which submits an input for each.
final class AppEventAdapter: Sendable {
  enum Limits {
    /// The inputs of one app that are not stored yet. An app that sends more over its connection loses the connection.
    static let pending = 64
  }

  private let queue: InputQueue
  private let link: AppLink
  private let handsets: HandsetNames
  private let eventLoop: any EventLoop
  private let logger: Logger

  /// The inputs of each app, in order. The host has the first input of each app: a later one must not be stored before
  /// it. Inputs marked `isRepeated` are submitted until they are stored: the app does not send them again.
  private let pending = Mutex<[AppAddress: [(input: Input, isRepeated: Bool)]]>([:])

  /// - Parameters:
  ///   - link: stops an app if the handset refuses its connection.
  ///   - eventLoop: times the pause before an input is submitted again.
  init(queue: InputQueue, link: AppLink, handsets: HandsetNames, eventLoop: any EventLoop, logger: Logger) {
    self.queue = queue
    self.link = link
    self.handsets = handsets
    self.eventLoop = eventLoop
    self.logger = logger
  }

  func handle(_ event: AppEvent) {
    switch event {
    // Submitted once: a force-quit app must not start itself (rule U5), and an app whose connection could not be stored
    // may connect again. Unless the change is accepted, the connection is closed.
    case .listening(let app, let state): submitIfRoom(.listening(app.app, state), of: app, isRepeated: false)
    case .presenting(let app, let kinds): submitIfRoom(.setForegroundPresentation(app.app, kinds), of: app)
    case .badge(let app, let number): submitIfRoom(.setBadge(app.app, number), of: app)
    case .listing(let app): submitIfRoom(.listDelivered(app.app), of: app)
    case .removing(let app, let numbers): submitIfRoom(.removeDelivered(app.app, numbers), of: app)
    case .disconnected(let app):
      let isKnown = pending.withLock { if case .disconnected = $0[app]?.last?.input { true } else { false } }
      if !isKnown { submit(.disconnected(app.app), of: app) }
    case .completed(let app, let push, let result): submit(.completed(app.app, push, result), of: app)
    case .failed(let app, let push, let reason): submit(.completed(app.app, push, .failed, reason: reason), of: app)
    case .timedOut(let app, let push): submit(.timedOut(app.app, push), of: app)
    case .died(let app, _, let how):
      logger.notice("\(handsets.label(app)): its process ended by \(how)")
      submit(.died(app.app), of: app)
    }
  }

  /// Stops the app instead if it has too many inputs; only delivery results are limited by themselves.
  private func submitIfRoom(_ input: Input, of app: AppAddress, isRepeated: Bool = true) {
    guard pending.withLock({ $0[app]?.count ?? 0 }) < Limits.pending else { return link.stop(app) }
    submit(input, of: app, isRepeated: isRepeated)
  }

  private func submit(_ input: Input, of app: AppAddress, isRepeated: Bool = true) {
    let isFirst = pending.withLock { pending in
      pending[app, default: []].append((input, isRepeated))
      return pending[app]?.count == 1
    }
    if isFirst { submitFirst(of: app) }
  }

  private func submitFirst(of app: AppAddress) {
    guard let first = pending.withLock({ $0[app]?.first }) else { return }
    queue.submit(first.input, to: .handset(app.handset)) { [self] outcome in
      if case .failed = outcome, first.isRepeated {
        eventLoop.scheduleTask(in: .seconds(1)) { [self] in submitFirst(of: app) }
        return
      }
      let isAccepted = if case .stored(.accepted) = outcome { true } else { false }
      if !isAccepted && !first.isRepeated { link.stop(app) }
      let goesOn = pending.withLock { pending in
        pending[app]?.removeFirst()
        if pending[app]?.isEmpty == true { pending[app] = nil }
        return pending[app] != nil
      }
      if goesOn { submitFirst(of: app) }
    }
  }
}
