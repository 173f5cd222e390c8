import Glibc

/// Repeats a call that a signal interrupted, as stopping and continuing does to calls on sockets with a time limit.
public func uninterrupted(_ call: () -> Int) -> Int {
  var result = call()
  while result < 0 && errno == EINTR { result = call() }
  return result
}
