/// The reason why a fleet's folder, servers or settings are refused, and the next step.
public struct FleetError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String
  public var hint: String?

  public init(_ message: String, hint: String? = nil) {
    (self.message, self.hint) = (message, hint)
  }

  public var description: String { hint.map { "\(message)\n  \($0)" } ?? message }
}
