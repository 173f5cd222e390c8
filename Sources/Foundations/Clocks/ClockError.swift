/// The reason why a clock cannot be watched. The description is for a person.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}
