import HandsetCore

/// The control API's limits; each has a test that exceeds it by one.
public enum ControlLimits {
  /// The bytes of the body that installs an app. Its files are in Base64: four bytes for three.
  public static let bundleBodyBytes = 64 * 1024 * 1024
  /// The bytes of the body that plays a file: the largest sound, in Base64.
  public static let soundBodyBytes = 28 * 1024 * 1024
  public static let soundNameBytes = 255
  public static let providerNameBytes = 64
  /// The notifications in one answer: at most, and if the caller gives no number.
  public static let notifications = Policy.centerLimitPerApp
  public static let defaultNotifications = 50
  /// The seconds by which a virtual clock can be advanced at a time: up to a year.
  public static let advanceSeconds: ClosedRange<Int64> = 1...366 * 86_400
  public static let waveformPoints = 160
  /// The events of one explanation; beyond it those in the middle are left out.
  static let explainedEvents = 200
  /// The names that a hint lists if none is similar to the caller's text.
  static let hintedNames = 5
}
