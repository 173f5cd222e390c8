import HandsetCore

/// The programs that open and wake an app.
public struct AppPrograms: Hashable, Sendable, Codable {
  public enum Program: Hashable, Sendable, Codable {
    /// A program and its arguments; no shell. The first word is an absolute path or one within the bundle's folder.
    case command([String])
    case socket(String)
  }

  public var launch: Program?
  /// The program for background updates, and for pushes in the foreground.
  public var background: Program?
  /// The program for every push, and for actions that the person chooses (rules N15, N16).
  public var notification: Program?
  /// The folder in which commands run: a folder of this app on this handset, absolute.
  public var folder = "/"
  /// The bundle's files, shared by all handsets that have the app: a path relative to `folder`. Each is linked in
  /// `folder` before a command starts. Nil if `folder` contains the files itself.
  public var bundle: String?

  public init(
    launch: Program? = nil, background: Program? = nil, notification: Program? = nil, folder: String = "/",
    bundle: String? = nil
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

  func program(for occasion: ProgramOccasion) -> Program? {
    switch occasion {
    case .launch: launch
    case .background: background
    case .notification: notification
    }
  }

  func occasion(of delivery: Delivery) -> ProgramOccasion? {
    let isUpdate = delivery.occasion == nil
    let wanted: [ProgramOccasion] = isUpdate ? [.background, .notification] : [.notification, .background]
    return wanted.first { program(for: $0) != nil }
  }
}

enum ProgramOccasion: String, Hashable, Sendable {
  case launch
  case background
  case notification
}
