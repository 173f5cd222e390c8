import HandsetCore

/// The control API's limits; each has a test that goes one past it.
public enum ControlLimits {
  /// Bytes of the body that installs an app. Its files are Base64 in it: four bytes for three.
  public static let bundleBodyBytes = 64 * 1024 * 1024
  /// Bytes of the body that plays a file: of the largest sound, in Base64.
  public static let soundBodyBytes = 28 * 1024 * 1024
  /// Bytes of a sound's name, and of such a file's.
  public static let soundNameBytes = 255
  /// Bytes of a provider's name.
  public static let providerNameBytes = 64
  /// Notifications in one answer, and how many there are where the caller does not say.
  public static let notifications = Policy.centerLimitPerApp
  public static let defaultNotifications = 50
  /// Seconds by which a virtual clock can be advanced at a time: up to a year.
  public static let advanceSeconds: ClosedRange<Int64> = 1...366 * 86_400
  /// Points of a sound's waveform.
  public static let waveformPoints = 160
  /// Events of one explanation; past it those in the middle are left out.
  static let explainedEvents = 200
  /// Names that a hint lists where none is near to what was typed.
  static let hintedNames = 5
}
