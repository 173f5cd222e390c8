import NIOCore
import Synchronization

/// A body that is written in parts, as long as the client stays. Any thread may write; the connection takes the waiting
/// bytes when the client can receive them.
public final class ResponseStream: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isEnded = false
    /// Called once, when there are bytes to take.
    var whenReady: (@Sendable () -> Void)?
    var whenGone: (@Sendable () -> Void)?
    var inputHandlers: (@Sendable () -> [any ChannelHandler])?
  }

  private let state: Mutex<State>
  private let limit: Int

  /// - Parameters:
  ///   - limit: the bytes that may wait for the client. Beyond it the client is disconnected: it does not read.
  ///   - whenGone: called once, on any thread, when nothing more can be written.
  public init(first: [UInt8] = [], limit: Int, whenGone: @escaping @Sendable () -> Void) {
    self.limit = limit
    state = Mutex(State(waiting: first, whenGone: whenGone))
  }

  /// Writes; does nothing if the client is gone.
  public func write(_ bytes: [UInt8]) {
    let isTooMuch = change { state in
      guard !state.isEnded else { return false }
      guard state.waiting.count + bytes.count <= limit else { return true }
      state.waiting += bytes
      return false
    }
    if isTooMuch { end() }
  }

  /// Ends the body; bytes written before are still sent.
  public func end() {
    let whenGone = change { state in
      state.isEnded = true
      state.inputHandlers = nil
      defer { state.whenGone = nil }
      return state.whenGone
    }
    whenGone?()
  }

  /// Makes the handlers for the bytes that the client sends, if the connection switched to another protocol.
  public var inputHandlers: (@Sendable () -> [any ChannelHandler])? {
    get { state.withLock(\.inputHandlers) }
    set { state.withLock { $0.inputHandlers = newValue } }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, whenReady) = state.withLock { state in
      let result = body(&state)
      guard !state.waiting.isEmpty || state.isEnded else { return (result, (@Sendable () -> Void)?.none) }
      defer { state.whenReady = nil }
      return (result, state.whenReady)
    }
    whenReady?()
    return result
  }

  /// Takes the waiting bytes; `isEnd` is true if they are the last. If none wait, `whenReady` is called when there are
  /// some.
  package func take(whenReady: @escaping @Sendable () -> Void) -> (bytes: [UInt8], isEnd: Bool) {
    state.withLock { state in
      defer { state.waiting = [] }
      if state.waiting.isEmpty && !state.isEnded { state.whenReady = whenReady }
      return (state.waiting, state.isEnded)
    }
  }

  /// The same, for a task that waits; nil at the end.
  package func next() async -> [UInt8]? {
    while true {
      let (bytes, isEnd): ([UInt8], Bool) = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let taken = take { continuation.resume(returning: ([], false)) }
          if !taken.bytes.isEmpty || taken.isEnd { continuation.resume(returning: taken) }
        }
      } onCancel: {
        end()
      }
      if !bytes.isEmpty { return bytes }
      if isEnd { return nil }
    }
  }
}
