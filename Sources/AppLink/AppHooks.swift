// What an app's bundle says of how it is woken: a command of its own, or the socket of a service that has its own user
// and limits.

/// How an app is opened and woken.
public struct AppHooks: Hashable, Sendable, Codable {
  /// One way to reach an app.
  public enum Hook: Hashable, Sendable, Codable {
    /// A program and its arguments; no shell. The first word is an absolute path or one within the bundle's folder.
    case command([String])
    /// The path of a Unix socket on which a service listens.
    case socket(String)
  }

  /// The person opens the app.
  public var launch: Hook?
  /// A push arrives.
  public var background: Hook?
  /// The bundle's folder on this machine, absolute: where commands run.
  public var folder: String

  public init(launch: Hook? = nil, background: Hook? = nil, folder: String = "/") {
    self.launch = launch
    self.background = background
    self.folder = folder
  }

  public var isEmpty: Bool { launch == nil && background == nil }

  func hook(for occasion: HookOccasion) -> Hook? {
    switch occasion {
    case .launch: launch
    case .background: background
    }
  }
}

/// Why a hook runs.
enum HookOccasion: String, Hashable, Sendable {
  case launch
  case background
}
