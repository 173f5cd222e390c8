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
  /// The program that may change notifications before they are presented (rule X1).
  public var serviceExtension: Program?
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
  private enum CodingKeys: String, CodingKey {
    case launch, background, notification
    case serviceExtension = "service-extension"
  }

  public var isEmpty: Bool { !openOrWake && serviceExtension == nil }

  /// True if one of them opens or wakes the app.
  public var openOrWake: Bool { launch != nil || background != nil || notification != nil }

  func program(for occasion: ProgramOccasion) -> Program? {
    switch occasion {
    case .launch: launch
    case .background: background
    case .notification: notification
    case .serviceExtension: serviceExtension
    }
  }

  func occasion(of delivery: Delivery) -> ProgramOccasion? {
    let wanted: [ProgramOccasion] =
      switch delivery.occasion {
      case nil, .type: [.background, .notification]
      case .notification, .response: [.notification, .background]
      }
    return wanted.first { program(for: $0) != nil }
  }
}

/// What a program runs for. The raw value is the program's name in a bundle.
enum ProgramOccasion: String, Hashable, Sendable, CustomStringConvertible {
  case launch
  case background
  case notification
  case serviceExtension = "service-extension"

  var description: String { rawValue }
}
