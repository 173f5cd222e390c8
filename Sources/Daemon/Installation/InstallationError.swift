/// A missing part of this installation. The description is for the user, and names the remedy.
public struct InstallationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
