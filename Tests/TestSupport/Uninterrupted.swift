import Glibc

/// Repeats a call that a signal interrupted: signals interrupt calls on a socket with a time limit, even if the process
/// is only stopped and continued.
public func uninterrupted(_ call: () -> Int) -> Int {
  var result = call()
  while result < 0 && errno == EINTR { result = call() }
  return result
}
