/// The use of a device token that is not the app's ordinary one: only pushes of that use are accepted with it [APNs].
/// It is written as one text: `push-to-start`, `activity:41`.
public enum TokenPurpose: Hashable, Sendable, SingleValueCodable {
  /// Starts Live Activities of the app (rule LA1).
  case pushToStart
  /// Updates and ends one Live Activity, and is invalid after it (rule LA2).
  case activity(ActivityID)
  /// Reloads the app's widgets.
  case widgets
  /// Reloads the app's controls.
  case controls

  public var coded: String {
    switch self {
    case .pushToStart: "push-to-start"
    case .activity(let id): "activity:\(id)"
    case .widgets: "widgets"
    case .controls: "controls"
    }
  }

  public init?(coded text: String) {
    switch text {
    case "push-to-start": self = .pushToStart
    case "widgets": self = .widgets
    case "controls": self = .controls
    default:
      guard text.hasPrefix("activity:"), let id = ActivityID(String(text.dropFirst("activity:".count))) else {
        return nil
      }
      self = .activity(id)
    }
  }
}

extension TokenRecord {
  /// Returns true if the push is of the token's use.
  @inline(never)
  func takes(_ push: Push) -> Bool {
    switch purpose {
    case nil: true
    case .pushToStart: push.type == .liveactivity && push.activity.map { $0.event == .start } ?? true
    case .activity: push.type == .liveactivity && push.activity?.event != .start
    case .widgets: push.type == .widgets
    case .controls: push.type == .controls
    }
  }

  public var isOfActivity: Bool { if case .activity = purpose { true } else { false } }
}
