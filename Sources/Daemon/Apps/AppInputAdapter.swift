import AppLink
import HandsetCore
import Host
import NIOCore
import PushPort
import Synchronization

/// The receiver of the app link's inputs, which submits them to the host.
final class AppInputAdapter: Sendable {
  enum Limits {
    /// The inputs of one app that are not stored yet. An app that sends more over its connection loses the connection.
    static let pending = 64
  }

  private let queue: InputQueue
  private let link: AppLink
  private let eventLoop: any EventLoop

  /// The inputs of each app, in order. The host has the first input of each app: a later one must not be stored before
  /// it.
  private let pending = Mutex<[AppAddress: [Input]]>([:])

  init(queue: InputQueue, link: AppLink, eventLoop: any EventLoop) {
    self.queue = queue
    self.link = link
    self.eventLoop = eventLoop
  }

  func handle(_ given: Input, of app: AppAddress) {
    let input = AppInputAdapter.readAnswer(in: given)
    switch input {
    // Only delivery results are limited by themselves.
    case .listening, .setForegroundPresentation, .setBadge, .listDelivered, .removeDelivered:
      guard pending.withLock({ $0[app]?.count ?? 0 }) < Limits.pending else { return link.stop(app) }
    case .disconnected:
      let isKnown = pending.withLock { if case .disconnected = $0[app]?.last { true } else { false } }
      if isKnown { return }
    default: break
    }
    let isFirst = pending.withLock { pending in
      pending[app, default: []].append(input)
      return pending[app]?.count == 1
    }
    if isFirst { submitFirst(of: app) }
  }

  /// Returns the input with what a service extension's payload describes. A payload that is none is no answer.
  private static func readAnswer(in input: Input) -> Input {
    guard case .extended(let app, let id, .changed(let raw)) = input else { return input }
    do throws(BadStoredPush) {
      let changed = try Push(
        acceptedAs: id, token: nil, topic: app, type: .alert, priority: 10, expiration: .once, collapseID: nil,
        payload: raw.payload)
      return .extended(app, id, .changed(changed))
    } catch {
      return .extended(app, id, .failed("its answer is no payload: \(error.problem)"))
    }
  }

  /// Submits an input until it is stored, since the app does not send it again. `listening` is submitted once: a
  /// force-quit app must not start itself (rule U5), and an app whose connection could not be stored may connect again.
  /// Unless the change is accepted, the connection is closed.
  private func submitFirst(of app: AppAddress) {
    guard let first = pending.withLock({ $0[app]?.first }) else { return }
    let isOnce = if case .listening = first { true } else { false }
    queue.submit(first, to: .handset(app.handset)) { [self] outcome in
      if case .failed = outcome, !isOnce {
        eventLoop.scheduleTask(in: .seconds(1)) { [self] in submitFirst(of: app) }
        return
      }
      let isAccepted = if case .stored(.accepted) = outcome { true } else { false }
      if !isAccepted && isOnce { link.stop(app) }
      let goesOn = pending.withLock { pending in
        pending[app]?.removeFirst()
        if pending[app]?.isEmpty == true { pending[app] = nil }
        return pending[app] != nil
      }
      if goesOn { submitFirst(of: app) }
    }
  }
}
