/// The exit codes of all commands.
public enum CommandExit {
  public static let done: Int32 = 0
  public static let failed: Int32 = 1
  public static let usage: Int32 = 2
  public static let noDaemon: Int32 = 3
}

/// The reason why a command failed, and the remedy.
public struct Failure: Error, Hashable {
  public var code: Int32
  public var message: String
  public var hint: String?

  public init(_ message: String, hint: String? = nil, code: Int32 = CommandExit.failed) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
