/// What is missing from this installation. The description is for a person, and says what to do.
public struct InstallationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
