/// The limits for strangers who reach the panel's port, and the times that a user stays signed in. Each limit has a
/// test that goes one past it.
public enum PanelLimits {
  /// Sign-in tokens that wait to be used; one more replaces the oldest.
  public static let tokens = 8
  /// The time in which a sign-in token can be used, once.
  public static let tokenLifetime: Duration = .seconds(5 * 60)
  /// Browsers that are signed in; one more replaces the one that signed in first.
  public static let sessions = 32
  public static let sessionLifetime: Duration = .seconds(7 * 24 * 3600)
  public static let signInBytes = 2 * 1024

  /// The time for which an answer about the daemon's health is shared by all who have not signed in.
  public static let healthLifetime: Duration = .seconds(1)

  /// Shipped files, and bytes of each: they are kept in memory.
  static let files = 64
  static let fileBytes = 256 * 1024
}
