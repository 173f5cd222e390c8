import Synchronization

/// A body that is written as it comes, for as long as the client stays. Any thread may write; the connection takes what is
/// there when the client has room for it.
public final class ResponseStream: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isEnded = false
    /// Called once, when there is something to take.
    var whenReady: (@Sendable () -> Void)?
    var whenGone: (@Sendable () -> Void)?
    var receiver: (@Sendable ([UInt8]) -> Void)?
  }

  private let state: Mutex<State>
  private let limit: Int

  /// - Parameters:
  ///   - first: what it begins with, of any length.
  ///   - limit: bytes that wait for the client. With more it is cut off: it does not read.
  ///   - whenGone: called once, on any thread, when nothing more can be written.
  public init(first: [UInt8] = [], limit: Int, whenGone: @escaping @Sendable () -> Void) {
    self.limit = limit
    state = Mutex(State(waiting: first, whenGone: whenGone))
  }

  /// Writes; does nothing where the client is gone.
  public func write(_ bytes: [UInt8]) {
    let isTooMuch = change { state in
      guard !state.isEnded else { return false }
      guard state.waiting.count + bytes.count <= limit else { return true }
      state.waiting += bytes
      return false
    }
    if isTooMuch { end() }
  }

  /// Nothing more comes; what has been written is still sent.
  public func end() {
    let whenGone = change { state in
      state.isEnded = true
      state.receiver = nil
      defer { state.whenGone = nil }
      return state.whenGone
    }
    whenGone?()
  }

  /// Gets the bytes that the client sends, where the connection has another protocol; until the end.
  public var receiver: (@Sendable ([UInt8]) -> Void)? {
    get { state.withLock(\.receiver) }
    set { state.withLock { $0.receiver = newValue } }
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

  /// What waits, and whether that is the end. Where nothing waits, `whenReady` is called as soon as there is something.
  func take(whenReady: @escaping @Sendable () -> Void) -> (bytes: [UInt8], isEnd: Bool) {
    state.withLock { state in
      defer { state.waiting = [] }
      if state.waiting.isEmpty && !state.isEnded { state.whenReady = whenReady }
      return (state.waiting, state.isEnded)
    }
  }

  /// The same, for a task that waits; nil at the end.
  func next() async -> [UInt8]? {
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

extension ResponseStream: Hashable {
  public static func == (left: ResponseStream, right: ResponseStream) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
