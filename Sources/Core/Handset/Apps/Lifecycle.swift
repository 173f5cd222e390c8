/// The states of an app (rules N1, N2, U5).
public enum Lifecycle: String, Hashable, Sendable, CaseIterable, Codable {
  case notRunning
  case background
  case foreground
  /// Stopped by the person. Unlike a stopped app, it is not woken (rule U5).
  case forceQuit

  /// True if the app's code runs.
  public var isRunning: Bool { self == .background || self == .foreground }
}

/// A command that changes an app's lifecycle.
public enum LifecycleCommand: String, Hashable, Sendable, CaseIterable, Codable {
  /// Opens the app: moves it to the foreground.
  case launch
  /// Moves the app to the background, or starts it there.
  case background
  /// The system or something else ends the app.
  case kill
  /// The person stops the app.
  case forceQuit = "force-quit"
}
