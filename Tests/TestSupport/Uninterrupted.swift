import Glibc

/// Calls again what a signal interrupted: with a time limit a socket's calls are, also by a process that is halted and goes on.
public func uninterrupted(_ call: () -> Int) -> Int {
  var result = call()
  while result < 0 && errno == EINTR { result = call() }
  return result
}
