import SystemThreads

/// The board's threads cannot be started.
public struct BoardStartFault: Error, Sendable, CustomStringConvertible {
  public var description: String

  init(_ what: String, _ error: SystemError) {
    self.description = "board: \(what): \(error)"
  }
}
