import Synchronization

/// A part of the program that runs until a `ServiceGroup` asks it to stop.
public protocol Service: Sendable {
  /// Returns once the service has stopped. Returning earlier ends the whole group, like an error.
  /// - Parameter stop: made exactly once, also if another service failed or the group's task was cancelled.
  func run(until stop: StopRequest) async throws
}

/// The request to stop. Any number of tasks may wait for it.
public final class StopRequest: Sendable {
  /// The functions that wait for the request; nil once it is made.
  private let handlers = Mutex<[@Sendable () -> Void]?>([])

  public init() {}

  /// Makes the request, and calls all that waits for it. Further calls have no effect.
  public func make() {
    let waiting = handlers.withLock { handlers in
      defer { handlers = nil }
      return handlers ?? []
    }
    for handler in waiting { handler() }
  }

  /// Calls `handler` exactly once, in the thread that makes the request; at once if it was made already.
  public func whenMade(_ handler: @escaping @Sendable () -> Void) {
    let isMade = handlers.withLock { handlers in
      handlers?.append(handler)
      return handlers == nil
    }
    if isMade { handler() }
  }

  /// Waits until the request is made. The cancellation of the task does not end the wait.
  public func wait() async {
    await withCheckedContinuation { continuation in
      whenMade { continuation.resume() }
    }
  }
}
