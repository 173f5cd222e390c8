// The part of an app's bundle that describes how the app is started: a command, or the socket of a service that has its
// own user and limits.

/// The hooks that open and wake an app.
public struct AppHooks: Hashable, Sendable, Codable {
  /// A way to start an app.
  public enum Hook: Hashable, Sendable, Codable {
    /// A program and its arguments; no shell. The first word is an absolute path or one within the bundle's folder.
    case command([String])
    /// The path of a Unix socket on which a service listens.
    case socket(String)
  }

  /// The hook for the opening of the app by the person.
  public var launch: Hook?
  /// The hook for background updates, and for pushes in the foreground.
  public var background: Hook?
  /// The hook for every push, and for actions that the person chooses (rules N15, N16).
  public var notification: Hook?
  /// The folder in which commands run: a folder of this app on this handset, absolute.
  public var folder = "/"
  /// The bundle's files, shared by all handsets that have the app: a path relative to `folder`. Each is linked in
  /// `folder` before a command starts. Nil if `folder` contains the files itself.
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

  /// The keys in a bundle; the location of the app is determined at every start.
  private enum CodingKeys: CodingKey { case launch, background, notification }

  public var isEmpty: Bool { launch == nil && background == nil && notification == nil }

  func hook(for occasion: HookOccasion) -> Hook? {
    switch occasion {
    case .launch: launch
    case .background: background
    case .notification: notification
    }
  }

  /// Returns the hook for the delivery; nil if the app has none for it.
  func occasion(of delivery: AppDelivery) -> HookOccasion? {
    let isUpdate = delivery.occasion == nil
    let wanted: [HookOccasion] = isUpdate ? [.background, .notification] : [.notification, .background]
    return wanted.first { hook(for: $0) != nil }
  }
}

/// The reason why a hook runs.
enum HookOccasion: String, Hashable, Sendable {
  case launch
  case background
  case notification
}
