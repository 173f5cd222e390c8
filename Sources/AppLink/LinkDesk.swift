// Where others put what the link's thread is to do. Nobody who asks waits for it.

import HandsetCore
import Synchronization
import SystemThreads

/// Requests on their way to the link's thread.
final class LinkDesk: Sendable {
  enum Request: Sendable {
    case install(AppID, AppHooks)
    case uninstall(AppID)
    case deliver(AppDelivery)
    case launch(AppID)
    case stop(AppID)
    /// To be resumed once no push is with a hook.
    case wait(CheckedContinuation<Void, Never>)
    /// To be resumed once nothing of the link is left.
    case shutDown(CheckedContinuation<Void, Never>?)
  }

  private struct State {
    var requests: [Request] = []
    /// There is no thread that would take them: not yet, or no more.
    var isAttended = false
    var isClosed = false
  }

  let bell: Doorbell
  private let state = Mutex(State())

  init() throws(AppLinkError) {
    do throws(SystemError) {
      bell = try Doorbell()
    } catch {
      throw AppLinkError("app link: no descriptor is left: \(error); allow the daemon more files")
    }
  }

  func put(_ request: Request) {
    let isLate = state.withLock { state in
      if state.isClosed { return true }
      // Without a thread there are no hooks to wait for, and nothing to shut down but the desk.
      switch request {
      case .wait where !state.isAttended: return true
      case .shutDown where !state.isAttended:
        state.isClosed = true
        state.requests = []
        return true
      default: break
      }
      state.requests.append(request)
      return false
    }
    if isLate { LinkDesk.answer(request) } else { bell.ring() }
  }

  /// A thread takes requests from now on. False where the desk was closed or has one.
  func attend() -> Bool {
    state.withLock { state in
      guard !state.isClosed, !state.isAttended else { return false }
      state.isAttended = true
      return true
    }
  }

  /// The thread could not be started after all.
  func leave() {
    state.withLock { $0.isAttended = false }
  }

  func take() -> [Request] {
    bell.clear()
    return state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  /// Answers what is put from now on, and what was not taken, with that nothing is left.
  func close() {
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.requests = [] }
      return state.requests
    }
    for request in rest { LinkDesk.answer(request) }
  }

  private static func answer(_ request: Request) {
    switch request {
    case .wait(let continuation): continuation.resume()
    case .shutDown(let continuation): continuation?.resume()
    case .install, .uninstall, .deliver, .launch, .stop: break
    }
  }
}
