/// What calls may cost. Each has a test.
public struct CallLimits: Sendable, Hashable {
  /// Calls that are under way at a time, one of them of an app.
  public var underWay = 4
  /// For a connection.
  public var connectTimeout: Duration = .seconds(5)
  /// From the connection to the status.
  public var answerTimeout: Duration = .seconds(10)
  /// After the first failure; each further one doubles it.
  public var firstPause: Duration = .seconds(1)
  public var longestPause: Duration = .seconds(3600)
  /// After the answer of the person no more attempts are made.
  public var lifetime: Duration = .seconds(24 * 3600)

  public init() {}

  /// - Parameter attempts: that have failed, 1 or more.
  func pause(after attempts: Int) -> Duration {
    // Beyond that every pause is the longest.
    let doublings = min(attempts - 1, 30)
    return min(firstPause * (1 << doublings), longestPause)
  }
}
