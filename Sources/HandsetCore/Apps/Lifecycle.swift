/// What an app is doing (rules N1, N2, U5).
public enum Lifecycle: String, Hashable, Sendable, CaseIterable, Codable {
  case notRunning
  case background
  case foreground
  /// Stopped by the person, which differs from not running in what it receives: it is not woken (rule U5).
  case forceQuit

  /// Whether the app has code that runs.
  public var isRunning: Bool { self == .background || self == .foreground }
}

/// How an app's state is changed from outside.
public enum LifecycleCommand: String, Hashable, Sendable, CaseIterable, Codable {
  /// Open an app: move it to the foreground.
  case launch
  /// It leaves the foreground, or is started there.
  case background
  /// The system, or something else, ends it.
  case kill
  /// The person ends it.
  case forceQuit = "force-quit"

  var result: Lifecycle {
    switch self {
    case .launch: .foreground
    case .background: .background
    case .kill: .notRunning
    case .forceQuit: .forceQuit
    }
  }
}
