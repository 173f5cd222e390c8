/// A signal from any thread to one task, which reads it as a stream. Unread values are replaced by the newest.
public struct Signal<Value: Sendable>: Sendable {
  /// The half that sends. It does not keep the stream alive, so a list of senders does not keep readers that have left.
  public typealias Sender = AsyncStream<Value>.Continuation

  public let values: AsyncStream<Value>
  public let sender: Sender

  public init() {
    (values, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  public func send(_ value: Value) { sender.yield(value) }
}

extension Signal where Value == Void {
  public func send() { sender.yield() }
}
