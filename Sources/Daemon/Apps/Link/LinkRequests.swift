// The queue in front of the link's thread. It is created before the link, so that the receiver of the link's events can
// stop apps. Submitting never waits.

import HandsetCore
import Synchronization
import SystemThreads

/// The requests in transit to the link's thread.
public final class LinkRequests: Sendable {
  enum Request: Sendable {
    case install(AppAddress, AppPrograms)
    case uninstall(AppAddress)
    case deliver(AppAddress, Delivery, payload: [UInt8])
    case launch(AppAddress, by: NotificationResponse?, payload: [UInt8]?)
    case sendDelivered(AppAddress, [DeliveredNotification])
    case leftForeground(AppAddress)
    case stop(AppAddress)
    /// Resume the continuation once no push is in a program.
    case wait(CheckedContinuation<Void, Never>)
    /// Resume the continuation once the link has ended.
    case shutDown(CheckedContinuation<Void, Never>?)
  }

  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  let bell: Doorbell
  private let state = Mutex(State())

  /// - Throws: `AppLinkError` if the process has no descriptor left.
  public init() throws(AppLinkError) {
    do throws(SystemError) {
      bell = try Doorbell()
    } catch {
      throw AppLinkError("app link: no descriptor is left: \(error); allow the daemon more files")
    }
  }

  /// Ends an app's processes and its connection: SIGTERM first, SIGKILL after `AppLinkLimits.grace`. Its open
  /// deliveries are not reported.
  public func stop(_ app: AppAddress) { submit(.stop(app)) }

  func submit(_ request: Request) {
    let isLate = state.withLock { state in
      if !state.isClosed { state.requests.append(request) }
      return state.isClosed
    }
    if isLate { LinkRequests.complete(request) } else { bell.ring() }
  }

  func take() -> [Request] {
    bell.clear()
    return state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  /// Completes the requests that were not taken, and every later one, because the link has ended.
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
    case .install, .uninstall, .deliver, .sendDelivered, .leftForeground, .launch, .stop: break
    }
  }
}
