/// The limits of calls. Each has a test.
public struct CallLimits: Sendable, Hashable {
  /// Calls that are under way at a time, at most one for each app.
  public var underWay = 4
  /// The time for a connection.
  public var connectTimeout: Duration = .seconds(5)
  /// The time from the connection to the status.
  public var answerTimeout: Duration = .seconds(10)
  /// The pause after the first failure; each further one doubles it.
  public var firstPause: Duration = .seconds(1)
  public var longestPause: Duration = .seconds(3600)
  /// The time after the user's answer at which attempts end.
  public var lifetime: Duration = .seconds(24 * 3600)

  public init() {}

  /// - Parameter attempts: the number of failed attempts, 1 or more.
  func pause(after attempts: Int) -> Duration {
    // After more doublings every pause is the longest.
    let doublings = min(attempts - 1, 30)
    return min(firstPause * (1 << doublings), longestPause)
  }
}
