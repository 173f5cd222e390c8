// The board's threads are the system's own: they block in the kernel for hours, which a thread of Swift's pool must
// not, and one of them wants to be given real-time priority some day.

import Glibc

/// A named thread that runs one closure.
struct BoardThread: Sendable {
  private let handle: pthread_t

  /// - Parameter name: at most 15 bytes, as `ps` and `top` show it.
  init(named name: String, _ body: @escaping @Sendable () -> Void) throws(BoardStartFault) {
    let box = Unmanaged.passRetained(ThreadBody(name: name, body: body))
    var handle = pthread_t()
    let code = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        nameThisThread(body.name)
        body.body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw BoardStartFault("board: thread '\(name)' cannot be started", errno: code)
    }
    self.handle = handle
  }

  /// Returns when the closure has. To be called once.
  func join() {
    pthread_join(handle, nil)
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// For `ps` and `top`; a thread without a name works as well.
private func nameThisThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = write(descriptor, name, name.utf8.count)
  close(descriptor)
}
