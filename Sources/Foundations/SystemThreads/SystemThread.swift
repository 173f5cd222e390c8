// Threads that block in the kernel for hours, which a thread of Swift's pool must not do, or that need a priority of
// their own.

import CFileDescriptors
import Glibc
import Synchronization

/// A named thread that runs one closure.
public final class SystemThread: Sendable {
  /// The thread; nil once it is joined or detached.
  private let handle: Mutex<pthread_t?>

  /// Starts the thread. Signals are left to the existing threads.
  /// - Parameters:
  ///   - name: at most 15 bytes, shown by `ps` and `top`.
  ///   - stackBytes: nil for the system's default.
  /// - Throws: if the system has no thread left.
  public init(
    named name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    // A thread begins with the signal mask of the one that starts it.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let box = Unmanaged.passRetained(ThreadBody(name: name, body: body))
    var handle = pthread_t()
    let code = pthread_create(
      &handle, &attributes,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        pthread_setname_np(pthread_self(), body.name)
        body.body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw SystemError(code: code)
    }
    self.handle = Mutex(handle)
  }

  /// Detaches the thread: it is not joined, and ends when its closure returns.
  public func detach() {
    if let handle = take() { pthread_detach(handle) }
  }

  /// Waits until the closure has returned; on the thread itself it returns at once. Further calls do nothing.
  public func join() {
    guard let handle = take() else { return }
    if pthread_equal(handle, pthread_self()) != 0 { pthread_detach(handle) } else { pthread_join(handle, nil) }
  }

  private func take() -> pthread_t? { handle.withLock { $0.take() } }
}

private final class ThreadBody: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// Returns the time of CLOCK_MONOTONIC: real time, unaffected by setting the clock.
@Sendable public func monotonicTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
