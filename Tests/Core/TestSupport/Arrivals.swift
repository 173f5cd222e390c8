/// Values that a test waits for, in order.
public final class Arrivals<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  public init() { (stream, continuation) = AsyncStream.makeStream() }

  public func add(_ value: Value) { continuation.yield(value) }

  public func add() where Value == Void { add(()) }

  /// Returns the next value, once there is one.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func next() async throws -> Value {
    for await value in stream { return value }
    throw CancellationError()
  }
}
