/// A signal from any thread to one task, which reads it as a stream. Unread values are replaced by the newest.
public struct Signal<Value: Sendable>: Sendable {
  /// The half that sends. It does not keep the stream alive, so a list of senders does not keep readers that have left.
  public struct Sender: Sendable {
    fileprivate let continuation: AsyncStream<Value>.Continuation

    public func send(_ value: Value) { continuation.yield(value) }

    /// Sets the function that is called when the reader has left; on any thread.
    public func whenUnread(_ body: @escaping @Sendable () -> Void) {
      continuation.onTermination = { _ in body() }
    }
  }

  public let values: AsyncStream<Value>
  public let sender: Sender

  public init() {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    self.values = values
    sender = Sender(continuation: continuation)
  }

  public func send(_ value: Value) { sender.send(value) }
}

extension Signal where Value == Void {
  public func send() { sender.send() }
}

extension Signal.Sender where Value == Void {
  public func send() { send(()) }
}
