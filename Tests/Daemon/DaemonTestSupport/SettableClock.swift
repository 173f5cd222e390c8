// A clock that a test can set, unlike the machine's.

import Clocks
import Dispatch
import HandsetCore
import Synchronization

/// A wall clock and its timer, both moved by a test.
public final class SettableClock: WallTimer {
  private struct State {
    public var now: WallTime
    var armed: WallTime?
    var wasSet = false
    var isSetUnnoticed = false
  }

  private let state: Mutex<State>
  private let changed = DispatchSemaphore(value: 0)

  public init(_ seconds: Int64) {
    state = Mutex(State(now: WallTime(seconds: seconds)))
  }

  public var now: WallTime { state.withLock(\.now) }
  public var armed: WallTime? { state.withLock(\.armed) }

  /// Lets time pass.
  public func pass(to seconds: Int64) {
    state.withLock { $0.now = WallTime(seconds: seconds) }
    changed.signal()
  }

  /// Sets the clock.
  /// - Parameter unnoticed: if true, the next arming reports it instead of the wait, as the kernel may.
  public func set(to seconds: Int64, unnoticed: Bool = false) {
    state.withLock { state in
      state.now = WallTime(seconds: seconds)
      if unnoticed { state.isSetUnnoticed = true } else { state.wasSet = true }
    }
    changed.signal()
  }

  public func arm(at time: WallTime?) -> Bool {
    defer { changed.signal() }
    return state.withLock { state in
      state.armed = time
      defer { state.isSetUnnoticed = false }
      return state.isSetUnnoticed
    }
  }

  public func wait() -> Bool {
    while true {
      let end: Bool? = state.withLock { state in
        if state.wasSet {
          state.wasSet = false
          return true
        }
        if let armed = state.armed, armed <= state.now {
          state.armed = nil
          return false
        }
        return nil
      }
      if let end { return end }
      changed.wait()
    }
  }
}

/// The rings, in order, each awaited.
public struct Rings: Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  public init() { (stream, continuation) = AsyncStream.makeStream() }

  public func ring(_ name: String) { continuation.yield(name) }

  /// Returns the next `count` rings, sorted: rings of one moment are one set.
  public func next(_ count: Int) async -> [String] {
    var names: [String] = []
    for await name in stream {
      names.append(name)
      if names.count == count { break }
    }
    return names
  }
}
