/// Services that start in order, and stop in reverse order, one after the other.
public final class ServiceGroup: Sendable {
  private let services: [any Service]
  private let requests: [StopRequest]
  private let request = StopRequest()

  public init(_ services: [any Service]) {
    self.services = services
    requests = services.map { _ in StopRequest() }
  }

  /// Asks the group to stop, and does not wait for it. Further calls have no effect. If `run` has not begun, it starts the
  /// services and stops them at once, so that each one can close what it has opened.
  public func stop() { request.make() }

  /// Runs the services until `stop` is called. Called once. If a service fails or ends unasked, or if the task is
  /// cancelled, the tasks of all others are cancelled, and all are asked to stop at the same time.
  /// - Throws: once all services have ended: the first error of a service, `UnexpectedEnd`, or `CancellationError`.
  public func run() async throws {
    try await withTaskCancellationHandler {
      try await withThrowingTaskGroup(of: Int.self) { tasks in
        for (index, service) in services.enumerated() {
          tasks.addTask { [requests] in
            try await service.run(until: requests[index])
            return index
          }
        }
        // The wait for the request is the last service, and the only one that may end unasked.
        tasks.addTask { [request, services] in
          await request.wait()
          return services.count
        }
        do {
          try await end(services.count, of: &tasks)
          for index in services.indices.reversed() {
            requests[index].make()
            try await end(index, of: &tasks)
          }
        } catch {
          tasks.cancelAll()
          stopAll()
          throw error
        }
      }
    } onCancel: {
      stopAll()
    }
  }

  /// Waits for the end of the service that is to be the next one to end.
  private func end(_ index: Int, of tasks: inout ThrowingTaskGroup<Int, any Error>) async throws {
    guard let ended = try await tasks.next() else { return }
    try Task.checkCancellation()
    guard ended == index else { throw UnexpectedEnd(service: "\(type(of: services[ended]))") }
  }

  private func stopAll() {
    request.make()
    for request in requests { request.make() }
  }
}

/// The error for a service that ended before it was asked to stop.
public struct UnexpectedEnd: Error, Hashable, CustomStringConvertible {
  /// The type of the service.
  public let service: String

  public var description: String { "\(service) ended before it was asked to stop" }
}
