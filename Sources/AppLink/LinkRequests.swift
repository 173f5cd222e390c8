// The queue in front of the link's thread. It is made before the link, so that the receiver of the link's events can
// have an app stopped. Submitting never waits.

import HandsetCore
import Synchronization
import SystemThreads

/// Requests on their way to the link's thread.
public final class LinkRequests: Sendable {
  enum Request: Sendable {
    case install(AppAddress, AppHooks)
    case uninstall(AppAddress)
    case deliver(AppDelivery)
    case launch(AppAddress, AppOpening?)
    case tellDelivered(AppAddress, [DeliveredNotification])
    case leftForeground(AppAddress)
    case stop(AppAddress)
    /// To be resumed once no push is with a hook.
    case wait(CheckedContinuation<Void, Never>)
    /// To be resumed once nothing of the link is left.
    case shutDown(CheckedContinuation<Void, Never>?)
  }

  private struct State {
    var requests: [Request] = []
    /// Whether a thread takes the requests.
    var isServed = false
    var isClosed = false
  }

  let bell: Doorbell
  private let state = Mutex(State())

  /// - Throws: `AppLinkError` where the process has no descriptor left.
  public init() throws(AppLinkError) {
    do throws(SystemError) {
      bell = try Doorbell()
    } catch {
      throw AppLinkError("app link: no descriptor is left: \(error); allow the daemon more files")
    }
  }

  /// Ends what the daemon runs of an app, and its connection: SIGTERM first, SIGKILL after `AppLinkLimits.grace`. Its
  /// open deliveries are not reported any more.
  public func stop(_ app: AppAddress) { submit(.stop(app)) }

  func submit(_ request: Request) {
    let isLate = state.withLock { state in
      if state.isClosed { return true }
      // Without a thread there are no hooks to wait for, and nothing to shut down but the queue.
      switch request {
      case .wait where !state.isServed: return true
      case .shutDown where !state.isServed:
        state.isClosed = true
        state.requests = []
        return true
      default: break
      }
      state.requests.append(request)
      return false
    }
    if isLate { LinkRequests.complete(request) } else { bell.ring() }
  }

  /// A thread takes requests from now on. False where the queue is closed or has a thread.
  func beginServing() -> Bool {
    state.withLock { state in
      guard !state.isClosed, !state.isServed else { return false }
      state.isServed = true
      return true
    }
  }

  /// The thread could not be started after all.
  func endServing() {
    state.withLock { $0.isServed = false }
  }

  func take() -> [Request] {
    bell.clear()
    return state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  /// Completes the requests that were not taken, and every later one: nothing of the link is left.
  func close() {
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.requests = [] }
      return state.requests
    }
    for request in rest { LinkRequests.complete(request) }
  }

  private static func complete(_ request: Request) {
    switch request {
    case .wait(let continuation): continuation.resume()
    case .shutDown(let continuation): continuation?.resume()
    case .install, .uninstall, .deliver, .tellDelivered, .leftForeground, .launch, .stop: break
    }
  }
}
