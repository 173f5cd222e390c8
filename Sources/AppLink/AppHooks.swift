// What an app's bundle says about how the app is started: a command of its own, or the socket of a service that has its
// own user and limits.

/// How an app is opened and woken.
public struct AppHooks: Hashable, Sendable, Codable {
  /// One way to reach an app.
  public enum Hook: Hashable, Sendable, Codable {
    /// A program and its arguments; no shell. The first word is an absolute path or one within the bundle's folder.
    case command([String])
    /// The path of a Unix socket on which a service listens.
    case socket(String)
  }

  /// Runs when the person opens the app.
  public var launch: Hook?
  /// Runs for a background update, and for a push in the foreground.
  public var background: Hook?
  /// Runs for every push, and for actions that the person chooses (rules N15, N16).
  public var notification: Hook?
  /// Where commands run: a folder of this app on this handset, absolute.
  public var folder = "/"
  /// The bundle's files, shared by all handsets that have the app: a path relative to `folder`. Each is linked in
  /// `folder` before a command starts. Nil where `folder` contains the files itself.
  public var bundle: String?

  public init(
    launch: Hook? = nil, background: Hook? = nil, notification: Hook? = nil, folder: String = "/", bundle: String? = nil
  ) {
    self.launch = launch
    self.background = background
    self.notification = notification
    self.folder = folder
    self.bundle = bundle
  }

  /// What a bundle says by itself; where its app is, every start finds out.
  private enum CodingKeys: CodingKey { case launch, background, notification }

  public var isEmpty: Bool { launch == nil && background == nil && notification == nil }

  func hook(for occasion: HookOccasion) -> Hook? {
    switch occasion {
    case .launch: launch
    case .background: background
    case .notification: notification
    }
  }

  /// The hook that gets the delivery; nil where the app has none that does.
  func occasion(of delivery: AppDelivery) -> HookOccasion? {
    let isUpdate = delivery.occasion == nil
    let wanted: [HookOccasion] = isUpdate ? [.background, .notification] : [.notification, .background]
    return wanted.first { hook(for: $0) != nil }
  }
}

/// Why a hook runs.
enum HookOccasion: String, Hashable, Sendable {
  case launch
  case background
  case notification
}
